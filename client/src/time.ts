/** The longest that a timer can be set to. */
const longestMs = 2 ** 31 - 1;

/**
 * Does work that ends when the signal is aborted, with the signal's reason, or when its time is over, with what
 * `expired` gives.
 */
export async function within<Result>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  expired: () => Error,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(expired()), Math.min(milliseconds, longestMs));
  const pass = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', pass, { once: true });
  try {
    return await work(controller.signal);
  } catch (error) {
    // Not every fetch gives the reason back as it is.
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', pass);
  }
}

/** Waits, unless the signal is aborted: then it throws the signal's reason. */
export function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', end);
        resolve();
      },
      Math.min(milliseconds, longestMs),
    );
    signal?.addEventListener('abort', end, { once: true });
  });
}

/** The header `Retry-After`, in seconds or as a date; null where there is none that can be read. */
export function readRetryAfter(header: string | null, now: Date = new Date()): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  const moment = Date.parse(header);
  return Number.isNaN(moment) ? null : Math.max(0, Math.ceil((moment - now.getTime()) / 1000));
}
