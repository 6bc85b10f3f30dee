import { TimeSlice } from '../lib/yield-to-event-loop.ts';
import type { Username } from '../usernames/username.ts';
import type { StoredUserFields } from './compared-values.ts';
import type { PrincipalFields, State } from './fields.ts';
import type { AppliedUser, WriteContext, Written } from './outcome.ts';
import type { NewPassword, NewUser } from './user-item.ts';

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
   * The version of the principal that the checks found; see `versionOf` in change.store.ts. Null for a new principal,
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

/** `register` if a record registers users, `rename` if a record deletes or renames users or the principal. */
export type ChangeKind = 'edit' | 'register' | 'rename';

/** Returns the kind of a group of records: the one that needs the strongest locks. */
export function kindOf(changes: readonly PrincipalChange[]): ChangeKind {
  if (changes.some(changesNames)) return 'rename';
  return changes.some(({ registrations }) => registrations.length > 0) ? 'register' : 'edit';
}

function changesNames({ principal, edits, deletes }: PrincipalChange): boolean {
  const changesKey = principal.kind === 'edit' && principal.changed.includes('ExternalKey');
  const renames = edits.some(({ changed }) => changed.includes('Username'));
  return principal.kind === 'delete' || deletes.length > 0 || changesKey || renames;
}

/** A principal may have a million users, which one statement deletes in minutes. */
export function takesLong({ principal, resets, edits, deletes }: PrincipalChange): boolean {
  const deleted = principal.kind === 'delete' ? principal.usersCount : 0;
  return deleted + resets.length + edits.length + deletes.length > 10_000;
}

/**
 * Returns the details of the audit row as JSON: the names of changed fields. They contain no personal values, because
 * the row stays when a user is deleted.
 */
export async function auditDetails({ principal, edits }: PrincipalChange): Promise<string> {
  const changed = principal.kind === 'edit' ? principal.changed : [];
  const fields = changed.filter((name) => name !== 'State');
  const details = {
    ...(fields.length > 0 && { changed: fields }),
    ...(principal.kind === 'edit' && changed.includes('State') && { state: principal.values.state }),
    ...(principal.kind === 'delete' &&
      principal.externalKey !== null && { externalKey: principal.externalKey }),
  };
  if (edits.length === 0) return JSON.stringify(details);
  const timeSlice = new TimeSlice();
  const users: string[] = [];
  for (const { id, changed: names, state } of edits) {
    users.push(JSON.stringify([id, names, names.includes('State') ? state : null]));
    if (timeSlice.isOver) await timeSlice.yield();
  }
  const others = JSON.stringify(details).slice(1, -1);
  return `{${others}${others && ','}"users":[${users.join(',')}]}`;
}
