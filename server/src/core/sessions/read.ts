import { isAddress } from '../../network.ts';
import { type Fields, isAbsent } from '../fields/fields.ts';
import { readParameters, wrongParameter } from '../fields/parameters.ts';

/** Longer than any username or password that could be right; anything beyond is not worth a look. */
const textMax = 4096;

/** The texts of a body that has these and nothing else. */
export function readTexts<Name extends string>(body: unknown, names: readonly Name[]): Record<Name, string> {
  const fields = readParameters(body, names);
  return Object.fromEntries(names.map((name) => [name, readText(fields, name)])) as Record<Name, string>;
}

export interface Credentials {
  readonly username: string;
  readonly password: string;
  /** The address of the user, as an API client passes it on; null where it was left out. */
  readonly address: string | null;
}

export function readCredentials(body: unknown): Credentials {
  const fields = readParameters(body, ['Username', 'Password', 'Address']);
  return {
    username: readText(fields, 'Username'),
    password: readText(fields, 'Password'),
    address: isAbsent(fields.Address) ? null : readAddress(fields.Address),
  };
}

function readAddress(value: unknown): string {
  if (typeof value === 'string' && isAddress(value)) return value;
  throw wrongParameter('Address', 'address');
}

function readText(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value === 'string' && value !== '' && value.length <= textMax) return value;
  throw wrongParameter(name, 'text', { max: textMax });
}
