import type { ErrorDetail, Sentences } from '../lib/error-codes.ts';
import type { DeliveryFailure, DisabledReason, NetworkFailureCode } from '../lib/webhook-failures.ts';
import { english } from './en.ts';
import { italian } from './it.ts';

export const languages = { en: english, it: italian } satisfies Record<string, Sentences>;
export type Language = keyof typeof languages;

/** Returns the sentence of a code in a language, with its figures inserted; a missing figure becomes an empty text. */
export function translate(error: ErrorDetail, language: Language): string {
  const sentence = languages[language][error.code];
  const text = typeof sentence === 'string' ? sentence : (sentence[error.variant ?? ''] ?? '');
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(error.figures?.[name] ?? ''));
}

interface FailureTexts
  extends Readonly<
    Record<Exclude<DisabledReason['code'], NetworkFailureCode | 'http_status' | 'timeout'>, string>
  > {
  readonly redirect: string;
  httpStatus(status: number): string;
  timeout(seconds: number): string;
}

const englishFailures: FailureTexts = {
  manual: 'manually',
  client_revoked: 'the client was revoked',
  client_lost_admin: 'the client no longer has the scope admin',
  redirect: 'the receiver returned a redirect, which is not followed',
  httpStatus: (status) => `the receiver returned an error (${status})`,
  timeout: (seconds) => `no response within ${seconds} seconds`,
  internal_address: 'the address is internal and not in ANAGRAFE_WEBHOOK_NETWORKS',
  plain_http: 'https is required outside ANAGRAFE_WEBHOOK_NETWORKS',
  event_expired: 'the event has been deleted after its retention period',
};

const italianFailures: FailureTexts = {
  manual: 'manualmente',
  client_revoked: 'il client è stato revocato',
  client_lost_admin: 'il client non ha più il permesso admin',
  redirect: 'il destinatario ha risposto con un reindirizzamento, che non viene seguito',
  httpStatus: (status) => `il destinatario ha restituito un errore (${status})`,
  timeout: (seconds) => `nessuna risposta entro ${seconds} secondi`,
  internal_address: "l'indirizzo è interno e non è in ANAGRAFE_WEBHOOK_NETWORKS",
  plain_http: 'serve https fuori dalle reti di ANAGRAFE_WEBHOOK_NETWORKS',
  event_expired: "l'evento è stato eliminato al termine della conservazione",
};

const failureTexts: Readonly<Record<Language, FailureTexts>> = { en: englishFailures, it: italianFailures };

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
