import type { Username } from '../../usernames/username.ts';
import type { StoredUserFields } from '../compared-values.ts';
import type { PrincipalFields, State } from '../fields.ts';
import type { AppliedUser, PrincipalOutcome, WriteContext, Written } from '../outcome.ts';
import type { NewPassword, NewUser } from '../user-item.ts';

// The general form of a write: all changes of one record to a principal and to its users, which are applied completely
// or not at all. The checks compute it from the stored values; `expectedVersion` makes sure that these are still stored
// when it is written.

/** The values of a principal after the change. */
export interface PrincipalValues {
  readonly fields: PrincipalFields;
  readonly state: State;
  readonly searchTerms: readonly string[];
}

export type PrincipalStep =
  | { readonly kind: 'insert'; readonly values: PrincipalValues }
  | {
      readonly kind: 'edit';
      readonly values: PrincipalValues;
      /** The names of the fields whose values differ from the stored ones, including `State`. Not empty. */
      readonly changed: readonly string[];
    }
  | { readonly kind: 'keep' }
  /** Deletes all users of the principal as well. */
  | { readonly kind: 'delete'; readonly externalKey: string | null; readonly usersCount: number };

/** The values of an existing user after the change. */
export interface UserEdit {
  readonly id: number;
  /** Null if the username stays as it is. */
  readonly newUsername: Username | null;
  /** Null if all fields stay as they are. Attributes that are absent stay as they are, too. */
  readonly fields: StoredUserFields | null;
  readonly state: State;
  /** Null if the password stays as it is. */
  readonly passwordHash: string | null;
  /** The names of the changed fields, including `Username`, `State` and `Password`. Not empty. */
  readonly changed: readonly string[];
}

export interface PrincipalChange {
  readonly principalId: number;
  /** The action of the audit row. */
  readonly action: 'insert' | 'update' | 'state' | 'delete';
  readonly principal: PrincipalStep;
  /** False if the answer does not contain the effect on the principal, because the record has none of its fields. */
  readonly reportsPrincipal?: boolean;
  /**
   * The version of the principal that the checks found; see `versionOf` in stored-rows.store.ts. Null for a new principal,
   * and for a change that does not depend on stored values.
   */
  readonly expectedVersion: string | null;
  readonly registrations: readonly NewUser[];
  readonly resets: readonly NewPassword[];
  readonly edits: readonly UserEdit[];
  /** The IDs of users to delete. Empty if the principal is deleted with all of its users. */
  readonly deletes: readonly number[];
  /** The users of the record in the order sent, and then those that it removes, for the answer and the stored outcome. */
  readonly applied: readonly AppliedUser[];
  readonly context: WriteContext;
}

export interface ChangeStore {
  /** Writes a group of records as `Operation.write` describes. */
  writeChanges(changes: readonly PrincipalChange[]): Promise<readonly (Written | null)[]>;
}

/** Returns true if the record leaves the store as it is. Only its outcome is stored then. */
export function isUnchanged({ principal, registrations, resets, edits, deletes }: PrincipalChange): boolean {
  return (
    principal.kind === 'keep' && [registrations, resets, edits, deletes].every((users) => users.length === 0)
  );
}

const principalOutcomes: Record<PrincipalStep['kind'], PrincipalOutcome> = {
  insert: 'inserted',
  edit: 'updated',
  keep: 'unchanged',
  delete: 'deleted',
};

/** Returns the effect on the principal; null if the answer does not contain it. */
export function principalOutcome({
  principal,
  reportsPrincipal = true,
}: PrincipalChange): PrincipalOutcome | null {
  return reportsPrincipal ? principalOutcomes[principal.kind] : null;
}

/** A principal may have a million users, which one statement deletes in minutes. */
export function takesLong({ principal, resets, edits, deletes }: PrincipalChange): boolean {
  const deleted = principal.kind === 'delete' ? principal.usersCount : 0;
  return deleted + resets.length + edits.length + deletes.length > 10_000;
}

/** What the audit log notes about a change, except the actor. */
export interface AuditedChange {
  readonly action: string;
  readonly registered: readonly number[];
  readonly reset: readonly number[];
  readonly deleted: readonly number[];
  /** JSON: the names of changed fields. It contains no personal values, because the row stays when a user is deleted. */
  readonly details: string;
}

/** Maximum number of users in one audit row. */
export const usersPerAuditRow = 1000;

/** Returns the audit rows of a change: one, and further ones if it names many users. Those have the users only. */
export function auditRows(change: PrincipalChange): AuditedChange[] {
  const { action, registrations, edits, deletes } = change;
  const registered = registrations.map(({ id }) => id);
  const reset = resetUsers(change);
  const edited = edits.map(({ id, changed, state }) => [
    id,
    changed,
    changed.includes('State') ? state : null,
  ]);
  const count = registered.length + reset.length + edited.length + deletes.length;
  return Array.from({ length: Math.max(1, Math.ceil(count / usersPerAuditRow)) }, (_, number) => {
    // The lists follow each other; a row has the users of one part of all of them.
    let start = number * usersPerAuditRow;
    const inRow = <Item>(list: readonly Item[]): Item[] => {
      const part = list.slice(Math.max(start, 0), Math.max(start + usersPerAuditRow, 0));
      start -= list.length;
      return part;
    };
    const part = {
      registered: inRow(registered),
      reset: inRow(reset),
      edited: inRow(edited),
      deleted: inRow(deletes),
    };
    const details = {
      ...(number === 0 && auditDetails(change)),
      ...(part.edited.length > 0 && { users: part.edited }),
    };
    return { action: number === 0 ? action : 'update', ...part, details: JSON.stringify(details) };
  });
}

/** Returns the users whose passwords are reset. */
export function resetUsers({ resets, edits }: PrincipalChange): number[] {
  return [...resets, ...edits.filter(({ passwordHash }) => passwordHash !== null)].map(({ id }) => id);
}

function auditDetails({ principal }: PrincipalChange) {
  const changed = principal.kind === 'edit' ? principal.changed : [];
  const fields = changed.filter((name) => name !== 'State');
  return {
    ...(fields.length > 0 && { changed: fields }),
    ...(principal.kind === 'edit' && changed.includes('State') && { state: principal.values.state }),
    ...(principal.kind === 'delete' &&
      principal.externalKey !== null && { externalKey: principal.externalKey }),
  };
}
