import type { Anagrafe, Principal, UserFilter, UserOfPrincipal } from '@anagrafe/client';
import { type Command, Option } from 'commander';
import { ConfigError } from '../settings/config.ts';
import type { ConnectionOptions } from './connection.ts';

export const userKeys = ['id', 'username', 'email'] as const;
export type UserKey = (typeof userKeys)[number];
export const principalKeys = ['id', 'key'] as const;
export type PrincipalKey = (typeof principalKeys)[number];

export interface LookupOptions<Key extends string> {
  readonly by?: Key;
}

/** The options of a command whose argument names a user. */
export interface UserOptions extends ConnectionOptions, LookupOptions<UserKey> {
  readonly json?: boolean;
}

/** Adds the option that says what the argument is, for the rare case that it is the ID of one and the name of another. */
export function withLookup(command: Command, keys: readonly string[], argument: string): Command {
  return command.addOption(
    new Option('--by <kind>', `kind of ${argument}; default: any that matches`).choices(keys),
  );
}

const wholeNumber = /^[1-9]\d{0,15}$/;
/** More matches than this are not listed in an error. */
const listed = 5;

/**
 * Finds one user by ID, username or email address.
 *
 * @throws {ConfigError} if no user matches, or several do.
 */
export async function findUser(anagrafe: Anagrafe, text: string, by?: UserKey): Promise<UserOfPrincipal> {
  const id = wholeNumber.test(text) ? Number(text) : null;
  const filters: Record<UserKey, UserFilter | null> = {
    id: id === null ? null : { AfterID: id - 1, PageSize: 1 },
    username: { Username: text },
    email: text.includes('@') ? { Email: text, PageSize: listed + 1 } : null,
  };
  const found = new Map<number, UserOfPrincipal>();
  for (const key of by ? [by] : userKeys) {
    const filter = filters[key];
    if (filter === null) continue;
    const { records } = await anagrafe.users(filter).page();
    for (const user of records) if (key !== 'id' || user.ID === id) found.set(user.ID, user);
  }
  return onlyOne([...found.values()], text, {
    none: `There is no user with the ${by ?? 'ID, username or email address'} ${text}`,
    describe: ({ ID, Username, Email }) => `${ID} (${[Username, Email].filter(Boolean).join(', ')})`,
    what: 'users',
  });
}

/**
 * Finds one principal by ID or ExternalKey.
 *
 * @throws {ConfigError} if none matches, or if the text is the ID of one and the ExternalKey of another.
 */
export async function findPrincipal(anagrafe: Anagrafe, text: string, by?: PrincipalKey): Promise<Principal> {
  const filters: Record<PrincipalKey, object | null> = {
    id: wholeNumber.test(text) ? { ID: Number(text) } : null,
    key: { ExternalKey: text },
  };
  const found = new Map<number, Principal>();
  for (const key of by ? [by] : principalKeys) {
    const filter = filters[key];
    if (filter === null) continue;
    for (const principal of (await anagrafe.list({ ...filter, PageSize: 1 }).page()).records)
      found.set(principal.ID, principal);
  }
  const kinds = { id: 'ID', key: 'external key' };
  return onlyOne([...found.values()], text, {
    none: `There is no principal with the ${by ? kinds[by] : 'ID or external key'} ${text}`,
    describe: (principal) => `${principal.ID} (${nameOf(principal)})`,
    what: 'principals',
  });
}

function onlyOne<Found>(
  found: readonly Found[],
  text: string,
  texts: { none: string; what: string; describe(found: Found): string },
): Found {
  const [first, ...others] = found;
  if (first === undefined) throw new ConfigError(texts.none);
  if (others.length === 0) return first;
  const more = found.length > listed ? ', …' : '';
  const names = found.slice(0, listed).map(texts.describe).join(', ');
  throw new ConfigError(`Several ${texts.what} match ${text}: ${names}${more}. Use the ID with --by id.`);
}

export function nameOf({ Denomination, Surname, Name }: Principal): string {
  return Denomination ?? [Surname, Name].filter(Boolean).join(' ');
}
