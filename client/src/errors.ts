import type { ErrorCode, FieldError, Tuple } from './api.gen.ts';

/** Codes of {@link WebhookError}. */
export type WebhookErrorCode = 'MISSING_HEADER' | 'EXPIRED' | 'INVALID_SIGNATURE' | 'INVALID_SECRET';

/** Every `code` that an error of this package can have. */
export type AnagrafeErrorCode =
  | ErrorCode
  | 'CONNECTION_FAILED'
  | 'TIMED_OUT'
  | 'UNEXPECTED_ANSWER'
  | WebhookErrorCode;

/** The call that failed, and the cause of the error. */
export interface Origin {
  /** The `Idempotency-Key` of the call; undefined if it was sent without one. */
  readonly idempotencyKey?: string | undefined;
  readonly requestId?: string | null | undefined;
  readonly cause?: unknown;
}

/**
 * Base class of all errors of this package. No message contains a secret or a part of a body. If your own `AbortSignal`
 * aborts a call, the client throws the reason of the signal unchanged, not an `AnagrafeError`.
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
  abstract readonly code: AnagrafeErrorCode;
  /**
   * The `Idempotency-Key` of the call; null if it had none. The same call with this key resumes the earlier one: the
   * service applies no record twice.
   */
  readonly idempotencyKey: string | null;
  /** The request ID in the `X-Request-Id` header and in the log of the service; null if the service did not answer. */
  readonly requestId: string | null;

  constructor(name: string, message: string, { idempotencyKey, requestId, cause }: Origin = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = name;
    this.idempotencyKey = idempotencyKey ?? null;
    this.requestId = requestId ?? null;
  }
}

/** The service rejected the call as a whole. */
export class ApiError extends AnagrafeError {
  readonly code: ErrorCode;
  /** The HTTP status. */
  readonly status: number;
  /** Seconds to wait before a retry, from the `Retry-After` header; null if the service does not specify it. */
  readonly retryAfter: number | null;

  constructor(
    answer: { code: ErrorCode; status: number; message: string; retryAfter: number | null },
    origin: Origin,
  ) {
    super('ApiError', answer.message, origin);
    this.code = answer.code;
    this.status = answer.status;
    this.retryAfter = answer.retryAfter;
  }
}

/** The service did not apply the one record of a call such as `register`, `edit`, `changePassword` or `passwords.set`. */
export class RecordError extends AnagrafeError {
  /** `Item2` of the tuple; `RECORD_FAILED` if that is null. */
  readonly code: ErrorCode;
  /** Field errors by field path: `{ 'Users[0].Password': [{ code: 'PASSWORD_TOO_SHORT', message: '…' }] }`. */
  readonly fieldErrors: Readonly<Record<string, readonly FieldError[]>>;

  constructor(tuple: Pick<Tuple, 'Item2' | 'Item4' | 'Item5'>, origin: Origin) {
    super('RecordError', tuple.Item4 ?? 'The record was not applied.', origin);
    this.code = tuple.Item2 ?? 'RECORD_FAILED';
    this.fieldErrors = tuple.Item5;
  }
}

/** The connection failed before a complete answer arrived. The service may have processed the call. */
export class ConnectionError extends AnagrafeError {
  readonly code = 'CONNECTION_FAILED';

  constructor(origin: Origin) {
    super('ConnectionError', 'The service could not be reached, or the connection broke.', origin);
  }
}

/** No answer arrived within the timeout. The service may have processed the call. */
export class TimeoutError extends AnagrafeError {
  readonly code = 'TIMED_OUT';

  constructor(milliseconds: number, origin: Origin) {
    super('TimeoutError', `No answer came within ${milliseconds} milliseconds.`, origin);
  }
}

/** The answer has no valid envelope, as the error page of a proxy or a redirect, or it is not of the requested kind. */
export class UnexpectedAnswerError extends AnagrafeError {
  readonly code = 'UNEXPECTED_ANSWER';
  /** The HTTP status; 0 for a redirect in a browser, which hides the status of redirects. */
  readonly status: number;
  /** Seconds to wait before a retry, from the `Retry-After` header; null without a readable header. */
  readonly retryAfter: number | null;

  constructor(answer: { status: number; message: string; retryAfter?: number | null }, origin: Origin) {
    super('UnexpectedAnswerError', answer.message, origin);
    this.status = answer.status;
    this.retryAfter = answer.retryAfter ?? null;
  }
}

/** `verifyWebhook` could not authenticate a message. Do not process it. */
export class WebhookError extends AnagrafeError {
  /**
   * - `MISSING_HEADER`: a header is missing.
   * - `EXPIRED`: the timestamp differs from the local clock by more than 300 seconds.
   * - `INVALID_SIGNATURE`: no signature matches the secret.
   * - `INVALID_SECRET`: the secret passed to `verifyWebhook` is not base64. The message itself may be genuine.
   */
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string) {
    super('WebhookError', message);
    this.code = code;
  }
}
