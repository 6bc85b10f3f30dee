import { principalFields, userFields } from '@anagrafe/client';
import type { ImportRow, RecordRow, UserRow } from '../file/rows.ts';
import type { JsonObject, PrincipalField } from '../file/types.ts';
import { codedError, columnOf, fromFileError, type RowErrors } from './row-errors.ts';

/** Decides about rows that differ from the stored data: `refuse` reports them, `update` changes the stored data. */
export type ExistingPolicy = 'refuse' | 'update';

/** How the service applies records. */
export interface WriteRules {
  readonly existing: ExistingPolicy;
  /** `refuse` rejects a new principal that looks like another one, unless a row of it has `Similar`. */
  readonly similar: 'refuse' | 'allow';
  /** `allow` takes users of other principals to the principals of their rows. Only for an update. */
  readonly moves: 'refuse' | 'allow';
}

/** A row with the values that it states of its principal. */
export interface PrincipalRow {
  readonly row: ImportRow;
  /** The same for all rows of a principal that name it in the same way. */
  readonly key: string;
  /** Empty for the rows of a principal that they name by neither, which are inserted. */
  readonly reference: { readonly ExternalKey?: string; readonly ID?: number };
  /** The other values. A record of a JSON file is not validated and may have any name and type. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Null if the row has no `Users`: all users of the principal stay as they are. */
  readonly users: readonly unknown[] | null;
  /** True if a user has a `State`, which only `irs/upsert` takes for a new user. */
  readonly hasState: boolean;
  /** `Similar` of the row; undefined if it has none. `allow` accepts the principal although it looks like another one. */
  readonly similar: unknown;
}

/** Rows that are sent as one record. */
export interface CombinedRecord {
  readonly members: readonly Pick<PrincipalRow, 'row' | 'fields' | 'users' | 'similar'>[];
  readonly record: object;
}

/**
 * Returns the rows with their principals, and the errors of the others. They depend only on the rows: a batch that is
 * sent again has the same bytes, as its `Idempotency-Key` requires.
 */
export function principalRows(rows: readonly ImportRow[]): {
  readonly errors: RowErrors;
  readonly ofPrincipals: readonly PrincipalRow[];
} {
  const errors: RowErrors = new Map();
  const ofPrincipals: PrincipalRow[] = [];
  for (const row of rows) {
    const principal = row.kind === 'invalid' ? null : principalOf(row);
    if (row.kind === 'invalid') errors.set(row.number, row.errors.map(fromFileError));
    else if (isReset(row) && !principal) errors.set(row.number, [codedError('RESET_WITHOUT_PRINCIPAL')]);
    else if (principal && !isInserted(principal)) ofPrincipals.push(principal);
    else {
      const inserted = insertedRow(principal ?? principalRow(row, {}, `${otherKey}${row.number}`));
      if (inserted) ofPrincipals.push(inserted);
      else errors.set(row.number, [codedError('DISABLED_WITHOUT_KEY')]);
    }
  }
  return { errors, ofPrincipals };
}

/** Returns the key of a principal that a row names; null if the row creates its principal. */
export function namedKeyOf(row: UserRow | RecordRow): string | null {
  const principal = principalOf(row);
  return principal && !isInserted(principal) ? principal.key : null;
}

/** Returns true for a row of a principal that the rows name by no key. */
export function isInserted({ reference }: PrincipalRow): boolean {
  return Object.keys(reference).length === 0;
}

/**
 * Returns a row of a new principal without the states, which `irs/insert` does not take: everything new is active. Returns
 * null if the principal or a user would not be.
 */
function insertedRow(row: PrincipalRow): PrincipalRow | null {
  const { State, ...fields } = row.fields;
  if (!row.hasState && State === undefined) return row;
  // A record of a JSON file is sent as it is written, and the service reports the property.
  if (row.row.kind === 'record' && 'Users' in row.row.record) return row;
  const users = row.users && usersOf({ Users: row.users });
  if ([State, ...(users ?? []).map((user) => user.State)].some((state) => state === 'disabled')) return null;
  const isKept = (state: unknown) => hasValue(state) && state !== 'active';
  return {
    ...row,
    fields: isKept(State) ? row.fields : fields,
    users:
      users?.map(({ State: state, ...user }) => (isKept(state) ? { ...user, State: state } : user)) ?? null,
    hasState: false,
  };
}

export function isReset(row: ImportRow): boolean {
  return row.kind === 'user' && row.user.ID !== undefined;
}

/** Returns false for a row that only refers to its principal: creating one for it would hide a misspelt key. */
export function statesValues({ fields }: PrincipalRow): boolean {
  return Object.keys(fields).length > 0;
}

/** The properties of a record that are not values of its principal. */
const otherProperties: readonly string[] = ['Position', 'FieldErrors', 'Similar'];

/** Returns null for a row without `ExternalKey`, `ID` and `company`. */
export function principalOf(row: UserRow | RecordRow): PrincipalRow | null {
  const named = principalReference(row.kind === 'user' ? row.principal : row.record);
  if (named) return principalRow(row, named as PrincipalRow['reference'], principalKey(named));
  if (row.company === undefined) return null;
  return principalRow(row, referenceOf(row.company), row.company);
}

/** Returns the `ExternalKey` or `ID` in the key of a principal; an empty object for one without both. */
function referenceOf(key: string): PrincipalRow['reference'] {
  const externalKey = externalKeyOf(key);
  if (externalKey !== null) return { ExternalKey: externalKey };
  return key.startsWith(`${otherKey}{`) ? JSON.parse(key.slice(otherKey.length)) : {};
}

function principalRow(
  row: UserRow | RecordRow,
  reference: PrincipalRow['reference'],
  key: string,
): PrincipalRow {
  const source: JsonObject = row.kind === 'user' ? row.principal : row.record;
  const listed: unknown = row.kind === 'user' ? [row.user] : row.record.Users;
  const users: readonly unknown[] | null = Array.isArray(listed) ? listed : null;
  const fields: Record<string, unknown> = {};
  for (const field of Object.keys(source)) {
    const value = source[field];
    const isValue = hasValue(value) && !(field in reference) && !otherProperties.includes(field);
    // A password reset states nothing of its principal. The service reports one that names it in two ways.
    if (isReset(row) && field !== 'ID') continue;
    if (isValue && (field !== 'Users' || users === null)) fields[field] = value;
  }
  const hasState = users?.some(statesState) ?? false;
  const similar = hasValue(source.Similar) ? source.Similar : undefined;
  return { row, key, reference, fields, users, hasState, similar };
}

/** Returns `key` of `principalOf`. */
export function principalKeyOf(row: UserRow | RecordRow): string | null {
  const reference = principalReference(row.kind === 'user' ? row.principal : row.record);
  return reference ? principalKey(reference) : (row.company ?? null);
}

interface UncheckedReference {
  readonly ExternalKey?: unknown;
  readonly ID?: unknown;
}

function principalReference({ ID, ExternalKey }: UncheckedReference): UncheckedReference | null {
  return hasValue(ExternalKey) ? { ExternalKey } : hasValue(ID) ? { ID } : null;
}

/** Prefix of the key of a principal that has no external key in the file. */
const otherKey = '\0';

/** Returns the external key. A principal that is named by `ID` has another key, as a value that no external key can have. */
function principalKey(reference: UncheckedReference): string {
  const { ExternalKey } = reference;
  const isKey = typeof ExternalKey === 'string' && !ExternalKey.startsWith(otherKey);
  return isKey ? ExternalKey : otherKey + JSON.stringify(reference);
}

/** Returns the key of a principal that is named by `ID`. */
export function keyOfId(ID: number): string {
  return principalKey({ ID });
}

/** Returns the external key in the key of a principal; null if that names the principal in another way. */
export function externalKeyOf(key: string): string | null {
  return key.startsWith(otherKey) ? null : key;
}

function statesState(user: unknown): boolean {
  return typeof user === 'object' && user !== null && 'State' in user && hasValue(user.State);
}

const states: readonly string[] = ['active', 'disabled'];

/**
 * Returns false for a value that the service refuses, so that one damaged row does not make the correct rows of its
 * principal contradict it. The service decides in the end. An `ID` besides an `ExternalKey` is such a value.
 */
export function isPlausible(field: string, value: unknown): boolean {
  if (field === 'State') return typeof value === 'string' && states.includes(value);
  return Object.hasOwn(principalFields, field) && fits(value, principalFields[field as PrincipalField]);
}

/** Returns false for a row that the service will refuse because of one of its values. */
export function isReliable({ fields, users }: PrincipalRow): boolean {
  return (
    Object.keys(fields).every((field) => isPlausible(field, fields[field])) &&
    (users === null || usersOf({ Users: users }).every(isPlausibleUser))
  );
}

function isPlausibleUser(user: Readonly<Record<string, unknown>>): boolean {
  if (hasValue(user.State) && !isPlausible('State', user.State)) return false;
  return Object.entries(userFields).every(
    ([field, definition]) =>
      definition.format === 'attributes' || !hasValue(user[field]) || fits(user[field], definition),
  );
}

/** Returns false for a value that is no text of the format, with an approximation of the rules of the service. */
function fits(value: unknown, { format, maxLength }: { format: string; maxLength: number }): boolean {
  if (format === 'tags') return areTags(value, maxLength);
  if (typeof value !== 'string') return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find.
  if (/[\x00-\x1f\x7f]/.test(value)) return false;
  // The limit counts code points, of which a text has at most as many as UTF-16 code units.
  if (value.length > maxLength && [...value].length > maxLength) return false;
  return format !== 'email' || /^[^\s@]+@[^\s@]+$/.test(value);
}

function areTags(value: unknown, maxLength: number): boolean {
  const isTag = (tag: unknown) => typeof tag === 'string' && tag.length <= maxLength && /^[\w.-]+$/.test(tag);
  return Array.isArray(value) && value.length <= 20 && value.every(isTag);
}

/** The API treats null like an absent field. */
function hasValue(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Returns true if an unchecked user has a password or a hash. */
export function hasSecret(user: unknown): boolean {
  if (typeof user !== 'object' || user === null) return false;
  const { Password, PasswordHash } = user as { readonly Password?: unknown; readonly PasswordHash?: unknown };
  return hasValue(Password) || hasValue(PasswordHash);
}

/** Returns `Users` of an unchecked record. An element that is not an object becomes `{}`, which keeps the indexes. */
export function usersOf(record: object): readonly Readonly<Record<string, unknown>>[] {
  const { Users } = record as { readonly Users?: unknown };
  if (!Array.isArray(Users)) return [];
  return Users.map((user) => (typeof user === 'object' && user !== null ? user : {}));
}

/** The most users that the service accepts in a record. */
const recordUsersMax = 10_000;

export function hasTooManyUsers(users: number): boolean {
  return users > recordUsersMax;
}

/**
 * Returns an error for each row that cannot register users: one with too many users, and one that would do something
 * else, such as reset a password. Registering users must not change existing ones.
 */
export function findRefused(rows: readonly ImportRow[]): RowErrors {
  const errors: RowErrors = new Map();
  for (const row of rows) {
    if (row.kind === 'invalid') continue;
    if (row.kind === 'user' && row.user.ID === undefined) continue;
    const users = row.kind === 'user' ? [row.user] : usersOf(row.record);
    if (users.length > recordUsersMax) errors.set(row.number, [codedError('RECORD_TOO_LARGE', 'Users')]);
    const at = users.findIndex(({ ID }) => hasValue(ID));
    const other = users.findIndex((user) => 'Operation' in user && hasValue(user.Operation));
    if (at >= 0) errors.set(row.number, [codedError('RESET_IN_IMPORT', columnOf(`Users[${at}].ID`, row))]);
    else if (other >= 0)
      errors.set(row.number, [codedError('OPERATION_IN_IMPORT', `Users[${other}].Operation`)]);
  }
  return errors;
}

/**
 * Normalises case and width, so that usernames the service treats as equal become equal strings. This approximates the
 * PRECIS profile of the service and serves to compare rows; the service decides.
 */
export function foldUsername(username: string): string {
  const isAscii = !/[^ -~]/.test(username);
  return (isAscii ? username : username.normalize('NFKC')).toLowerCase();
}
