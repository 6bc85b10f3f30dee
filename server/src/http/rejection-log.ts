import type { FastifyBaseLogger } from 'fastify';
import type { Code } from '../lib/error-codes.ts';

/** The properties of a rejection by which rejections are counted. */
export interface Rejection {
  readonly code: Code;
  /** The method and the path of the route. */
  readonly route: string;
  /** The message of the error that caused the rejection. */
  readonly cause: string | undefined;
}

interface Counted {
  readonly kind: Rejection;
  /** The number of rejections since the last line. */
  further: number;
  readonly timer: NodeJS.Timeout;
}

const intervalMs = 1000;
/** The maximum number of kinds that are counted by their cause. Causes of further kinds are not distinguished. */
const maxKinds = 100;

/**
 * Logs rejected requests without a line for each, because an overloaded service would spend its time on the log. The
 * first rejection of a kind is logged at once, then the number of further ones every second, until a second without
 * any. Kinds are counted separately, so that a flood of one does not hide another.
 */
export class RejectionLog {
  readonly #log: FastifyBaseLogger;
  readonly #counted = new Map<string, Counted>();
  #closed = false;

  constructor(log: FastifyBaseLogger) {
    this.#log = log;
  }

  /** Logs or counts a rejection. `requestLog` adds the request ID to the line. */
  note(rejection: Rejection, requestLog: FastifyBaseLogger): void {
    const isCountable = this.#counted.size < maxKinds || this.#counted.has(keyOf(rejection));
    const kind = isCountable ? rejection : { ...rejection, cause: undefined };
    const key = keyOf(kind);
    const counted = this.#counted.get(key);
    if (counted) {
      counted.further++;
      return;
    }
    requestLog.warn(rejection, 'request rejected');
    if (this.#closed) return;
    const timer = setInterval(() => this.#report(key), intervalMs).unref();
    this.#counted.set(key, { kind, further: 0, timer });
  }

  /** Logs all counts. A rejection after that is logged at once, because no later line would count it. */
  close(): void {
    this.#closed = true;
    for (const [key, { timer }] of this.#counted) {
      this.#report(key);
      clearInterval(timer);
    }
    this.#counted.clear();
  }

  #report(key: string): void {
    const counted = this.#counted.get(key);
    if (!counted) return;
    const { kind, further, timer } = counted;
    counted.further = 0;
    if (further > 0) this.#log.warn({ ...kind, further }, 'further requests rejected');
    else {
      clearInterval(timer);
      this.#counted.delete(key);
    }
  }
}

function keyOf({ code, route, cause = '' }: Rejection): string {
  return `${code} ${route} ${cause}`;
}
