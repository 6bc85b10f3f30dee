import type { FieldErrors } from '../lib/field-errors.ts';
import { type Fields, isAbsent, isId } from '../lib/request-fields.ts';
import type { StoredPrincipal, StoredUser } from './compared-values.ts';
import { externalKeyField, readField } from './fields.ts';
import type { CheckTools } from './operation.ts';
import { type ParsedRecord, required, sentIdOf } from './parsed-record.ts';
import { type NamedUser, namingPlace } from './user-item.ts';
import type { ExternalKeyStore } from './usernames.ts';

/** The users to find: those with one of the IDs, and those with one of the mapped usernames. */
export interface WantedUsers {
  readonly ids: readonly number[];
  readonly usernameKeys: readonly string[];
}

/** Finds the principals and users that the records of a call refer to. */
export interface ReferenceStore extends ExternalKeyStore {
  findPrincipals(ids: readonly number[]): Promise<ReadonlyMap<number, StoredPrincipal>>;
  /** `holdMemory` is called with the bytes that the users need beyond the estimate for the call. */
  findUsers(wanted: WantedUsers, holdMemory?: CheckTools['holdMemory']): Promise<readonly StoredUser[]>;
}

/** A record about an existing principal, which it names by exactly one of `ID` and `ExternalKey`. */
export interface ReferringRecord extends ParsedRecord {
  readonly externalKey: string | null;
  /** The ID from the request, or the one found for the external key; null if there is no valid one. */
  principalId: number | null;
  /** The principal that the checks found; null before the checks and without one. */
  stored: StoredPrincipal | null;
}

type Reference = Pick<ReferringRecord, 'sentId' | 'externalKey' | 'principalId' | 'stored'>;

/** Reads `ID` and `ExternalKey`. `usual` is the field at which a record without either gets its error. */
export function readPrincipalReference(
  fields: Fields,
  errors: FieldErrors,
  usual: 'ID' | 'ExternalKey' = 'ID',
): Reference {
  const principalId = isId(fields.ID) ? fields.ID : null;
  const externalKey = readField(fields.ExternalKey, externalKeyField, 'ExternalKey', errors);
  if (isAbsent(fields.ID) && isAbsent(fields.ExternalKey))
    errors.add(usual, 'REQUIRED', { variant: 'principal' });
  else if (!isAbsent(fields.ID) && !isAbsent(fields.ExternalKey)) errors.add('ID', 'AMBIGUOUS_PRINCIPAL');
  else if (!isAbsent(fields.ID) && principalId === null) errors.add('ID', 'INVALID_ID');
  return { sentId: sentIdOf(fields), externalKey, principalId, stored: null };
}

interface Lookup<Parsed extends ReferringRecord> {
  /** Returns the existing users that a record names. */
  usersOf(parsed: Parsed): readonly NamedUser[];
  /** Reads more from the store at the same time. */
  alsoRead?: () => Promise<void>;
  /** True if the records are compared with stored values. */
  readonly comparesValues: boolean;
  readonly tools: CheckTools | undefined;
}

/**
 * Finds the principals and users of the records, and adds an error for each that does not exist or is named twice.
 */
export async function findReferences<Parsed extends ReferringRecord>(
  parsedRecords: readonly Parsed[],
  store: ReferenceStore,
  { usersOf, alsoRead, comparesValues, tools }: Lookup<Parsed>,
): Promise<void> {
  await findByKey(parsedRecords, store);
  const principalIds = new Set(parsedRecords.map((parsed) => parsed.principalId).filter((id) => id !== null));
  const reading = store.findPrincipals([...principalIds]);
  // The version must not be newer than the values of the users, or a change between the two reads would be overwritten.
  if (comparesValues) await reading;
  const [principals, users] = await Promise.all([
    reading,
    findUsers(parsedRecords.flatMap(usersOf), store, tools),
    alsoRead?.(),
  ]);
  for (const parsed of parsedRecords) {
    if (parsed.principalId !== null) setPrincipal(parsed, principals.get(parsed.principalId));
    setUsers(parsed, usersOf(parsed), users);
  }
}

function setPrincipal(parsed: ReferringRecord, found: StoredPrincipal | undefined): void {
  const { sentId, externalKey, errors } = parsed;
  const isKeyed = sentId === null && externalKey !== null;
  // The principal may have been deleted, or have got another key, since its ID was read.
  const isSame = !isKeyed || found?.fields.ExternalKey === externalKey;
  parsed.stored = found && isSame ? found : null;
  if (parsed.stored) return;
  if (isKeyed) errors.add('ExternalKey', 'PRINCIPAL_NOT_FOUND', { variant: 'key' });
  else errors.add('ID', 'PRINCIPAL_NOT_FOUND', { variant: 'id' });
}

/** Sets the principal ID of records that name their principal by its external key. */
async function findByKey(parsedRecords: readonly ReferringRecord[], store: ReferenceStore): Promise<void> {
  const keyed = parsedRecords.filter((parsed) => parsed.externalKey !== null && parsed.sentId === null);
  if (keyed.length === 0) return;
  const ids = await store.findExternalKeys([...new Set(keyed.map((parsed) => required(parsed.externalKey)))]);
  for (const parsed of keyed) {
    parsed.principalId = ids.get(required(parsed.externalKey)) ?? null;
    if (parsed.principalId === null)
      parsed.errors.add('ExternalKey', 'PRINCIPAL_NOT_FOUND', { variant: 'key' });
  }
}

interface FoundUsers {
  readonly byId: ReadonlyMap<number, StoredUser>;
  readonly byKey: ReadonlyMap<string, StoredUser>;
}

async function findUsers(
  items: readonly NamedUser[],
  store: ReferenceStore,
  tools: CheckTools | undefined,
): Promise<FoundUsers> {
  const ids = new Set(items.map(({ id }) => id).filter((id) => id !== null));
  const usernameKeys = new Set(items.map(({ username }) => username?.key).filter((key) => key !== undefined));
  const wanted = { ids: [...ids], usernameKeys: [...usernameKeys] };
  const users = ids.size + usernameKeys.size > 0 ? await store.findUsers(wanted, tools?.holdMemory) : [];
  return {
    byId: new Map(users.map((user) => [user.id, user])),
    byKey: new Map(users.map((user) => [user.usernameKey, user])),
  };
}

function setUsers(
  { principalId, errors }: ReferringRecord,
  items: readonly NamedUser[],
  { byId, byKey }: FoundUsers,
): void {
  const seen = new Set<number | string>();
  for (const item of items) {
    const { id, username } = item;
    const user = id === null ? byKey.get(username?.key ?? '') : byId.get(id);
    // A user of another principal gets the same error as a missing one, which does not reveal that the user exists.
    item.stored = user?.principalId === principalId ? (user ?? null) : null;
    const identity = item.stored?.id ?? id ?? username?.key;
    if (identity === undefined) continue;
    const place = namingPlace(item);
    if (seen.has(identity)) errors.add(place, 'DUPLICATE_USER');
    seen.add(identity);
    if (principalId !== null && !item.stored)
      errors.add(place, 'USER_NOT_FOUND', { variant: id === null ? 'username' : 'id' });
  }
}
