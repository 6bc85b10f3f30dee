import { ApiError } from '@anagrafe/client';
import type { QueryClient } from '@tanstack/react-query';
import { endSession, type Session, sessionKey } from './session.ts';

/**
 * Does something long, whose session may end meanwhile: it is done again when the same client has signed in again, so that it has to be
 * something that is the same when it is done twice.
 *
 * @throws {DOMException} `AbortError`, where that client has signed out, or another one has come.
 */
export async function doAgain<Result>(
  queries: QueryClient,
  act: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const visit = queries.getQueryData<Session>(sessionKey)?.visit;
  const signal = visit?.signal ?? AbortSignal.abort();
  for (;;) {
    try {
      return await act(signal);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      endSession(queries);
      await signedIn(queries, signal);
    }
  }
}

function signedIn(queries: QueryClient, signal: AbortSignal): Promise<void> {
  const isSignedIn = () => queries.getQueryData<Session>(sessionKey)?.State !== 'signed-out';
  return new Promise((resolve, reject) => {
    const stop = queries.getQueryCache().subscribe(() => {
      if (!isSignedIn()) return;
      stop();
      resolve();
    });
    signal.addEventListener('abort', () => {
      stop();
      reject(signal.reason);
    });
  });
}
