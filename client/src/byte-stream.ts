import { AnagrafeError, ConnectionError, TimeoutError } from './errors.ts';
import { withTimeout } from './retry.ts';

/** Yields the bytes of a response. Leaving the loop early closes the connection. */
export async function* readBytes(
  body: ReadableStream<Uint8Array>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await withTimeout(
        timeoutMs,
        signal,
        () => new TimeoutError(timeoutMs, {}),
        (ended) => Promise.race([reader.read(), rejection(ended)]),
      );
      if (done) return;
      yield value;
    }
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw error instanceof AnagrafeError ? error : new ConnectionError({ cause: error });
  } finally {
    // A stream that has failed rejects; its error has been thrown.
    reader.cancel().catch(() => undefined);
  }
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
