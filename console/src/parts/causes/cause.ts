import type { Delivery } from '@anagrafe/client';

/** What keeps a receiver from taking a message, as far as there is something to be done about it. */
export type Cause =
  | 'moved'
  | 'unauthorized'
  | 'notFound'
  | 'gone'
  | 'tooMany'
  | 'rejected'
  | 'broken'
  | 'slow'
  | 'internal'
  | 'plainHttp'
  | 'closed'
  | 'cut'
  | 'unknownName'
  | 'unreachable'
  | 'insecure'
  | 'strange'
  | 'forgotten'
  | 'other';

const statuses: readonly (readonly [RegExp, Cause])[] = [
  [/^3/, 'moved'],
  [/^40[13]$/, 'unauthorized'],
  [/^40[45]$/, 'notFound'],
  [/^410$/, 'gone'],
  [/^429$/, 'tooMany'],
  [/^4/, 'rejected'],
  [/^5/, 'broken'],
];

/** The service gives the code of the machine, or a sentence of its own. */
const failures: readonly (readonly [RegExp, Cause])[] = [
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

/** Why the last attempt was not taken; null where it was, or there was none. */
export function causeOf({ Status, Failure }: Pick<Delivery, 'Status' | 'Failure'>): Cause | null {
  if (Failure?.endsWith('no longer kept')) return 'forgotten';
  if (Status !== null && Status >= 200 && Status < 300) return null;
  if (Status !== null) return find(statuses, String(Status));
  return Failure === null ? null : find(failures, Failure);
}

function find(known: readonly (readonly [RegExp, Cause])[], text: string): Cause {
  return known.find(([pattern]) => pattern.test(text))?.[1] ?? 'other';
}
