/** Maximum delay of `setTimeout`: a signed 32-bit integer. A larger delay would fire at once. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Runs `work` with a timeout. Rejects with the reason of `signal` if that is aborted, or with the error that `expired`
 * returns after `milliseconds`.
 */
export async function within<Result>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  expired: () => Error,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(expired()), Math.min(milliseconds, maxTimerMs));
  const onAbort = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await work(controller.signal);
  } catch (error) {
    // Some implementations of fetch reject with an AbortError instead of the reason of the signal.
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Resolves after `milliseconds`. Rejects with the reason of `signal` if that is aborted first. */
export function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      },
      Math.min(milliseconds, maxTimerMs),
    );
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Parses `Retry-After`, given in seconds or as an HTTP date. Returns seconds; null if it is absent or invalid. */
export function readRetryAfter(header: string | null, now: Date = new Date()): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  const moment = Date.parse(header);
  return Number.isNaN(moment) ? null : Math.max(0, Math.ceil((moment - now.getTime()) / 1000));
}
