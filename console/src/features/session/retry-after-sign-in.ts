import { ApiError } from '@anagrafe/client';
import type { QueryClient } from '@tanstack/react-query';
import { currentSession, expireSession } from './session.ts';

/**
 * Runs a long action during which the session may end. After a 401 it waits until the same client has signed in, and
 * runs the action again, so that the action must be idempotent.
 *
 * @throws {DOMException} `AbortError` if the client signs out, or if another client signs in.
 */
export async function retryAfterSignIn<Result>(
  queries: QueryClient,
  action: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const signal = currentSession(queries)?.clientSession?.end.signal ?? AbortSignal.abort();
  for (;;) {
    try {
      return await action(signal);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      expireSession(queries);
      await waitForSignIn(queries, signal);
    }
  }
}

function waitForSignIn(queries: QueryClient, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const unsubscribe = queries.getQueryCache().subscribe(() => {
      if (currentSession(queries)?.State === 'signed-out') return;
      unsubscribe();
      resolve();
    });
    const abort = () => {
      unsubscribe();
      reject(signal.reason);
    };
    // An aborted signal sends no further event.
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
  });
}
