import { isNetwork } from '../../network.ts';
import { type Fields, isAbsent } from '../fields/fields.ts';
import { readParameters, wrongParameter } from '../fields/parameters.ts';
import {
  type ClientChange,
  type ClientWish,
  graceEnd,
  type Scope,
  scopes,
  usualGraceHours,
  usualScopes,
} from './clients.ts';

const nameMax = 255;
const networksMax = 100;
const graceHoursMax = 9999;
const parameters = ['Name', 'Scopes', 'Networks', 'KnownByAddress'];

/** Reads the request body for a new client. */
export function readClientWish(body: unknown): ClientWish {
  const fields = readParameters(body, parameters);
  const usual = { scopes: usualScopes, networks: [], knownByAddress: false };
  return { ...usual, name: readName(fields.Name), ...readParts(fields) };
}

/** What a caller wants to be changed. */
export function readClientChange(body: unknown): ClientChange {
  return readParts(readParameters(body, parameters));
}

function readParts(fields: Fields): ClientChange {
  const { Name: name, Scopes: wanted, Networks: networks, KnownByAddress: knownByAddress } = fields;
  return {
    ...(!isAbsent(name) && { name: readName(name) }),
    ...(!isAbsent(wanted) && { scopes: readScopes(wanted) }),
    ...(!isAbsent(networks) && { networks: readNetworks(networks) }),
    ...(!isAbsent(knownByAddress) && { knownByAddress: readFlag('KnownByAddress', knownByAddress) }),
  };
}

function readName(name: unknown): string {
  if (typeof name === 'string' && name !== '' && name.length <= nameMax) return name;
  throw wrongParameter('Name', 'text', { max: nameMax });
}

function readFlag(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw wrongParameter(name, 'flag');
}

/** Up to when an old secret is to go on. */
export function readGraceEnd(body: unknown): Date {
  const hours = readParameters(isAbsent(body) ? {} : body, ['Hours']).Hours ?? usualGraceHours;
  if (Number.isInteger(hours) && Number(hours) >= 0 && Number(hours) <= graceHoursMax)
    return graceEnd(Number(hours));
  throw wrongParameter('Hours', 'number', { min: 0, max: graceHoursMax });
}

function readScopes(value: unknown): readonly Scope[] {
  const wanted = Array.isArray(value) ? value : [];
  if (wanted.length === 0 || !wanted.every(isScope))
    throw wrongParameter('Scopes', 'scopes', { known: scopes.join(', ') });
  return [...new Set(wanted)];
}

function isScope(value: unknown): value is Scope {
  return (scopes as readonly unknown[]).includes(value);
}

function readNetworks(value: unknown): readonly string[] {
  const good =
    Array.isArray(value) &&
    value.length <= networksMax &&
    value.every((network) => typeof network === 'string' && isNetwork(network));
  if (!good) throw wrongParameter('Networks', 'networks', { max: networksMax });
  return value;
}
