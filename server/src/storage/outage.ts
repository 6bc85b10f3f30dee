import { markOutage } from '../core/faults.ts';
import { isConnectionFailure, isTimeout } from './failures.ts';

export interface OutageSummary {
  /** Connections and statements that failed. */
  readonly failures: number;
  /** From the first failure to the first answer after the last one. */
  readonly seconds: number;
}

export interface OutageEvents {
  onBegin(reason: string): void;
  onEnd(summary: OutageSummary): void;
}

/** An outage ends when the database has answered for so long without a failure. */
const stableMs = 1000;

/** Counts what fails while the database is away, so that the log has two lines for an outage, however much fails. */
export class OutageMonitor {
  readonly #events: OutageEvents;
  /** A database that has never answered is not away: the start of the service fails. */
  #answered = false;
  #outage: { began: number; failed: number; failures: number; answered: number | null } | null = null;

  constructor(events: OutageEvents) {
    this.#events = events;
  }

  /** Takes the failure of a connection or a statement. False where it is not part of an outage. */
  failed(error: Error): boolean {
    // A busy pool or a slow statement is no outage; during one it is a consequence.
    const counts = isConnectionFailure(error) || (this.#outage !== null && isTimeout(error));
    if (!counts || !this.#answered) return false;
    markOutage(error);
    const now = performance.now();
    if (this.#outage === null) this.#events.onBegin(reasonOf(error));
    const { began, failures } = this.#outage ?? { began: now, failures: 0 };
    this.#outage = { began, failed: now, failures: failures + 1, answered: null };
    return true;
  }

  /** Takes the success of work on a connection that was asked for at a time of `performance.now()`. */
  answered(askedAt: number): void {
    this.#answered = true;
    // Work that began before the latest failure may have been answered before it.
    if (this.#outage === null || askedAt < this.#outage.failed) return;
    this.#outage.answered ??= performance.now();
    const { began, failed, failures, answered } = this.#outage;
    if (askedAt < failed + stableMs) return;
    this.#outage = null;
    this.#events.onEnd({ failures, seconds: Math.round((answered - began) / 100) / 10 });
  }
}

/** The message of the innermost cause; several addresses that all refuse give a code alone. */
function reasonOf(error: Error): string {
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return error.message || String((error as { code?: string }).code);
}
