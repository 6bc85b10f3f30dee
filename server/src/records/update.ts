import type { FieldErrors } from '../lib/field-errors.ts';
import { type Fields, isAbsent, isId, refuseUnknownFields, within } from '../lib/request-fields.ts';
import { TimeSlice } from '../lib/yield-to-event-loop.ts';
import { refuseOwnNames } from '../passwords/policy.ts';
import { principalFields, readField, type State } from './fields.ts';
import { type IdStore, reserveIds } from './id-reservation.ts';
import type { Operation, ReadyRecord } from './operation.ts';
import type { WriteContext, Written } from './outcome.ts';
import {
  ignoredFields,
  isRegistration,
  newUser,
  type ParsedRecord,
  readUsers,
  required,
  sentIdOf,
} from './parsed-record.ts';
import {
  type NewPassword,
  type NewUser,
  type Reset,
  readUserItem,
  type UserItem,
  type UserRules,
} from './user-item.ts';
import { type UsernameStore, Usernames } from './usernames.ts';

export interface KnownUser {
  readonly principalId: number;
  readonly usernameKey: string;
  readonly email: string | null;
}

/** The changes of one record, in the order sent. */
export interface RecordChange {
  readonly principalId: number;
  readonly users: readonly (NewUser | NewPassword)[];
  readonly context: WriteContext;
}

/** Finds what the records of a call refer to. */
export interface ReferenceStore {
  findPrincipals(ids: readonly number[]): Promise<ReadonlyMap<number, State>>;
  findUsers(ids: readonly number[]): Promise<ReadonlyMap<number, KnownUser>>;
}

export interface UpdateStore extends ReferenceStore, UsernameStore, IdStore {
  findExternalKeys(keys: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Writes a group of records as `Operation.write` describes. */
  updateRecords(changes: readonly RecordChange[]): Promise<readonly (Written | null)[]>;
}

interface ParsedUpdate extends ParsedRecord {
  /** Identifies the principal of a record that was sent without an ID. */
  readonly externalKey: string | null;
  /** The ID from the request, or the one found for the external key; null if there is no valid one. */
  principalId: number | null;
}

/** Registers users and resets passwords under existing principals. */
export function updateOperation(store: UpdateStore, rules: UserRules): Operation<ParsedUpdate> {
  return {
    name: 'update',
    read: (fields, errors, timeSlice) => readRecord(fields, errors, rules, timeSlice),
    newCheck() {
      const usernames = new Usernames(store);
      return { run: (parsedRecords) => checkAgainstStore(parsedRecords, usernames, store) };
    },
    order: (parsed) => parsed.principalId,
    size: (parsed) => parsed.users.length,
    need: (parsed) => ({ principals: 0, users: parsed.users.filter(isRegistration).length }),
    reserveIds: (needs) => reserveIds(needs, store),
    idOf: (parsed) => parsed.principalId,
    write: (records) => store.updateRecords(records.map(changeOf)),
  };
}

async function readRecord(
  fields: Fields,
  errors: FieldErrors,
  rules: UserRules,
  timeSlice: TimeSlice,
): Promise<ParsedUpdate> {
  const principalId = isId(fields.ID) ? fields.ID : null;
  const externalKey = readField(fields.ExternalKey, principalFields.ExternalKey, 'ExternalKey', errors);
  if (isAbsent(fields.ID) && isAbsent(fields.ExternalKey))
    errors.add('ID', 'REQUIRED', undefined, 'principal');
  else if (!isAbsent(fields.ID) && !isAbsent(fields.ExternalKey)) errors.add('ID', 'AMBIGUOUS_PRINCIPAL');
  else if (!isAbsent(fields.ID) && principalId === null) errors.add('ID', 'INVALID_ID');
  refuseUnknownFields(fields, ['ID', 'ExternalKey', 'Users', ...ignoredFields], '', errors);
  if (isAbsent(fields.Users)) errors.addMissing('Users');
  else if (Array.isArray(fields.Users) && fields.Users.length === 0) errors.add('Users', 'NO_USERS');
  const readItem = (value: unknown, place: string) => readUserItem(value, place, rules, errors);
  const users = await readUsers(fields.Users, readItem, errors, timeSlice);
  return { sentId: sentIdOf(fields), externalKey, principalId, users, errors };
}

async function checkAgainstStore(
  parsedRecords: readonly ParsedUpdate[],
  usernames: Usernames,
  store: UpdateStore,
): Promise<void> {
  await findByKey(parsedRecords, store);
  const principalIds = new Set(parsedRecords.map((parsed) => parsed.principalId).filter((id) => id !== null));
  const userIds = new Set(
    parsedRecords.flatMap((parsed) => resets(parsed).map((item) => item.id)).filter((id) => id !== null),
  );
  const [principals, users] = await Promise.all([
    store.findPrincipals([...principalIds]),
    userIds.size > 0 ? store.findUsers([...userIds]) : new Map<number, KnownUser>(),
    usernames.lookUp(parsedRecords),
  ]);
  const timeSlice = new TimeSlice();
  for (const parsed of parsedRecords) {
    if (parsed.principalId !== null && !principals.has(parsed.principalId))
      parsed.errors.add('ID', 'PRINCIPAL_NOT_FOUND', undefined, 'id');
    refuseDisabled(parsed, principals);
    await checkResets(parsed, users, timeSlice);
    await usernames.refuseTaken(parsed, timeSlice);
    if (parsed.errors.none) await usernames.claim(parsed, timeSlice);
  }
}

/** Sets the principal ID of records that identify their principal by its external key. */
async function findByKey(parsedRecords: readonly ParsedUpdate[], store: UpdateStore): Promise<void> {
  const keyed = parsedRecords.filter((parsed) => parsed.externalKey !== null && parsed.sentId === null);
  if (keyed.length === 0) return;
  const ids = await store.findExternalKeys([...new Set(keyed.map((parsed) => required(parsed.externalKey)))]);
  for (const parsed of keyed) {
    parsed.principalId = ids.get(required(parsed.externalKey)) ?? null;
    if (parsed.principalId === null)
      parsed.errors.add('ExternalKey', 'PRINCIPAL_NOT_FOUND', undefined, 'key');
  }
}

/** Rejects registrations under a disabled principal. Password resets are allowed. */
function refuseDisabled(parsed: ParsedUpdate, principals: ReadonlyMap<number, State>): void {
  const disabled = principals.get(parsed.principalId ?? 0) === 'disabled';
  if (disabled && parsed.users.some(isRegistration)) parsed.errors.add('ID', 'PRINCIPAL_DISABLED');
}

async function checkResets(
  parsed: ParsedUpdate,
  users: ReadonlyMap<number, KnownUser>,
  timeSlice: TimeSlice,
): Promise<void> {
  const seen = new Set<number>();
  for (const item of resets(parsed)) {
    if (timeSlice.isOver) await timeSlice.yield();
    if (item.id === null) continue;
    const place = within(item.place, 'ID');
    const user = users.get(item.id);
    if (seen.has(item.id)) parsed.errors.add(place, 'DUPLICATE_USER');
    seen.add(item.id);
    if (parsed.principalId === null) continue;
    // A user of another principal gets the same error as a missing one, which does not reveal that the user exists.
    if (!user || user.principalId !== parsed.principalId) parsed.errors.add(place, 'USER_NOT_FOUND');
    else if (item.password !== null)
      refuseOwnNames(item.password, user, within(item.place, 'Password'), parsed.errors);
  }
}

function resets(parsed: ParsedUpdate): Reset[] {
  return parsed.users.filter((item: UserItem): item is Reset => !isRegistration(item));
}

function changeOf({ parsed, ids, hashes, context }: ReadyRecord<ParsedUpdate>): RecordChange {
  const userIds = ids.users.values();
  const users = parsed.users.map((item, position): NewUser | NewPassword => {
    const passwordHash = hashes[position];
    return isRegistration(item)
      ? newUser(item, userIds.next().value, passwordHash)
      : { operation: 'reset', id: required(item.id), passwordHash: required(passwordHash) };
  });
  return { principalId: required(parsed.principalId), users, context };
}
