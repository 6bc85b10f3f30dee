import type { Code } from '../lib/error-codes.ts';

/** The only mapping of codes to HTTP status. A code that is missing here never determines the status; it may still be the `errorCode` of a call whose records all failed with it. */
const statuses: Partial<Record<Code, number>> = {
  PARTIALLY_APPLIED: 207,
  INVALID_JSON: 400,
  INVALID_BODY: 400,
  INVALID_PARAMETER: 400,
  INVALID_REQUEST: 400,
  REQUEST_TIMEOUT: 408,
  HEADERS_TOO_LARGE: 431,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  JOB_NOT_FOUND: 404,
  JOB_NOT_ENDED: 409,
  CODE_INVALID: 422,
  PASSWORD_REFUSED: 422,
  NO_MAIL_SERVER: 422,
  AUDIT_ROW_NOT_FOUND: 404,
  RUN_NOT_FOUND: 404,
  RUN_NOT_ENDED: 409,
  RUN_TOO_OLD: 422,
  NOTHING_TO_UNDO: 422,
  CALL_NOT_FOUND: 404,
  WEBHOOK_NOT_FOUND: 404,
  SESSION_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  PLAN_OUTDATED: 412,
  BODY_TOO_LARGE: 413,
  BATCH_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_IN_PROGRESS: 409,
  NOTHING_APPLIED: 422,
  IDEMPOTENCY_KEY_REUSED: 422,
  TOO_MANY_REMOVALS: 422,
  INVALID_CLIENT: 422,
  CLIENT_ADDRESS_TAKEN: 422,
  CLIENT_NOT_FOUND: 422,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  OUTCOME_UNKNOWN: 500,
  OVERLOADED: 503,
  UNAVAILABLE: 503,
};

export const callCodes = Object.keys(statuses) as Code[];

export function statusOf(code: Code): number {
  return statuses[code] ?? 500;
}
