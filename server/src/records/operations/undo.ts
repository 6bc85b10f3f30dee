import { mapUsername } from '../../usernames/precis-profiles.ts';
import type { Username } from '../../usernames/username.ts';
import { changedOfUser, editPrincipal, editUser, fieldChanges } from '../check/compare.ts';
import type { CallOptions, CheckTools, Operation } from '../check/operation.ts';
import { type AttributeStore, setStoredAttributes } from '../check/stored-attributes.ts';
import type { UsernameStore } from '../check/taken-names.ts';
import type { SentUser, StoredPrincipal, StoredUser } from '../fields/compared-values.ts';
import { type Attributes, AttributesText } from '../fields/field-formats.ts';
import type { FieldValue, State } from '../fields/fields.ts';
import { parseUndo } from '../parse/parse-records.ts';
import { type ParsedRecord, usersWith } from '../parse/parsed-record.ts';
import type { Undo } from '../parse/parsed-user.ts';
import { noUsers, type PrincipalChange, type UserEdit } from '../write/change.ts';
import type { KeptField, ShownUser } from '../write/outcome.ts';
import { type DeleteStore, usersListed } from './delete.ts';

/** The value of a field before the first and after the last change of a run. Attributes are objects. */
export interface RunValue {
  readonly userId: number | null;
  readonly principalId: number;
  readonly field: string;
  readonly old: StoredValue;
  readonly new: StoredValue;
}

export type StoredValue = string | Readonly<Record<string, string>> | null;

export interface RunStore {
  /** Returns the values of fields that the run has changed, in the order of the changes. */
  valuesOfRun(
    run: string,
    subjects: { readonly principalIds: readonly number[]; readonly userIds: readonly number[] },
  ): Promise<readonly RunValue[]>;
  /** Returns the principals on which, or on whose users, there was an action after that of the run. */
  principalsTouched(run: string, principalIds: readonly number[]): Promise<ReadonlySet<number>>;
  /** Returns the users on which, or by whom, there was an action that is not of the run. */
  usersTouched(run: string, userIds: readonly number[]): Promise<ReadonlySet<number>>;
}

export interface UndoStore extends DeleteStore, AttributeStore, UsernameStore, RunStore {}

/**
 * Undoes a run: deletes what it has created and nobody has touched since, and restores the values that are still the ones
 * that it wrote. Everything else stays as it is and is listed as kept.
 */
export function undoOperation(store: UndoStore, { run }: Pick<CallOptions, 'run'>): Operation {
  if (run === null) throw new Error('an undo has no run');
  return {
    name: 'undo',
    parse: parseUndo,
    newCheck: (tools) => (parsedRecords) =>
      checkAgainstStore(parsedRecords, { store, run, tools: tools ?? {} }),
  };
}

interface UndoContext {
  readonly store: UndoStore;
  readonly run: string;
  readonly tools: CheckTools;
}

type Values = ReadonlyMap<string, Pick<RunValue, 'old' | 'new'>>;

/** What the checks of some records have in common. */
interface Found {
  readonly users: ReadonlyMap<number, StoredUser>;
  readonly values: { of(subject: string): Values };
  readonly touchedUsers: ReadonlySet<number>;
  readonly taken: ReadonlySet<string>;
  readonly showsChanges: boolean;
}

const subjectOf = ({ userId, principalId }: Pick<RunValue, 'userId' | 'principalId'>) =>
  userId === null ? `principal ${principalId}` : `user ${userId}`;

async function checkAgainstStore(
  parsedRecords: readonly ParsedRecord[],
  { store, run, tools }: UndoContext,
): Promise<(PrincipalChange | null)[]> {
  const ids = parsedRecords.map(({ principalId }) => principalId).filter((id) => id !== null);
  // The versions are read first: a later change of a user changes the version that is written to.
  const principals = await store.findPrincipals([...new Set(ids)]);
  const undone = parsedRecords.flatMap((parsed) => usersWith(parsed, 'undo'));
  const idsWith = (effect: Undo['effects'][number]) =>
    undone.filter(({ effects }) => effects.includes(effect)).map(({ id }) => id);
  const inserted = parsedRecords.flatMap(({ users, principalId }) =>
    users === null ? (principalId ?? []) : [],
  );
  const withFields = parsedRecords.flatMap(({ principal, principalId }) =>
    principal ? (principalId ?? []) : [],
  );
  const [found, rows, touched, touchedUsers, firstUsers] = await Promise.all([
    store.findUsers({ ids: undone.map(({ id }) => id), usernameKeys: [] }),
    store.valuesOfRun(run, { principalIds: withFields, userIds: idsWith('edit') }),
    store.principalsTouched(run, inserted),
    store.usersTouched(run, idsWith('register')),
    store.findFirstUsers(inserted, usersListed),
  ]);
  const users = new Map(found.map((user) => [user.id, user]));
  const values = valuesBySubject(rows);
  await compareAttributes(users, values, store);
  const names = rows.filter(({ field, old }) => field === 'Username' && typeof old === 'string');
  const keys = names.map(({ old }) => usernameOf(old as string).key);
  const externalKeys = rows.flatMap(({ field, old }) =>
    field === 'ExternalKey' && typeof old === 'string' ? [old] : [],
  );
  const [takenNames, takenKeys] = await Promise.all([
    store.findTakenUsernames([...new Set(keys)]),
    store.findExternalKeys([...new Set(externalKeys)]),
  ]);
  const taken = new Set([
    ...[...takenNames].map((key) => `name ${key}`),
    ...[...takenKeys.keys()].map((key) => `key ${key}`),
  ]);
  const of = (subject: string) => values.get(subject) ?? new Map();
  const context = { users, values: { of }, touchedUsers, taken, showsChanges: tools.showsChanges ?? false };
  return parsedRecords.map((parsed) => {
    const stored = principals.get(parsed.principalId ?? 0);
    if (!stored) {
      parsed.errors.add('ID', 'PRINCIPAL_NOT_FOUND', { variant: 'id' });
      return null;
    }
    return parsed.users === null
      ? undoInsertion(stored, {
          isTouched: touched.has(stored.id),
          firstUsers: firstUsers.get(stored.id) ?? [],
        })
      : undoChanges(parsed, stored, context);
  });
}

/** Groups the values by their user or principal, and joins successive changes of a field. */
function valuesBySubject(rows: readonly RunValue[]): Map<string, Map<string, Pick<RunValue, 'old' | 'new'>>> {
  const values = new Map<string, Map<string, Pick<RunValue, 'old' | 'new'>>>();
  for (const row of rows) {
    const own = values.get(subjectOf(row)) ?? new Map<string, Pick<RunValue, 'old' | 'new'>>();
    const { old } = own.get(row.field) ?? row;
    own.set(row.field, { old, new: row.new });
    values.set(subjectOf(row), own);
  }
  return values;
}

/** Sets the stored attributes of the users to the written or to the old ones, if they are equal to them. */
async function compareAttributes(
  users: ReadonlyMap<number, StoredUser>,
  values: ReadonlyMap<string, Values>,
  store: AttributeStore,
): Promise<void> {
  const changed = [...users.values()].flatMap((user) => {
    const value = values.get(`user ${user.id}`)?.get('Attributes');
    return value ? [{ user, value }] : [];
  });
  const compare = (side: 'old' | 'new', some: typeof changed) => {
    const sent = some.map(({ user, value }) => ({
      user,
      attributes: fieldValue(value[side]) as Attributes | null,
    }));
    return setStoredAttributes(sent, store);
  };
  await compare('new', changed);
  await compare(
    'old',
    changed.filter(({ user, value }) => !isSame(user.fields.Attributes ?? null, value.new)),
  );
}

function undoInsertion(
  stored: StoredPrincipal,
  { isTouched, firstUsers }: { readonly isTouched: boolean; readonly firstUsers: readonly number[] },
): PrincipalChange {
  const { id, version, usersCount, fields } = stored;
  const common = {
    principalId: id,
    expectedVersion: version,
    dependsOnVersion: false,
    ...noUsers,
  };
  if (isTouched) {
    const keptFields = [{ field: null, reason: 'changed' }] as const;
    return { ...common, action: 'update', principal: { kind: 'keep' }, storedUsers: 0, applied: [], keptFields };
  }
  const principal = { kind: 'delete', externalKey: fields.ExternalKey } as const;
  const applied = firstUsers.map((user): ShownUser => ({ ...nobody(user), operation: 'delete' }));
  return { ...common, action: 'delete', principal, storedUsers: usersCount, applied };
}

/** The fields that are restored, and those that are kept. */
interface Restored {
  readonly fields: Record<string, FieldValue | null>;
  state: State | null;
  newUsername: Username | null;
  readonly kept: KeptField[];
}

/**
 * Restores each value that is still the one that the run wrote. A name that another principal or user has by now is kept:
 * if the undo gives it free, a second undo restores it.
 */
function restore(
  current: (field: string) => FieldValue | null,
  values: Values,
  taken: ReadonlySet<string>,
): Restored {
  const restored: Restored = { fields: {}, state: null, newUsername: null, kept: [] };
  for (const [field, value] of values) {
    const now = current(field);
    if (isSame(now, value.old)) continue;
    if (!isSame(now, value.new)) restored.kept.push({ field, reason: 'changed' });
    else if (isTaken(field, value, taken)) restored.kept.push({ field, reason: 'taken' });
    else if (field === 'State') restored.state = value.old as State;
    else if (field === 'Username') restored.newUsername = usernameOf(value.old as string);
    else restored.fields[field] = fieldValue(value.old);
  }
  return restored;
}

function isTaken(
  field: string,
  { old, new: now }: Pick<RunValue, 'old' | 'new'>,
  taken: ReadonlySet<string>,
): boolean {
  if (typeof old !== 'string') return false;
  if (field === 'ExternalKey') return taken.has(`key ${old}`);
  // The username that only differs in its spelling is that of the user itself.
  const { key } = usernameOf(old);
  return field === 'Username' && key !== usernameOf(now as string).key && taken.has(`name ${key}`);
}

function undoChanges(parsed: ParsedRecord, stored: StoredPrincipal, found: Found): PrincipalChange {
  const values: Values = parsed.principal ? found.values.of(`principal ${stored.id}`) : new Map();
  const own = restore((field) => valueOfPrincipal(stored, field), values, found.taken);
  const sent = { fields: own.fields, state: own.state };
  const principal = editPrincipal(stored, sent);
  const edits: UserEdit[] = [];
  const deletes: number[] = [];
  const applied = usersWith(parsed, 'undo').map((undone): ShownUser => {
    const user = found.users.get(undone.id);
    const isHere = user?.principalId === stored.id;
    if (!user || !isHere)
      return { ...nobody(undone.id), keptFields: [{ field: null, reason: user ? 'changed' : 'deleted' }] };
    const shown = { id: user.id, username: user.username, email: user.fields.Email };
    if (undone.effects.includes('register')) {
      if (found.touchedUsers.has(user.id))
        return { ...shown, operation: 'none', keptFields: [{ field: null, reason: 'changed' }] };
      deletes.push(user.id);
      return { ...shown, operation: 'delete' };
    }
    const { edit, kept, changes } = undoEdit(user, undone, found);
    if (edit) edits.push(edit);
    return {
      ...shown,
      ...(edit ? { operation: 'edit', changed: edit.changed } : { operation: 'none' }),
      ...(edit && found.showsChanges && { changes }),
      ...(kept.length > 0 && { keptFields: kept }),
    };
  });
  const changed = principal.kind === 'edit' ? principal.changed : [];
  return {
    principalId: stored.id,
    action: 'update',
    principal,
    expectedVersion: stored.version,
    dependsOnVersion: false,
    storedUsers: deletes.length > 0 ? stored.usersCount : 0,
    ...noUsers,
    edits,
    deletes,
    applied,
    changes: fieldChanges(changed, stored, sent),
    ...(own.kept.length > 0 && { keptFields: own.kept }),
  };
}

function undoEdit(user: StoredUser, { effects }: Undo, { values, taken }: Found) {
  const own = values.of(`user ${user.id}`);
  const { fields, state, newUsername, kept } = restore((field) => valueOfUser(user, field), own, taken);
  if (effects.includes('reset')) kept.push({ field: 'Password', reason: 'password' });
  if (effects.includes('edit') && own.size === 0) kept.push({ field: null, reason: 'expired' });
  const sent = { fields, state } as SentUser;
  const changed = changedOfUser(user, sent, newUsername);
  const edit = changed.length > 0 ? editUser(user, sent, changed, newUsername) : null;
  const shown = { fields: { ...sent.fields, Username: newUsername?.asSent ?? null }, state };
  const changes = fieldChanges(
    changed,
    { ...user, fields: { ...user.fields, Username: user.username } },
    shown,
  );
  return { edit, kept, changes };
}

function nobody(id: number): ShownUser {
  return { id, username: '', email: null, operation: 'none' };
}

function valueOfPrincipal({ fields, state }: StoredPrincipal, field: string): FieldValue | null {
  return field === 'State' ? state : (fields[field as keyof typeof fields] ?? null);
}

function valueOfUser({ fields, state, username }: StoredUser, field: string): FieldValue | null {
  if (field === 'State') return state;
  if (field === 'Username') return username;
  return fields[field as keyof typeof fields] ?? null;
}

function fieldValue(value: StoredValue): FieldValue | null {
  return value === null || typeof value === 'string' ? value : new AttributesText(Object.entries(value));
}

function isSame(one: FieldValue | null, other: StoredValue): boolean {
  return jsonOf(one) === jsonOf(fieldValue(other));
}

function jsonOf(value: FieldValue | null): string | null {
  if (value === null || typeof value === 'string') return value;
  return value instanceof AttributesText ? value.json : new AttributesText(Object.entries(value)).json;
}

/** Returns a stored username, which is valid. */
function usernameOf(asSent: string): Username {
  const result = mapUsername(asSent);
  return { asSent, key: 'mapped' in result ? result.mapped : asSent };
}
