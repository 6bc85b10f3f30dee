import type { CheckStore } from '../check/check.store.ts';
import type { CallOptions } from '../check/operation.ts';
import { setStoredAttributes } from '../check/stored-attributes.ts';
import type { StoredPrincipal, StoredUser } from '../fields/compared-values.ts';
import type { Attributes } from '../fields/field-formats.ts';
import { type ParsedRecord, usersWith } from '../parse/parsed-record.ts';
import type { UserEffect } from '../parse/parsed-user.ts';
import { usersListed } from './delete.ts';
import type { RunStore } from './run.store.ts';
import { fieldValue, isSame, type RunValue, usernameOf, type Values, valuesBySubject } from './run-values.ts';

// Reads the stored principals and users, and the values that the run has changed, for the check of an undo.

/** Reads the stored values, and what a run has changed. */
export type UndoStore = CheckStore & RunStore;

export interface UndoOptions extends Pick<CallOptions, 'callerTags'> {
  readonly run: string;
}

export interface StoredForUndo {
  readonly principals: ReadonlyMap<number, StoredPrincipal>;
  readonly users: ReadonlyMap<number, StoredUser>;
  /** The principals that users are moved back from. */
  readonly sources: ReadonlyMap<number, StoredPrincipal>;
  /** The values that the run has changed, by principal or user; see `valuesBySubject`. */
  readonly values: ReadonlyMap<string, Values>;
  /** The aliases that the run has made the external keys of their principals, by principal. */
  readonly formerAliases: ReadonlyMap<number, readonly string[]>;
  readonly touchedPrincipals: ReadonlySet<number>;
  readonly touchedUsers: ReadonlySet<number>;
  /** The first users of the principals that are deleted. */
  readonly firstUsers: ReadonlyMap<number, readonly number[]>;
  /** The principals that the users now have which leave principals that are deleted. */
  readonly principalOfUser: ReadonlyMap<number, number>;
  /** The mapped usernames to restore that users have by now. */
  readonly takenUsernames: ReadonlySet<string>;
  /** The principals that the external keys to restore name by now. */
  readonly principalOfKey: ReadonlyMap<string, number | null>;
}

export async function readStored(
  parsedRecords: readonly ParsedRecord[],
  { run, callerTags }: UndoOptions,
  store: UndoStore,
): Promise<StoredForUndo> {
  const wanted = wantedOf(parsedRecords);
  // The versions are read first: a later change of a user changes the version that is written to.
  const principals = await store.findPrincipals(wanted.principals);
  const [found, sources, rows, touchedPrincipals, touchedUsers, firstUsers, principalOfUser] =
    await Promise.all([
      store.findUsers({ ids: wanted.users, usernameKeys: [] }),
      store.findPrincipals(wanted.sources),
      store.valuesOfRun(run, {
        principalIds: wanted.editedPrincipals,
        userIds: wanted.editedUsers,
        callerTags,
      }),
      store.principalsTouched(run, wanted.insertedPrincipals, wanted.leaving),
      store.usersTouched(run, wanted.registeredUsers),
      store.findFirstUsers(wanted.insertedPrincipals, usersListed + wanted.leaving.length),
      store.principalsOfUsers(wanted.leaving),
    ]);
  const users = new Map(found.map((user) => [user.id, user]));
  const values = valuesBySubject(rows.filter(({ field }) => field !== 'Aliases'));
  await compareAttributes(users, values, store);
  const [takenUsernames, principalOfKey] = await Promise.all([
    store.findTakenUsernames(oldTexts(rows, 'Username').map((name) => usernameOf(name).key)),
    store.findExternalKeys(oldTexts(rows, 'ExternalKey')),
  ]);
  return {
    principals,
    users,
    sources,
    values,
    formerAliases: formerAliasesIn(rows),
    touchedPrincipals,
    touchedUsers,
    firstUsers,
    principalOfUser,
    takenUsernames: new Set(takenUsernames.keys()),
    principalOfKey,
  };
}

/** Returns the IDs of what the records refer to, by what is read of it. */
function wantedOf(parsedRecords: readonly ParsedRecord[]) {
  const users = parsedRecords.flatMap((parsed) => usersWith(parsed, 'undo'));
  const usersThat = (effect: UserEffect) =>
    users.filter(({ effects }) => effects.includes(effect)).map(({ id }) => id);
  const principalsThat = (matches: (parsed: ParsedRecord) => boolean) => [
    ...new Set(parsedRecords.filter(matches).flatMap(({ principalId }) => principalId ?? [])),
  ];
  return {
    principals: principalsThat(() => true),
    insertedPrincipals: principalsThat((parsed) => parsed.users === null),
    editedPrincipals: principalsThat((parsed) => parsed.principal !== null),
    users: users.map(({ id }) => id),
    editedUsers: usersThat('edit'),
    registeredUsers: usersThat('register'),
    leaving: parsedRecords.flatMap((parsed) => parsed.leaving ?? []),
    sources: [...new Set(users.flatMap(({ movedTo }) => movedTo ?? []))],
  };
}

function formerAliasesIn(rows: readonly RunValue[]): Map<number, string[]> {
  const aliases = new Map<number, string[]>();
  for (const { field, principalId, old } of rows) {
    if (field !== 'Aliases' || typeof old !== 'string') continue;
    const own = aliases.get(principalId) ?? [];
    if (!own.includes(old)) aliases.set(principalId, [...own, old]);
  }
  return aliases;
}

function oldTexts(rows: readonly RunValue[], name: string): string[] {
  const texts = rows.flatMap(({ field, old }) => (field === name && typeof old === 'string' ? [old] : []));
  return [...new Set(texts)];
}

/** Sets the stored attributes of the users to the written or to the old ones, if they are equal to them. */
async function compareAttributes(
  users: ReadonlyMap<number, StoredUser>,
  values: ReadonlyMap<string, Values>,
  store: CheckStore,
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
