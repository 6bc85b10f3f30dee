import type { Delivery } from '@anagrafe/client';
import type { Cause } from '../../i18n/en.ts';
import { useFailureCauseMessages } from '../../i18n/messages.ts';

const statusCauses: readonly (readonly [RegExp, Cause])[] = [
  [/^3/, 'moved'],
  [/^40[13]$/, 'unauthorized'],
  [/^40[45]$/, 'notFound'],
  [/^410$/, 'gone'],
  [/^429$/, 'tooMany'],
  [/^4/, 'rejected'],
  [/^5/, 'broken'],
];

/** The service reports a failure as an error code of Node.js, or as an English message of its own. */
const failureCauses: readonly (readonly [RegExp, Cause])[] = [
  [/^no answer within|^ETIMEDOUT$/, 'slow'],
  [/^the address is internal/, 'internal'],
  [/^plain http/, 'plainHttp'],
  [/^ECONNREFUSED$/, 'closed'],
  [/^(ECONNRESET|EPIPE)$/, 'cut'],
  [/^(ENOTFOUND|EAI_AGAIN)$|no address$/, 'unknownName'],
  [/^E(HOST|NET)UNREACH$/, 'unreachable'],
  [/CERT|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO/, 'insecure'],
  [/^HPE_/, 'strange'],
];

/** Returns the cause of a failed attempt; null if the attempt succeeded or there was none. */
export function causeOf({ Status, Failure }: Pick<Delivery, 'Status' | 'Failure'>): Cause | null {
  if (Failure?.endsWith('no longer kept')) return 'forgotten';
  if (Status !== null && Status >= 200 && Status < 300) return null;
  if (Status !== null) return find(statusCauses, String(Status));
  return Failure === null ? null : find(failureCauses, Failure);
}

function find(patterns: readonly (readonly [RegExp, Cause])[], text: string): Cause {
  return patterns.find(([pattern]) => pattern.test(text))?.[1] ?? 'other';
}

const statusPattern = /^the receiver answered (\d+)$/;

/** Translates the reason why a webhook was disabled, which the service stores in English or as an error code. */
export function useDisabledReason(): (reason: string) => string {
  const { causes, byHand, clientRevoked, clientLostAdmin, answered, unknown } = useFailureCauseMessages();
  return (reason) => {
    if (reason === 'by hand') return byHand;
    if (reason === 'its client was revoked') return clientRevoked;
    if (reason === 'its client lost the scope admin') return clientLostAdmin;
    const [, status] = statusPattern.exec(reason) ?? [];
    if (status) return answered(status);
    const cause = causeOf({ Status: null, Failure: reason });
    return cause === null || cause === 'other' ? unknown(reason) : causes[cause].what;
  };
}
