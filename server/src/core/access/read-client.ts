import { isAbsent } from '../fields/fields.ts';
import { readParameters, wrongParameter } from '../fields/parameters.ts';
import { graceEnd, type NewClient, type Scope, scopes, usualGraceHours, usualScopes } from './clients.ts';

const nameMax = 255;
const networksMax = 100;
const graceHoursMax = 9999;

/** What a caller wants of a new client; `isNetwork` knows what an address is. */
export function readClientWish(
  body: unknown,
  isNetwork: (text: string) => boolean,
): Omit<NewClient, 'publicKey'> {
  const fields = readParameters(body, ['Name', 'Scopes', 'Networks', 'KnownByAddress']);
  const { Name: name, KnownByAddress: knownByAddress = null } = fields;
  if (typeof name !== 'string' || name === '' || name.length > nameMax)
    throw wrongParameter('Name', 'text', { max: nameMax });
  if (knownByAddress !== null && typeof knownByAddress !== 'boolean')
    throw wrongParameter('KnownByAddress', 'flag');
  return {
    name,
    scopes: readScopes(fields.Scopes),
    networks: readNetworks(fields.Networks, isNetwork),
    knownByAddress: knownByAddress ?? false,
  };
}

/** Up to when an old secret is to go on. */
export function readGraceEnd(body: unknown): Date {
  const hours = readParameters(isAbsent(body) ? {} : body, ['Hours']).Hours ?? usualGraceHours;
  if (Number.isInteger(hours) && Number(hours) >= 0 && Number(hours) <= graceHoursMax)
    return graceEnd(Number(hours));
  throw wrongParameter('Hours', 'number', { min: 0, max: graceHoursMax });
}

function readScopes(value: unknown): readonly Scope[] {
  if (isAbsent(value)) return usualScopes;
  const wanted = Array.isArray(value) ? value : [];
  if (wanted.length === 0 || !wanted.every(isScope))
    throw wrongParameter('Scopes', 'scopes', { known: scopes.join(', ') });
  return [...new Set(wanted)];
}

function isScope(value: unknown): value is Scope {
  return (scopes as readonly unknown[]).includes(value);
}

function readNetworks(value: unknown, isNetwork: (text: string) => boolean): readonly string[] {
  if (isAbsent(value)) return [];
  const good =
    Array.isArray(value) &&
    value.length <= networksMax &&
    value.every((network) => typeof network === 'string' && isNetwork(network));
  if (!good) throw wrongParameter('Networks', 'networks', { max: networksMax });
  return value;
}
