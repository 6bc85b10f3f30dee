import type { ErrorDetail, Sentences } from '../lib/error-codes.ts';
import type { DeliveryFailure, DisabledReason, NetworkFailureCode } from '../lib/webhook-failures.ts';
import { english } from './en.ts';
import { italian } from './it.ts';

export const languages = { en: english, it: italian } satisfies Record<string, Sentences>;
export type Language = keyof typeof languages;

/** Returns the sentence of a code in a language, with its figures inserted; a missing figure becomes an empty text. */
export function translate(fault: ErrorDetail, language: Language): string {
  const sentence = languages[language][fault.code];
  const text = typeof sentence === 'string' ? sentence : (sentence[fault.variant ?? ''] ?? '');
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(fault.figures?.[name] ?? ''));
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
  manual: 'by hand',
  client_revoked: 'its client was revoked',
  client_lost_admin: 'its client lost the scope admin',
  redirect: 'the receiver answered with a redirect',
  httpStatus: (status) => `the receiver answered ${status}`,
  timeout: (seconds) => `no answer within ${seconds} seconds`,
  internal_address: 'the address is internal, and ANAGRAFE_WEBHOOK_NETWORKS does not name it',
  plain_http: 'plain http is for the networks in ANAGRAFE_WEBHOOK_NETWORKS',
  event_expired: 'what it tells of is no longer kept',
};

const italianFailures: FailureTexts = {
  manual: 'a mano',
  client_revoked: 'il suo client è stato revocato',
  client_lost_admin: "il suo client ha perso l'ambito admin",
  redirect: 'il destinatario ha risposto con un reindirizzamento',
  httpStatus: (status) => `il destinatario ha risposto ${status}`,
  timeout: (seconds) => `nessuna risposta entro ${seconds} secondi`,
  internal_address: "l'indirizzo è interno e ANAGRAFE_WEBHOOK_NETWORKS non lo indica",
  plain_http: 'http senza cifratura è solo per le reti indicate in ANAGRAFE_WEBHOOK_NETWORKS',
  event_expired: "l'evento non è più conservato",
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
