import type { Operations, Tuple } from './api.gen.ts';
import {
  type AnagrafeError,
  ApiError,
  ConnectionError,
  TimeoutError,
  UnexpectedAnswerError,
} from './errors.ts';

/**
 * When a call is sent again.
 * `keyed`: whatever happened, since its key keeps it from being done twice.
 * `safe`: whatever happened, since to do it twice is to do it once.
 * `refused`: only where the service said that it has not begun. `never`: not at all.
 */
export type Repetition = 'keyed' | 'safe' | 'refused' | 'never';

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
  // A job that is cancelled, or has ended, stays as it is.
  cancelJob: 'safe',
  // Each sets what it names to what it says.
  changeClient: 'safe',
  changeWebhook: 'safe',
  // Whoever is signed out stays so.
  signOutAtConsole: 'safe',
  // Each makes something anew, and what was made by an attempt without an answer would stay, unseen.
  createClient: 'refused',
  createWebhook: 'refused',
  // A second rotation ends the secret that is in use.
  rotateClient: 'refused',
  rotateWebhook: 'refused',
  // Done twice, these are answered as if they had never been possible.
  revokeClient: 'refused',
  deleteWebhook: 'refused',
  logout: 'refused',
  // A message that has been delivered meanwhile would be sent once more.
  replayFailed: 'refused',
  replay: 'refused',
  testWebhook: 'refused',
  // A refresh token that is sent twice ends the session.
  refresh: 'refused',
  // A person waits, and too many guesses are slowed.
  login: 'never',
  signInAtConsole: 'never',
};

const passing: readonly number[] = [408, 429, 502, 503, 504];

/** Whether a call that failed like this may be sent again as it is. */
export function isWorthRepeating(repetition: Repetition, failure: AnagrafeError): boolean {
  if (repetition === 'never') return false;
  if (failure instanceof ApiError) {
    if (/^(RATE_LIMITED|OVERLOADED|REQUEST_TIMEOUT)$/.test(failure.code)) return true;
    if (repetition === 'refused') return false;
    if (passing.includes(failure.status)) return true;
    return (
      repetition === 'keyed' && /^(IDEMPOTENCY_IN_PROGRESS|INTERNAL|OUTCOME_UNKNOWN)$/.test(failure.code)
    );
  }
  if (repetition === 'refused') return false;
  if (failure instanceof UnexpectedAnswerError) return passing.includes(failure.status);
  return failure instanceof ConnectionError || failure instanceof TimeoutError;
}

/** Whether the same call with its key would do more than was done: a record was not tried, or nobody knows. */
export function isUnfinished(tuples: readonly Tuple[]): boolean {
  return tuples.some(({ Item2 }) => Item2 === 'NOT_APPLIED' || Item2 === 'OUTCOME_UNKNOWN');
}

const firstMs = 500;
const mostMs = 30_000;

/**
 * How long to wait after so many attempts: any time up to a bound that doubles, so that callers who failed together do
 * not come back together; on top of what the service asks for.
 */
export function waitBefore(attempts: number, retryAfter: number | null): number {
  const bound = Math.min(mostMs, firstMs * 2 ** (attempts - 1));
  return (retryAfter ?? 0) * 1000 + Math.random() * bound;
}
