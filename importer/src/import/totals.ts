import { sumOf } from './calls.ts';

/** The effects of an import on the principals and users of its applied and skipped rows. */
export interface ImportTotals {
  readonly PrincipalsInserted: number;
  readonly PrincipalsUpdated: number;
  /** Existing principals that were equal to the file. */
  readonly PrincipalsUnchanged: number;
  readonly UsersRegistered: number;
  /** Registered users that have no password yet, and were invited to set one. */
  readonly UsersInvited: number;
  readonly UsersUpdated: number;
  /** Users of other principals that were moved, with or without new values. */
  readonly UsersMoved: number;
  /** Existing users that were equal to the file, apart from their passwords. */
  readonly UsersUnchanged: number;
  /** Passwords and hashes of the file that were not used, because their users existed. */
  readonly PasswordsNotUsed: number;
}

export const noTotals: ImportTotals = {
  PrincipalsInserted: 0,
  PrincipalsUpdated: 0,
  PrincipalsUnchanged: 0,
  UsersRegistered: 0,
  UsersInvited: 0,
  UsersUpdated: 0,
  UsersMoved: 0,
  UsersUnchanged: 0,
  PasswordsNotUsed: 0,
};

export function addTotals(one: ImportTotals, other: ImportTotals): ImportTotals {
  return sumOf(noTotals, one, other);
}
