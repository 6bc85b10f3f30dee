import type { FieldErrors } from '../../lib/field-errors.ts';
import { within } from '../../lib/request-fields.ts';
import type { StoredPrincipal, StoredUser } from '../fields/compared-values.ts';
import type { ParsedRecord, PrincipalReference } from '../parse/parsed-record.ts';
import { type NamedItem, namingPlace } from '../parse/parsed-user.ts';
import type { CheckStore } from './check.store.ts';

/** The existing principal and users that a record refers to. */
export interface Found {
  readonly principal: StoredPrincipal | null;
  /** The users of the principal, and those that move to it. */
  readonly users: ReadonlyMap<NamedItem, StoredUser>;
}

interface Lookup {
  /** Returns the existing users that a record names. */
  usersOf(parsed: ParsedRecord): readonly NamedItem[];
  /** True if the records are compared with stored values. */
  readonly comparesValues: boolean;
}

/**
 * Finds the principals and users of the records, and adds an error for each that does not exist or is named twice.
 * Returns one element for each record.
 */
export async function findReferences(
  parsedRecords: readonly ParsedRecord[],
  store: CheckStore,
  { usersOf, comparesValues }: Lookup,
): Promise<Found[]> {
  const ids = await principalIdsOf(parsedRecords, store);
  const reading = store.findPrincipals([...new Set(ids.filter((id) => id !== null))]);
  // The version must not be newer than the values of the users, or a change between the two reads would be overwritten.
  if (comparesValues) await reading;
  const [principals, users] = await Promise.all([reading, findUsers(parsedRecords.flatMap(usersOf), store)]);
  return parsedRecords.map((parsed, at) => {
    const id = ids[at] ?? null;
    const principal = principalOf(parsed, id === null ? undefined : principals.get(id));
    const named = usersOf(parsed).map((item) => ({ item, user: userOf(item, users) }));
    return { principal, users: usersOfRecord(parsed.errors, id, principal, named) };
  });
}

/** Returns the principal IDs that the records name; null for an invalid reference and an unknown external key. */
export async function principalIdsOf(
  parsedRecords: readonly PrincipalReference[],
  store: CheckStore,
): Promise<(number | null)[]> {
  const keys = new Set(parsedRecords.map(keyOf).filter((key) => key !== null));
  const ids = keys.size > 0 ? await store.findExternalKeys([...keys]) : new Map<string, number | null>();
  return parsedRecords.map((parsed) => {
    const key = keyOf(parsed);
    return key === null ? parsed.principalId : (ids.get(key) ?? null);
  });
}

/** Returns the external key if it names the principal. */
function keyOf({ sentId, externalKey }: PrincipalReference): string | null {
  return sentId === null ? externalKey : null;
}

/** Returns the principal, or adds an error to the object at `place`, which names it. */
export function principalOf(
  parsed: PrincipalReference & Pick<ParsedRecord, 'errors'>,
  found: StoredPrincipal | undefined,
  place = '',
): StoredPrincipal | null {
  const key = keyOf(parsed);
  // The principal may have been deleted, or have got another key, since its ID was read.
  if (found && (key === null || isNamed(found, key))) return found;
  if (key !== null)
    parsed.errors.add(within(place, 'ExternalKey'), 'PRINCIPAL_NOT_FOUND', { variant: 'key' });
  else if (parsed.principalId !== null)
    parsed.errors.add(within(place, 'ID'), 'PRINCIPAL_NOT_FOUND', { variant: 'id' });
  return null;
}

/** Returns true for the external key of the principal, and for that of a principal that was merged into it. */
export function isNamed({ fields, aliases }: StoredPrincipal, key: string): boolean {
  return fields.ExternalKey === key || aliases.includes(key);
}

interface FoundUsers {
  readonly byId: ReadonlyMap<number, StoredUser>;
  readonly byKey: ReadonlyMap<string, StoredUser>;
}

async function findUsers(named: readonly NamedItem[], store: CheckStore): Promise<FoundUsers> {
  const ids = new Set(named.map(({ id }) => id).filter((id) => id !== null));
  const usernameKeys = new Set(named.map(({ username }) => username?.key).filter((key) => key !== undefined));
  const wanted = { ids: [...ids], usernameKeys: [...usernameKeys] };
  const users = ids.size + usernameKeys.size > 0 ? await store.findUsers(wanted) : [];
  return {
    byId: new Map(users.map((user) => [user.id, user])),
    byKey: new Map(users.map((user) => [user.usernameKey, user])),
  };
}

/** Returns the stored user that an item names. */
function userOf({ id, username }: NamedItem, { byId, byKey }: FoundUsers): StoredUser | undefined {
  return id === null ? byKey.get(username?.key ?? '') : byId.get(id);
}

function usersOfRecord(
  errors: FieldErrors,
  principalId: number | null,
  principal: StoredPrincipal | null,
  named: readonly { readonly item: NamedItem; readonly user: StoredUser | undefined }[],
): Map<NamedItem, StoredUser> {
  const users = new Map<NamedItem, StoredUser>();
  const seen = new Set<number | string>();
  for (const { item, user } of named) {
    const { id, username, operation } = item;
    const isMove = operation === 'move';
    // A user of another principal gets the same error as a missing one, which does not reveal that the user exists.
    const stored = isMove || user?.principalId === principalId ? user : undefined;
    if (stored) users.set(item, stored);
    const identity = stored?.id ?? id ?? username?.key;
    if (identity === undefined) continue;
    const place = namingPlace(item);
    if (seen.has(identity)) errors.add(place, 'DUPLICATE_USER', { variant: 'record' });
    seen.add(identity);
    if (stored) continue;
    if (isMove && principal)
      errors.add(place, 'USER_NOT_FOUND', { variant: id === null ? 'movedUsername' : 'movedId' });
    else if (!isMove && principalId !== null)
      errors.add(place, 'USER_NOT_FOUND', { variant: id === null ? 'username' : 'id' });
  }
  return users;
}
