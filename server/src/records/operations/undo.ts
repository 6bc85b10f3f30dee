import { changedOfUser, editPrincipal, editUser, fieldChanges, valueOfPrincipal } from '../check/compare.ts';
import { moveOf } from '../check/moves.ts';
import type { CallOptions, CheckTools, Operation } from '../check/operation.ts';
import { type AttributeStore, setStoredAttributes } from '../check/stored-attributes.ts';
import type { UsernameStore } from '../check/taken-names.ts';
import type { SentUser, StoredPrincipal, StoredUser } from '../fields/compared-values.ts';
import type { Attributes } from '../fields/field-formats.ts';
import { parseUndo } from '../parse/parse-records.ts';
import { type ParsedRecord, usersWith } from '../parse/parsed-record.ts';
import type { Undo } from '../parse/parsed-undo.ts';
import { noUsers, type PrincipalChange, type UserEdit, type UserMove } from '../write/change.ts';
import type { ShownUser } from '../write/outcome.ts';
import { type DeleteStore, usersListed } from './delete.ts';
import {
  fieldValue,
  isSame,
  type RunValue,
  restore,
  usernameOf,
  type Values,
  valueOfUser,
  valuesBySubject,
} from './run-values.ts';

export interface RunStore {
  /** Returns the values of fields that the run has changed, in the order of the changes. */
  valuesOfRun(
    run: string,
    subjects: { readonly principalIds: readonly number[]; readonly userIds: readonly number[] },
  ): Promise<readonly RunValue[]>;
  /**
   * Returns the principals on which, or on whose users, there was an action that is not of the run. `leaving` are users that
   * the undo moves away, which may have signed in before the run.
   */
  principalsTouched(
    run: string,
    principalIds: readonly number[],
    leaving: readonly number[],
  ): Promise<ReadonlySet<number>>;
  /** Returns the users on which, or by whom, there was an action that is not of the run. */
  usersTouched(run: string, userIds: readonly number[]): Promise<ReadonlySet<number>>;
  /** Returns the principals that users have, by the IDs of the users. */
  principalsOfUsers(userIds: readonly number[]): Promise<ReadonlyMap<number, number>>;
}

export interface UndoStore extends DeleteStore, AttributeStore, UsernameStore, RunStore {}

/**
 * Undoes a run: deletes what it has created and no other call has changed since, and restores the values that are still the ones
 * that it wrote; a user that is still where the run has moved it goes back. Everything else stays as it is and is listed as kept.
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

/** What the checks of some records have in common. */
interface Found {
  readonly users: ReadonlyMap<number, StoredUser>;
  readonly values: { of(subject: string): Values };
  readonly touchedUsers: ReadonlySet<number>;
  /** The principals that users are moved back from. */
  readonly sources: ReadonlyMap<number, StoredPrincipal>;
  readonly taken: ReadonlySet<string>;
  readonly showsChanges: boolean;
}

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
  const leaving = parsedRecords.flatMap((parsed) => parsed.leaving ?? []);
  const movedTo = undone.flatMap((user) => user.movedTo ?? []);
  const [found, sources, rows, touched, touchedUsers, firstUsers, homes] = await Promise.all([
    store.findUsers({ ids: undone.map(({ id }) => id), usernameKeys: [] }),
    store.findPrincipals([...new Set(movedTo)]),
    store.valuesOfRun(run, { principalIds: withFields, userIds: idsWith('edit') }),
    store.principalsTouched(run, inserted, leaving),
    store.usersTouched(run, idsWith('register')),
    store.findFirstUsers(inserted, usersListed + leaving.length),
    store.principalsOfUsers(leaving),
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
  const showsChanges = tools.showsChanges ?? false;
  const context = { users, values: { of }, touchedUsers, sources, taken, showsChanges };
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
          leaving: new Set(parsed.leaving),
          homes,
        })
      : undoChanges(parsed, stored, context);
  });
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
  {
    isTouched,
    firstUsers,
    leaving,
    homes,
  }: {
    readonly isTouched: boolean;
    readonly firstUsers: readonly number[];
    readonly leaving: ReadonlySet<number>;
    readonly homes: ReadonlyMap<number, number>;
  },
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
    return {
      ...common,
      action: 'update',
      principal: { kind: 'keep' },
      storedUsers: 0,
      applied: [],
      keptFields,
    };
  }
  const principal = { kind: 'delete', externalKey: fields.ExternalKey } as const;
  // The same before and after the other records of the undo have moved these users away.
  const deleted = firstUsers.filter((user) => !leaving.has(user)).slice(0, usersListed);
  const applied = deleted.map((user): ShownUser => ({ ...unnamed(user), operation: 'delete' }));
  const storedUsers = usersCount - [...leaving].filter((user) => homes.get(user) === id).length;
  return { ...common, action: 'delete', principal, storedUsers, applied };
}

function undoChanges(parsed: ParsedRecord, stored: StoredPrincipal, found: Found): PrincipalChange {
  const values: Values = parsed.principal ? found.values.of(`principal ${stored.id}`) : new Map();
  const own = restore((field) => valueOfPrincipal(stored, field), values, found.taken);
  const sent = { fields: own.fields, state: own.state };
  const principal = editPrincipal(stored, sent);
  const edits: UserEdit[] = [];
  const moves: UserMove[] = [];
  const deletes: number[] = [];
  const applied = usersWith(parsed, 'undo').map((undone): ShownUser => {
    const user = found.users.get(undone.id);
    const isMoved = user !== undefined && user.principalId === undone.movedTo;
    if (!user || !(isMoved || user.principalId === stored.id))
      return { ...unnamed(undone.id), keptFields: [{ field: null, reason: user ? 'changed' : 'deleted' }] };
    const shown = { id: user.id, username: user.username, email: user.fields.Email };
    if (undone.effects.includes('register')) {
      if (found.touchedUsers.has(user.id))
        return { ...shown, operation: 'none', keptFields: [{ field: null, reason: 'changed' }] };
      deletes.push(user.id);
      return { ...shown, operation: 'delete' };
    }
    const { edit, kept, changes } = undoEdit(user, undone, found);
    if (edit) edits.push(edit);
    if (isMoved) moves.push(moveOf(user, user.version));
    const isDisabled = (edit?.state ?? user.state) === 'disabled';
    return {
      ...shown,
      operation: isMoved ? 'move' : edit ? 'edit' : 'none',
      ...(edit && { changed: edit.changed }),
      ...(isMoved && isDisabled && { state: 'disabled' }),
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
    sourceUsers: new Map(
      moves.map(({ from }): [number, number] => [from, found.sources.get(from)?.usersCount ?? 0]),
    ),
    edits,
    moves,
    deletes,
    applied,
    changes: fieldChanges(changed, stored, sent),
    ...(own.kept.length > 0 && { keptFields: own.kept }),
  };
}

function undoEdit(user: StoredUser, { effects, movedTo }: Undo, { values, taken }: Found) {
  const written = values.of(`user ${user.id}`);
  const { fields, state, mustChange, newUsername, kept } = restore(
    (field) => valueOfUser(user, field),
    written,
    taken,
  );
  if (effects.includes('move') && movedTo === null) kept.push({ field: null, reason: 'moved' });
  if (effects.includes('reset')) kept.push({ field: 'Password', reason: 'password' });
  if (effects.includes('edit') && written.size === 0) kept.push({ field: null, reason: 'expired' });
  const sent = { fields, state, mustChange } as SentUser;
  const changed = changedOfUser(user, sent, newUsername);
  const edit = changed.length > 0 ? editUser(user, sent, changed, newUsername) : null;
  const others = { Username: newUsername?.asSent ?? null, MustChangePassword: String(mustChange) };
  const own = { Username: user.username, MustChangePassword: String(user.mustChange) };
  const changes = fieldChanges(
    changed,
    { ...user, fields: { ...user.fields, ...own } },
    { fields: { ...sent.fields, ...others }, state },
  );
  return { edit, kept, changes };
}

function unnamed(id: number): ShownUser {
  return { id, username: '', email: null, operation: 'none' };
}
