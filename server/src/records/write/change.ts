import type { FieldErrors } from '../../lib/field-errors.ts';
import type { Username } from '../../usernames/username.ts';
import type { StoredUserFields } from '../fields/compared-values.ts';
import type { PrincipalFields, State, UserFields } from '../fields/fields.ts';
import type { FirstPassword, InviteChannel, NewPassword } from '../parse/new-password.ts';
import type { AppliedUser, FieldChange, KeptField, Outcome, PrincipalOutcome } from './outcome.ts';

// The general form of a write: all changes of one record to a principal and to its users, which are applied completely
// or not at all. The checks compute it from the stored values; `expectedVersion` makes sure that these are still stored
// when it is written.

/** The values of a principal after the change. */
export interface PrincipalValues {
  readonly fields: PrincipalFields;
  readonly state: State;
  /** The external keys of the principals that were merged into it, by which it is found too. */
  readonly aliases: readonly string[];
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
  | { readonly kind: 'delete'; readonly externalKey: string | null };

export interface NewUser extends FirstPassword {
  readonly kind: 'register';
  /** Null until the ID is reserved. */
  readonly id: number | null;
  readonly username: string;
  readonly usernameKey: string;
  readonly fields: UserFields;
  readonly state: State;
}

/** The values of an existing user after the change. What is absent or null stays as it is. */
export interface UserEdit {
  readonly kind: 'edit';
  readonly id: number;
  readonly newUsername?: Username | null;
  /** Attributes that are absent stay as they are. */
  readonly fields?: StoredUserFields;
  readonly state: State;
  readonly password?: NewPassword | null;
  /** True if the user must change its password. A new password has a value of its own. */
  readonly mustChange?: boolean | null;
  /** The names of the changed fields, including `Username`, `State` and `Password`. Not empty. */
  readonly changed: readonly string[];
}

/** A user of another principal that becomes a user of the principal of the change, with its ID and its password. */
export interface UserMove {
  readonly kind: 'move';
  readonly id: number;
  /** The ID of the principal that the user has so far. */
  readonly from: number;
  readonly usernameKey: string;
  /** The version of the user that the checks found; null if the change depends on no value of the user but its username. */
  readonly expectedVersion: string | null;
}

/** A principal that is merged into the one of the change: all of its users move, and it is deleted. */
export interface MergedPrincipal {
  readonly id: number;
  /** The version and the number of users that the checks found. */
  readonly version: string;
  readonly users: number;
  readonly externalKey: string | null;
  /** The key that becomes an alias; null if the other principal gets it as its own. */
  readonly alias: string | null;
}

/** An existing user that is invited to set its password. */
interface UserInvite {
  readonly kind: 'invite';
  readonly id: number;
  readonly channel: InviteChannel;
  /** True if the user is only invited while it has no password. */
  readonly unlessHasPassword: boolean;
}

/** What a change does to a user. A user that moves may be edited or get a password as well, and is then listed twice. */
export type UserChange =
  | NewUser
  | UserEdit
  | { readonly kind: 'reset'; readonly id: number; readonly password: NewPassword }
  | UserMove
  | UserInvite
  | { readonly kind: 'delete'; readonly id: number };

/** Returns the changes of users of some kinds. */
export function usersTo<Kind extends UserChange['kind'], User extends UserChange>(
  { users }: { readonly users: readonly User[] },
  ...kinds: readonly Kind[]
): Extract<User, { kind: Kind }>[] {
  return users.filter((user): user is Extract<User, { kind: Kind }> =>
    kinds.some((kind) => kind === user.kind),
  );
}

export interface PrincipalChange {
  /** Null if the change inserts the principal. */
  readonly principalId: number | null;
  /** The action of the audit row. */
  readonly action: 'insert' | 'update' | 'state' | 'delete';
  readonly principal: PrincipalStep;
  /** False if the answer does not contain the effect on the principal, because the record has none of its fields. */
  readonly reportsPrincipal?: boolean;
  /**
   * The version of the principal that the checks found; see `versionOf` in stored-rows.store.ts. Null for a new principal,
   * and for a change that depends on no stored value but the state.
   */
  readonly expectedVersion: string | null;
  /** False if the effect is the same for any version, so that other records of the principal may be written first. */
  readonly dependsOnVersion?: boolean;
  /** Number of stored users, for the limit of removals; 0 if the record removes none of them, whichever users it contains. */
  readonly storedUsers: number;
  /** The number of users of each principal that loses users, by its ID, for the limit of moves; absent without one. */
  readonly sourceUsers?: ReadonlyMap<number, number>;
  /** Without the users of a principal that is deleted with all of them. */
  readonly users: readonly UserChange[];
  readonly merged?: MergedPrincipal;
  /** The external key that an undo replaces by the former one, and that is an alias again. */
  readonly restoredAlias?: string;
  /** The users of the record in the order sent, and then those that it removes, for the answer and the stored outcome. */
  readonly applied: readonly AppliedUser[];
  /** The mapped usernames of missing users that stay, because other records of the call contain them. */
  readonly namedElsewhere?: readonly string[];
  /** The changed fields of the principal with their values, for a dry run. */
  readonly changes?: readonly FieldChange[];
  /** The fields of the principal that an undo or a merge leaves as they are. */
  readonly keptFields?: readonly KeptField[];
}

/** A change without an effect, which the operations add theirs to. */
export const noChange = {
  action: 'update',
  principal: { kind: 'keep' },
  expectedVersion: null,
  storedUsers: 0,
  users: [],
  applied: [],
} satisfies Partial<PrincipalChange>;

/** Returns the IDs of the principals that lose users. */
export function sourcesOf(change: Pick<PrincipalChange, 'users' | 'merged'>): number[] {
  const { merged } = change;
  return [...new Set([...usersTo(change, 'move').map(({ from }) => from), ...(merged ? [merged.id] : [])])];
}

/** Returns the IDs of the existing principals that the change writes. */
export function principalsOf(change: PrincipalChange): number[] {
  return [...(change.principalId === null ? [] : [change.principalId]), ...sourcesOf(change)];
}

/** Returns the number of users that the change writes. It limits the size of a group. */
export function sizeOf({ principal, storedUsers, users }: PrincipalChange): number {
  return principal.kind === 'delete' ? storedUsers : users.length;
}

/** Returns the passwords that the change writes. */
export function passwordsIn(change: PrincipalChange): NewPassword[] {
  return usersTo(change, 'register', 'reset', 'edit').flatMap(({ password }) => password ?? []);
}

/** Returns true if the record leaves the store as it is. Only its outcome is stored then. */
export function isUnchanged(change: PrincipalChange): boolean {
  return change.principal.kind === 'keep' && sizeOf(change) === 0 && !change.merged;
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
  merged,
  reportsPrincipal = true,
}: PrincipalChange): PrincipalOutcome | null {
  if (!reportsPrincipal) return null;
  // A merge changes the principal also if it gets neither a value nor a user.
  return merged ? 'updated' : principalOutcomes[principal.kind];
}

/** Returns the outcome of a written record or, in a dry run, of one that would be written. */
export function outcomeOf(change: PrincipalChange, errors: FieldErrors): Outcome {
  const principal = principalOutcome(change);
  return {
    id: change.principalId,
    error: null,
    errors,
    users: change.applied,
    ...(principal && { principal }),
    ...(change.keptFields && { keptFields: change.keptFields }),
  };
}

/** A principal may have a million users, which one statement deletes in minutes. Moves take longer than other changes. */
export function takesLong(change: PrincipalChange): boolean {
  return sizeOf(change) > 10_000 || usersTo(change, 'move').length >= 1000;
}

/** Returns the users whose passwords are reset. */
export function resetUsers(change: PrincipalChange): number[] {
  const users = usersTo(change, 'reset', 'edit').filter(({ password }) => password);
  return users.map(({ id }) => id);
}
