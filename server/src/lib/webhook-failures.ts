import { englishFailures, italianFailures } from '../i18n/webhook-failures.ts';
import type { Language } from './translate.ts';

/** Codes of requests that failed without a response, from the error that Node.js reports. */
const networkFailureCodes = [
  'connection_refused',
  'connection_reset',
  'connection_timeout',
  'name_not_resolved',
  'unreachable',
  'tls_error',
  'invalid_response',
  'network_error',
] as const;
export type NetworkFailureCode = (typeof networkFailureCodes)[number];

/** Codes of failed deliveries. The table `deliveries` has a check constraint with the same list. */
export const failureCodes = [
  'http_status',
  'timeout',
  ...networkFailureCodes,
  'internal_address',
  'plain_http',
  'event_expired',
] as const;

/** The reason why the last attempt of a delivery failed, with the values that its description contains. */
export type DeliveryFailure =
  /** The status of the response is not 2xx. */
  | { readonly code: 'http_status'; readonly status: number }
  /** The response did not arrive within the time limit of a request. */
  | { readonly code: 'timeout'; readonly timeoutMs: number }
  /** `networkError` is the error code of Node.js, such as `ECONNREFUSED`, or the message of an error without a code. */
  | { readonly code: NetworkFailureCode; readonly networkError: string }
  /** Nothing was sent: the address is not permitted, or retention has removed the event. */
  | { readonly code: 'internal_address' | 'plain_http' | 'event_expired' };

/** Codes of disabled webhooks. The table `webhooks` has a check constraint with the same list. */
export const disabledReasonCodes = [
  'manual',
  'client_revoked',
  'client_lost_admin',
  ...failureCodes,
] as const;

/** The reason why a webhook was disabled: a change of the webhook or of its client, or a delivery without attempts left. */
export type DisabledReason =
  | DeliveryFailure
  | { readonly code: 'manual' | 'client_revoked' | 'client_lost_admin' };

/** The values of a failure or reason apart from its code; null if its code has no such value. */
export interface FailureDetails {
  readonly status: number | null;
  readonly networkError: string | null;
  readonly timeoutMs: number | null;
}

export function detailsOf(reason: DisabledReason): FailureDetails {
  return {
    status: 'status' in reason ? reason.status : null,
    networkError: 'networkError' in reason ? reason.networkError : null,
    timeoutMs: 'timeoutMs' in reason ? reason.timeoutMs : null,
  };
}

const failureTexts = { en: englishFailures, it: italianFailures };

/** Describes why a webhook was disabled. A network error is described by its code, which has no translation. */
export function describeReason(reason: DisabledReason, language: Language): string {
  if ('status' in reason) return failureTexts[language].httpStatus(reason.status);
  if ('timeoutMs' in reason) return failureTexts[language].timeout(reason.timeoutMs / 1000);
  if ('networkError' in reason) return reason.networkError;
  return failureTexts[language][reason.code];
}

/** Describes why a delivery failed; null if the HTTP status of the response, which is shown beside it, says so. */
export function describeFailure(failure: DeliveryFailure, language: Language): string | null {
  if (!('status' in failure)) return describeReason(failure, language);
  const isRedirect = failure.status >= 300 && failure.status < 400;
  return isRedirect ? failureTexts[language].redirect : null;
}
