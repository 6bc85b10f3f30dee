import type { Job } from '@anagrafe/client';
import { type ImportOperation, sumOf } from './calls.ts';
import { type CombinedRecord, hasSecret, usersOf } from './records.ts';

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

/**
 * Returns the effects of the applied records of a job. All users of a record of `irs/insert` and `irs/update` are new;
 * `counts` has how many users of `irs/upsert` are.
 *
 * @param invited The number of users that the job has invited.
 */
export function totalsOf(
  operation: ImportOperation,
  applied: readonly CombinedRecord[],
  counts: Job['Counts'],
  invited: number,
): ImportTotals {
  let users = 0;
  let secrets = 0;
  for (const { record } of applied)
    for (const user of usersOf(record)) {
      users++;
      if (hasSecret(user)) secrets++;
    }
  if (operation !== 'upsert')
    return {
      ...noTotals,
      PrincipalsInserted: operation === 'insert' ? applied.length : 0,
      UsersRegistered: users,
      UsersInvited: invited,
    };
  const { PrincipalsInserted, PrincipalsUpdated, UsersRegistered, UsersUpdated, UsersMoved } =
    counts ?? noTotals;
  return {
    ...noTotals,
    PrincipalsInserted,
    PrincipalsUpdated,
    UsersRegistered,
    UsersInvited: invited,
    UsersUpdated,
    UsersMoved,
    UsersUnchanged: users - UsersRegistered - UsersUpdated - UsersMoved,
    // A new user always has a password or is invited, and the service keeps the passwords of existing users.
    PasswordsNotUsed: secrets - (UsersRegistered - invited),
  };
}
