import type { FastifyRateLimitStore } from '@fastify/rate-limit';
import { ApiError } from '../lib/field-errors.ts';

/** Maximum number of callers that are counted. The one that was idle for the longest time is forgotten first. */
const callersMax = 5000;

interface Window {
  readonly startedAt: number;
  readonly calls: number;
}

/**
 * Counts the calls of each caller in windows of a minute, for the plugin and for answers that are sent without it. The
 * store of the plugin passes on a counter that it still changes: of several calls that arrive at the same moment, each
 * would see the count of all of them.
 */
export class CallLimit implements FastifyRateLimitStore {
  readonly windowMs = 60_000;
  /** Maximum number of calls in a window. */
  readonly max: number;
  readonly #windows = new Map<string, Window>();

  constructor(callsPerMinute: number) {
    this.max = callsPerMinute;
  }

  incr(caller: string, callback: Parameters<FastifyRateLimitStore['incr']>[1]): void {
    callback(null, this.count(caller));
  }

  /** Counts a call. Returns the calls in the window of the caller, and the milliseconds until the window ends. */
  count(caller: string): { current: number; ttl: number } {
    const now = Date.now();
    const last = this.#windows.get(caller);
    const isOpen = last !== undefined && now < last.startedAt + this.windowMs;
    const { startedAt, calls } = isOpen ? last : { startedAt: now, calls: 0 };
    // Moves the caller to the end of the map, whose first entry is the one that was idle for the longest time.
    this.#windows.delete(caller);
    this.#windows.set(caller, { startedAt, calls: calls + 1 });
    const [leastRecent] = this.#windows.keys();
    if (this.#windows.size > callersMax && leastRecent !== undefined) this.#windows.delete(leastRecent);
    return { current: calls + 1, ttl: startedAt + this.windowMs - now };
  }

  child(): FastifyRateLimitStore {
    return new CallLimit(this.max);
  }
}

export type LimitVariant = 'calls' | 'loginThrottle' | 'codeThrottle' | 'forgottenThrottle';

/** Returns the error of a caller that has to wait `seconds`. */
export function rateLimited(variant: LimitVariant, seconds: number): ApiError {
  return new ApiError('RATE_LIMITED', { variant, figures: { seconds }, retryAfterSeconds: seconds });
}
