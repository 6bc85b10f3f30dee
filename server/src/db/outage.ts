import { markOutage } from '../lib/field-errors.ts';
import { isConnectionFailure, isTimeout } from './errors.ts';

interface OutageSummary {
  readonly failures: number;
  /** Seconds from the first failure to the first answer after the last failure, rounded to tenths. */
  readonly seconds: number;
}

export interface OutageEvents {
  onBegin(reason: string): void;
  onEnd(summary: OutageSummary): void;
}

/** An outage ends when the database has answered for this time without a failure. */
const stableMs = 1000;

/** Counts the failures during an outage, so that the log has two lines per outage instead of one per failure. */
export class OutageMonitor {
  readonly #events: OutageEvents;
  /** False until the first answer. A failure before that is no outage: the start of the service fails. */
  #answered = false;
  #outage: { began: number; failed: number; failures: number; answered: number | null } | null = null;

  constructor(events: OutageEvents) {
    this.#events = events;
  }

  /** Records the failure of a connection or a statement. Returns false if it is not part of an outage. */
  failed(error: Error): boolean {
    // A timeout (busy pool, slow statement) does not begin an outage; during an outage it is a consequence.
    const counts = isConnectionFailure(error) || (this.#outage !== null && isTimeout(error));
    if (!counts || !this.#answered) return false;
    markOutage(error);
    const now = performance.now();
    if (this.#outage === null) this.#events.onBegin(reasonOf(error));
    const { began, failures } = this.#outage ?? { began: now, failures: 0 };
    this.#outage = { began, failed: now, failures: failures + 1, answered: null };
    return true;
  }

  /** Records a success on a connection that was requested at `requestedAt`, a value of `performance.now()`. */
  answered(requestedAt: number): void {
    this.#answered = true;
    // Work that began before the latest failure may have succeeded before it.
    if (this.#outage === null || requestedAt < this.#outage.failed) return;
    this.#outage.answered ??= performance.now();
    const { began, failed, failures, answered } = this.#outage;
    if (requestedAt < failed + stableMs) return;
    this.#outage = null;
    this.#events.onEnd({ failures, seconds: Math.round((answered - began) / 100) / 10 });
  }
}

/** Returns the message of the innermost cause, or its code: an `AggregateError` of several addresses has no message. */
function reasonOf(error: Error): string {
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return error.message || String((error as { code?: string }).code);
}
