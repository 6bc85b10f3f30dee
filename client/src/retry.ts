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
 * - `with-key`: retried, because the `Idempotency-Key` prevents a second application.
 * - `always`: retried, because the operation is idempotent.
 * - `not-started`: retried only if the service reports that it did not start the call.
 * - `never`: not retried.
 */
export type RetryPolicy = 'with-key' | 'always' | 'not-started' | 'never';

/** The retry policy of each operation. A single call may override it. */
export const retryPolicies: Readonly<Record<keyof Operations, RetryPolicy>> = {
  update: 'with-key',
  insert: 'with-key',
  state: 'with-key',
  upsert: 'with-key',
  delete: 'with-key',
  merge: 'with-key',
  invite: 'with-key',
  undoRun: 'with-key',
  list: 'always',
  users: 'always',
  // Until the answer begins.
  exportRecords: 'always',
  // Until the answer begins: codes that no one has received are replaced.
  issueInvitations: 'always',
  jobs: 'always',
  job: 'always',
  failedRecords: 'always',
  events: 'always',
  clients: 'always',
  operators: 'always',
  operatorSessions: 'always',
  ownOperatorSessions: 'always',
  completedCalls: 'always',
  completedCall: 'always',
  failedRecordsOfCall: 'always',
  failures: 'always',
  allJobs: 'always',
  audit: 'always',
  auditChanges: 'always',
  runs: 'always',
  run: 'always',
  verifyAudit: 'always',
  webhooks: 'always',
  mails: 'always',
  deliveries: 'always',
  delivery: 'always',
  statistics: 'always',
  settings: 'always',
  healthReport: 'always',
  userSessions: 'always',
  sessions: 'always',
  checkPassword: 'always',
  consoleSession: 'always',
  // The service does not change a job that was cancelled or has ended.
  cancelJob: 'always',
  // A second call finds no session to end.
  endUserSessions: 'always',
  endOperatorSessions: 'always',
  endOtherOperatorSessions: 'always',
  // A second change sets the same password.
  changeOperatorPassword: 'always',
  // All set fields to absolute values.
  changeClient: 'always',
  changeWebhook: 'always',
  changeOperator: 'always',
  // The secret of a lost answer is replaced.
  beginSecondFactor: 'always',
  // A second sign-out has no effect.
  signOutAtConsole: 'always',
  // If the answer to the first attempt is lost, a retry creates a second client or webhook, or finds the operator's email taken.
  createClient: 'not-started',
  createWebhook: 'not-started',
  createOperator: 'not-started',
  // The code of a lost answer would be replaced, but the sessions that began since would end, too.
  resetOperator: 'not-started',
  // A second rotation revokes the secret that was in use before the first.
  rotateClient: 'not-started',
  rotateWebhook: 'not-started',
  // If the first attempt succeeded, a retry fails, for example with WEBHOOK_NOT_FOUND.
  revokeClient: 'not-started',
  deleteWebhook: 'not-started',
  logout: 'not-started',
  // A code can be used once.
  setPassword: 'not-started',
  setOperatorPassword: 'not-started',
  enrolSecondFactor: 'not-started',
  endOperatorSession: 'not-started',
  endOwnOperatorSession: 'not-started',
  endUserSession: 'not-started',
  endSession: 'not-started',
  // The first attempt ends the session of the retry, too.
  endSessions: 'not-started',
  // A retry sends messages again that the first attempt has already delivered.
  resendMails: 'not-started',
  replayFailed: 'not-started',
  replay: 'not-started',
  testWebhook: 'not-started',
  // The service accepts a refresh token once more within 60 s only; after that it treats it as stolen and ends the session.
  refresh: 'not-started',
  // A person waits for the answer, and every attempt counts for the login throttle.
  login: 'never',
  forgotPassword: 'never',
  forgotOperatorPassword: 'never',
  signInAtConsole: 'never',
  signInOperator: 'never',
  confirmOperator: 'never',
};

const transientStatuses: readonly number[] = [408, 429, 502, 503, 504];

/** Returns true if a call that failed with this error may be sent again unchanged. */
export function mayRetry(policy: RetryPolicy, failure: AnagrafeError): boolean {
  if (policy === 'never') return false;
  if (failure instanceof ApiError) {
    if (/^(RATE_LIMITED|OVERLOADED|REQUEST_TIMEOUT)$/.test(failure.code)) return true;
    if (policy === 'not-started') return false;
    if (transientStatuses.includes(failure.status)) return true;
    return policy === 'with-key' && /^(IDEMPOTENCY_IN_PROGRESS|INTERNAL|OUTCOME_UNKNOWN)$/.test(failure.code);
  }
  if (policy === 'not-started') return false;
  if (failure instanceof UnexpectedAnswerError) return transientStatuses.includes(failure.status);
  return failure instanceof ConnectionError || failure instanceof TimeoutError;
}

/** Returns true if a retry with the same key can apply more records: one was not applied, or its outcome is unknown. */
export function hasUnfinished(tuples: readonly Tuple[]): boolean {
  return tuples.some(({ Item2 }) => Item2 === 'NOT_APPLIED' || Item2 === 'OUTCOME_UNKNOWN');
}

const initialBackoffMs = 500;
const maxBackoffMs = 30_000;

/**
 * Returns the backoff in milliseconds after `attempts` attempts (from 1): exponential backoff with full jitter, added
 * to `retryAfter` (seconds). The jitter prevents clients that failed together from retrying together.
 */
export function backoffAfter(attempts: number, retryAfter: number | null): number {
  const bound = Math.min(maxBackoffMs, initialBackoffMs * 2 ** (attempts - 1));
  return (retryAfter ?? 0) * 1000 + Math.random() * bound;
}

/** Maximum delay of `setTimeout`: a signed 32-bit integer. A larger delay would fire at once. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Runs `work` with a timeout. Rejects with the reason of `signal` if that is aborted, or with the error that `expired`
 * returns after `milliseconds`.
 */
export async function withTimeout<Result>(
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
export function delay(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
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
