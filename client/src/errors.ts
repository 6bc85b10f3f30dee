import type { ErrorCode, Fault, Tuple } from './api.gen.ts';

export type WebhookFault = 'missing' | 'expired' | 'wrong';

/** Every `code` that an error of this package can have. */
export type FailureCode = ErrorCode | 'CONNECTION_FAILED' | 'TIMED_OUT' | 'UNEXPECTED_ANSWER' | WebhookFault;

/** What is known of the call that failed. */
export interface Origin {
  /** Of a call that was sent with a key. */
  readonly idempotencyKey?: string | undefined;
  readonly requestId?: string | null | undefined;
  readonly cause?: unknown;
}

/**
 * What all errors of this package are. No message holds a secret or a part of a body. The reason of your own
 * `AbortSignal` is never wrapped: it is thrown as it is.
 *
 * @example
 * ```ts
 * try {
 *   await anagrafe.register(1, users);
 * } catch (error) {
 *   if (!(error instanceof AnagrafeError)) throw error;
 *   switch (error.code) {
 *     case 'USERNAME_TAKEN': return askForAnother();
 *     case 'CONNECTION_FAILED': return tryLater(error.idempotencyKey);
 *     default: throw error;
 *   }
 * }
 * ```
 */
export abstract class AnagrafeError extends Error {
  abstract readonly code: FailureCode;
  /** The key of the call, where it had one: the same call with this key carries on and does nothing twice. */
  readonly idempotencyKey: string | null;
  /** What the service calls the call, in its answer and its log; null where no answer came. */
  readonly requestId: string | null;

  constructor(name: string, message: string, { idempotencyKey, requestId, cause }: Origin = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = name;
    this.idempotencyKey = idempotencyKey ?? null;
    this.requestId = requestId ?? null;
  }
}

/** The service refused the call as a whole. */
export class ApiError extends AnagrafeError {
  readonly code: ErrorCode;
  /** The HTTP status. */
  readonly status: number;
  /** In how many seconds to come back, where the service says so. */
  readonly retryAfter: number | null;

  constructor(
    refusal: { code: ErrorCode; status: number; message: string; retryAfter: number | null },
    origin: Origin,
  ) {
    super('ApiError', refusal.message, origin);
    this.code = refusal.code;
    this.status = refusal.status;
    this.retryAfter = refusal.retryAfter;
  }
}

/** The one record of a `register`, `reset` or `changePassword` was not applied. */
export class RecordError extends AnagrafeError {
  /** `Item2` of the tuple. */
  readonly code: ErrorCode;
  /** Every fault by its place: `{ 'Users[0].Password': [{ code: 'PASSWORD_TOO_SHORT', message: '…' }] }`. */
  readonly faults: Readonly<Record<string, readonly Fault[]>>;

  constructor(tuple: Tuple, origin: Origin) {
    super('RecordError', tuple.Item4 ?? 'The record was not applied.', origin);
    this.code = tuple.Item2 ?? 'RECORD_FAILED';
    this.faults = tuple.Item5;
  }
}

/** No answer came, or it broke off. What was sent may have been done. */
export class ConnectionError extends AnagrafeError {
  readonly code = 'CONNECTION_FAILED';

  constructor(origin: Origin) {
    super('ConnectionError', 'The service could not be reached, or the connection broke.', origin);
  }
}

/** No answer came in time. What was sent may have been done. */
export class TimeoutError extends AnagrafeError {
  readonly code = 'TIMED_OUT';

  constructor(milliseconds: number, origin: Origin) {
    super('TimeoutError', `No answer came within ${milliseconds} milliseconds.`, origin);
  }
}

/** What answered is not the service, or not in the way that was asked for: the page of a proxy, a redirect. */
export class UnexpectedAnswerError extends AnagrafeError {
  readonly code = 'UNEXPECTED_ANSWER';
  /** The HTTP status; 0 where a browser hides a redirect. */
  readonly status: number;
  /** In how many seconds to come back, where it says so. */
  readonly retryAfter: number | null;

  constructor(answer: { status: number; message: string; retryAfter?: number | null }, origin: Origin) {
    super('UnexpectedAnswerError', answer.message, origin);
    this.status = answer.status;
    this.retryAfter = answer.retryAfter ?? null;
  }
}

/** A message of a webhook that is not to be believed. */
export class WebhookError extends AnagrafeError {
  /** `missing`: a header is not there. `expired`: it is too old, or from the future. `wrong`: the signature is not ours. */
  readonly code: WebhookFault;

  constructor(code: WebhookFault, message: string) {
    super('WebhookError', message);
    this.code = code;
  }
}
