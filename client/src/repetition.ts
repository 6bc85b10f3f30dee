import type { Operations, Tuple } from './api.gen.ts';
import {
  type AnagrafeError,
  ApiError,
  ConnectionError,
  TimeoutError,
  UnexpectedAnswerError,
} from './errors.ts';

/**
 * Retry policy of an operation after a transient error.
 * - `keyed`: retried, because the `Idempotency-Key` prevents a second application.
 * - `safe`: retried, because the operation is idempotent.
 * - `refused`: retried only if the service reports that it did not start the call.
 * - `never`: not retried.
 */
export type Repetition = 'keyed' | 'safe' | 'refused' | 'never';

/** The retry policy of each operation. A single call may override it. */
export const repetitions: Readonly<Record<keyof Operations, Repetition>> = {
  update: 'keyed',
  insert: 'keyed',
  state: 'keyed',
  list: 'safe',
  users: 'safe',
  jobs: 'safe',
  job: 'safe',
  failedRecords: 'safe',
  events: 'safe',
  clients: 'safe',
  completedCalls: 'safe',
  completedCall: 'safe',
  failedRecordsOfCall: 'safe',
  failures: 'safe',
  allJobs: 'safe',
  audit: 'safe',
  verifyAudit: 'safe',
  webhooks: 'safe',
  deliveries: 'safe',
  delivery: 'safe',
  statistics: 'safe',
  consoleSession: 'safe',
  // The service does not change a job that was cancelled or has ended.
  cancelJob: 'safe',
  // Both set fields to absolute values.
  changeClient: 'safe',
  changeWebhook: 'safe',
  // A second sign-out has no effect.
  signOutAtConsole: 'safe',
  // If the answer to the first attempt is lost, a retry creates a second client or webhook.
  createClient: 'refused',
  createWebhook: 'refused',
  // A second rotation revokes the secret that was in use before the first.
  rotateClient: 'refused',
  rotateWebhook: 'refused',
  // If the first attempt succeeded, a retry fails, for example with WEBHOOK_NOT_FOUND.
  revokeClient: 'refused',
  deleteWebhook: 'refused',
  logout: 'refused',
  // A retry sends messages again that the first attempt has already delivered.
  replayFailed: 'refused',
  replay: 'refused',
  testWebhook: 'refused',
  // The service treats a refresh token that is used twice as stolen and ends the session.
  refresh: 'refused',
  // A person waits for the answer, and every attempt counts for the login throttle.
  login: 'never',
  signInAtConsole: 'never',
};

/** HTTP statuses of transient errors. */
const transientStatuses: readonly number[] = [408, 429, 502, 503, 504];

/** Returns true if a call that failed with this error may be sent again unchanged. */
export function isWorthRepeating(repetition: Repetition, failure: AnagrafeError): boolean {
  if (repetition === 'never') return false;
  if (failure instanceof ApiError) {
    if (/^(RATE_LIMITED|OVERLOADED|REQUEST_TIMEOUT)$/.test(failure.code)) return true;
    if (repetition === 'refused') return false;
    if (transientStatuses.includes(failure.status)) return true;
    return (
      repetition === 'keyed' && /^(IDEMPOTENCY_IN_PROGRESS|INTERNAL|OUTCOME_UNKNOWN)$/.test(failure.code)
    );
  }
  if (repetition === 'refused') return false;
  if (failure instanceof UnexpectedAnswerError) return transientStatuses.includes(failure.status);
  return failure instanceof ConnectionError || failure instanceof TimeoutError;
}

/** Returns true if a retry with the same key can apply more records: one was not applied, or its outcome is unknown. */
export function isUnfinished(tuples: readonly Tuple[]): boolean {
  return tuples.some(({ Item2 }) => Item2 === 'NOT_APPLIED' || Item2 === 'OUTCOME_UNKNOWN');
}

const initialBackoffMs = 500;
const maxBackoffMs = 30_000;

/**
 * Returns the backoff in milliseconds after `attempts` attempts (from 1): exponential backoff with full jitter, added
 * to `retryAfter` (seconds). The jitter prevents clients that failed together from retrying together.
 */
export function waitBefore(attempts: number, retryAfter: number | null): number {
  const bound = Math.min(maxBackoffMs, initialBackoffMs * 2 ** (attempts - 1));
  return (retryAfter ?? 0) * 1000 + Math.random() * bound;
}
