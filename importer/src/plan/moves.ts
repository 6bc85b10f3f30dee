import type { UserOfPrincipal } from '@anagrafe/client';
import { findUsers, type ImportConnection, unlessForbidden } from '../import/calls.ts';
import { foldUsername } from '../import/records.ts';
import { type PlannedCall, storedUsersOf } from './plan.ts';

/** The users that a plan moves to other principals. */
export interface Moves {
  readonly count: number;
  /** The moved users as stored, by the result of `foldUsername`. Empty if the API client may not read users. */
  readonly users: ReadonlyMap<string, UserOfPrincipal>;
  /** The number of users of each principal of the plan by its ID, without those that it loses to others, or fewer. */
  readonly storedUsers: ReadonlyMap<number, number>;
}

/** Finds the present principals of the users that a plan moves. */
export async function findMoves(calls: readonly PlannedCall[], connection: ImportConnection): Promise<Moves> {
  const usernames = calls
    .flatMap(({ records }) => records)
    .flatMap(({ tuple }) => (tuple?.Item3 ? (tuple.Item6.Users ?? []) : []))
    .flatMap(({ Operation, Username }) => (Operation === 'move' && Username !== null ? [Username] : []));
  const users =
    (await unlessForbidden(findUsers(usernames, connection))) ?? new Map<string, UserOfPrincipal>();
  const storedUsers = new Map<number, number>();
  for (const record of calls.flatMap(({ records }) => records))
    if (record.tuple?.Item3 && record.tuple.Item1 !== null)
      storedUsers.set(record.tuple.Item1, storedUsersOf(record));
  return { count: usernames.length, users, storedUsers };
}

/** Returns the present principal of a user that is moved; undefined if it is not known. */
export function sourceOf({ users }: Moves, username: string): UserOfPrincipal | undefined {
  return users.get(foldUsername(username));
}
