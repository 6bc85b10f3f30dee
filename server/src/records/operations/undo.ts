import {
  changedOfPrincipal,
  changedOfUser,
  clearedField,
  editPrincipal,
  editUser,
  fieldChanges,
  valueOfPrincipal,
  valueOfUser,
} from '../check/compare.ts';
import { moveOf } from '../check/moves.ts';
import type { CallOptions, Operation } from '../check/operation.ts';
import { isNamed } from '../check/references.ts';
import type { SentUser, StoredPrincipal, StoredUser } from '../fields/compared-values.ts';
import { parseUndo } from '../parse/parse-records.ts';
import { type ParsedRecord, usersWith } from '../parse/parsed-record.ts';
import type { Undo } from '../parse/parsed-user.ts';
import {
  noChange,
  type PrincipalChange,
  type PrincipalStep,
  type UserChange,
  usersTo,
} from '../write/change.ts';
import type { AppliedUser, FieldChange, KeptField } from '../write/outcome.ts';
import { usersListed } from './delete.ts';
import { fieldValue, restore, usernameOf, type Values } from './run-values.ts';
import { readStored, type StoredForUndo, type UndoStore } from './undo-stored.ts';

/**
 * Undoes a run: deletes what it has created and no other call has changed since, and restores the values that are still the ones
 * that it wrote; a user that is still where the run has moved it goes back. Everything else stays as it is and is listed as kept.
 */
export function undoOperation(
  store: UndoStore,
  { run, callerTags }: Pick<CallOptions, 'run' | 'callerTags'>,
): Operation {
  if (run === null) throw new Error('an undo has no run');
  const options = { run, callerTags };
  return {
    name: 'undo',
    parse: parseUndo,
    startChecks:
      ({ showsChanges = false } = {}) =>
      async (parsedRecords) => {
        const stored = await readStored(parsedRecords, options, store);
        return parsedRecords.map((parsed) => {
          const principal = stored.principals.get(parsed.principalId ?? 0);
          if (!principal) {
            parsed.errors.add('ID', 'PRINCIPAL_NOT_FOUND', { variant: 'id' });
            return null;
          }
          return parsed.users === null
            ? undoInsertion(principal, new Set(parsed.leaving), stored)
            : undoChanges(parsed, principal, { stored, showsChanges });
        });
      },
  };
}

function undoInsertion(
  principal: StoredPrincipal,
  leaving: ReadonlySet<number>,
  { touchedPrincipals, firstUsers, principalOfUser }: StoredForUndo,
): PrincipalChange {
  const { id, version, usersCount, fields } = principal;
  const common = { ...noChange, principalId: id, expectedVersion: version, dependsOnVersion: false };
  if (touchedPrincipals.has(id)) return { ...common, keptFields: [{ field: null, reason: 'changed' }] };
  // The same before and after the other records of the undo have moved these users away.
  const deleted = (firstUsers.get(id) ?? []).filter((user) => !leaving.has(user)).slice(0, usersListed);
  return {
    ...common,
    action: 'delete',
    principal: { kind: 'delete', externalKey: fields.ExternalKey },
    storedUsers: usersCount - [...leaving].filter((user) => principalOfUser.get(user) === id).length,
    applied: deleted.map((user): AppliedUser => ({ ...unnamed(user), operation: 'delete' })),
  };
}

function undoChanges(
  parsed: ParsedRecord,
  principal: StoredPrincipal,
  { stored, showsChanges }: { readonly stored: StoredForUndo; readonly showsChanges: boolean },
): PrincipalChange {
  const own = parsed.principal ? undoEditOfPrincipal(principal, stored) : keptPrincipal;
  const users: UserChange[] = [];
  const applied = usersWith(parsed, 'undo').map((undone): AppliedUser => {
    const user = stored.users.get(undone.id);
    const isMoved = user !== undefined && user.principalId === undone.movedTo;
    if (!user || !(isMoved || user.principalId === principal.id))
      return { ...unnamed(undone.id), keptFields: [{ field: null, reason: user ? 'changed' : 'deleted' }] };
    const shown = { id: user.id, username: user.username, email: user.fields.Email };
    if (undone.effects.includes('register')) {
      if (stored.touchedUsers.has(user.id))
        return { ...shown, operation: 'none', keptFields: [{ field: null, reason: 'changed' }] };
      users.push({ kind: 'delete', id: user.id });
      return { ...shown, operation: 'delete' };
    }
    const { edit, kept, changes } = undoEditOfUser(user, undone, stored);
    if (edit) users.push(edit);
    if (isMoved) users.push(moveOf(user, user.version));
    const isDisabled = (edit?.state ?? user.state) === 'disabled';
    return {
      ...shown,
      operation: isMoved ? 'move' : edit ? 'edit' : 'none',
      ...(edit && { changed: edit.changed }),
      ...(isMoved && isDisabled && { state: 'disabled' }),
      ...(edit && showsChanges && { changes }),
      ...(kept.length > 0 && { keptFields: kept }),
    };
  });
  return {
    ...noChange,
    principalId: principal.id,
    principal: own.step,
    expectedVersion: principal.version,
    dependsOnVersion: false,
    storedUsers: users.some(({ kind }) => kind === 'delete') ? principal.usersCount : 0,
    sourceUsers: new Map(
      usersTo({ users }, 'move').map(({ from }): [number, number] => [
        from,
        stored.sources.get(from)?.usersCount ?? 0,
      ]),
    ),
    users,
    applied,
    changes: own.changes,
    ...(own.alias !== null && { restoredAlias: own.alias }),
    ...(own.kept.length > 0 && { keptFields: own.kept }),
  };
}

/** The effect of an undo on the fields of a principal. */
interface PrincipalUndo {
  readonly step: PrincipalStep;
  readonly changes: readonly FieldChange[];
  /** The external key that becomes an alias again; null if there is none. */
  readonly alias: string | null;
  readonly kept: readonly KeptField[];
}

const keptPrincipal: PrincipalUndo = { step: { kind: 'keep' }, changes: [], alias: null, kept: [] };

function undoEditOfPrincipal(
  principal: StoredPrincipal,
  { values, formerAliases, principalOfKey }: StoredForUndo,
): PrincipalUndo {
  const written = values.get(`principal ${principal.id}`) ?? new Map();
  const isTaken = (key: string) => principalOfKey.has(key) && principalOfKey.get(key) !== principal.id;
  const { fields, state, kept } = restore((field) => valueOfPrincipal(principal, field), written, isTaken);
  const cleared = clearedField(principal, { fields, state });
  if (cleared !== null) {
    delete fields[cleared];
    kept.push({ field: cleared, reason: 'last' });
  }
  // An alias that the run has made the external key is an alias again when the principal gets its former key back.
  const key = principal.fields.ExternalKey;
  const aliases = formerAliases.get(principal.id) ?? [];
  const alias = 'ExternalKey' in fields && key !== null && aliases.includes(key) ? key : null;
  for (const other of aliases)
    if (other !== alias && !isNamed(principal, other)) kept.push({ field: 'Aliases', reason: 'changed' });
  const sent = { fields, state };
  const newAliases = alias === null ? [] : [alias];
  const step = editPrincipal(
    { ...principal, aliases: [...principal.aliases, ...newAliases] },
    sent,
    newAliases,
  );
  const changes = fieldChanges(changedOfPrincipal(principal, sent), principal, sent);
  return {
    step,
    changes: alias === null ? changes : [...changes, { field: 'Aliases', from: null, to: alias }],
    alias,
    kept,
  };
}

function undoEditOfUser(
  user: StoredUser,
  { effects, movedTo }: Undo,
  { values, takenUsernames }: StoredForUndo,
) {
  const written: Values = values.get(`user ${user.id}`) ?? new Map();
  // The username that only differs in its spelling is that of the user itself.
  const isTaken = (name: string) => {
    const { key } = usernameOf(name);
    return key !== user.usernameKey && takenUsernames.has(key);
  };
  const { fields, state, mustChange, newUsername, kept } = restore(
    (field) => valueOfUser(user, field),
    written,
    isTaken,
  );
  if (effects.includes('move') && movedTo === null) kept.push({ field: null, reason: 'moved' });
  if (effects.includes('reset')) kept.push({ field: 'Password', reason: 'password' });
  if (effects.includes('edit') && written.size === 0) kept.push({ field: null, reason: 'expired' });
  const sent = { fields, state, mustChange } as SentUser;
  const changed = changedOfUser(user, sent, newUsername);
  const edit = changed.length > 0 ? editUser(user, sent, changed, newUsername) : null;
  const changes = changed.map((field): FieldChange => {
    return { field, from: valueOfUser(user, field), to: fieldValue(written.get(field)?.old ?? null) };
  });
  return { edit, kept, changes };
}

function unnamed(id: number): AppliedUser {
  return { id, username: '', email: null, operation: 'none' };
}
