import { ApiError, type UserOfPrincipal } from '@anagrafe/client';
import { findUsers, type ImportConnection } from '../import/calls.ts';
import { foldUsername } from '../import/records.ts';
import type { PlannedCall } from './plan.ts';
import { type RemovalLimit, type Removals, storedUsersOf, withLimit } from './removals.ts';

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
  const users = await findUsers(usernames, connection).catch((error) => {
    if (error instanceof ApiError && error.code === 'FORBIDDEN') return new Map<string, UserOfPrincipal>();
    throw error;
  });
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

/**
 * Returns moves above the limit, of the users of one principal or of all that lose users; null if there are none. Reads
 * the principals that lose more users than are always allowed, and others only until all of them together have enough
 * users for the moves.
 */
export async function findExcessiveMoves(
  { count, users, storedUsers }: Moves,
  limit: RemovalLimit,
  { anagrafe, signal }: ImportConnection,
): Promise<Removals | null> {
  if (count <= limit.alwaysAllowed) return null;
  const losses = new Map<number, number>();
  for (const { IRID } of users.values()) losses.set(IRID, (losses.get(IRID) ?? 0) + 1);
  const knownOf = (ID: number, lost: number) => lost + (storedUsers.get(ID) ?? 0);
  let known = 0;
  for (const [ID, lost] of losses) known += knownOf(ID, lost);
  const all = () => withLimit({ principal: null, removals: count, storedUsers: known }, limit);
  for (const [ID, lost] of [...losses].toSorted(([, one], [, other]) => other - one)) {
    if (lost <= limit.alwaysAllowed && count <= all().allowed) return null;
    const filter = { ID, PageSize: 1, UsersShown: 0 };
    for await (const { ExternalKey, UsersCount } of anagrafe.list(filter, { signal })) {
      const principal = ExternalKey ?? String(ID);
      const found = withLimit({ principal, removals: lost, storedUsers: UsersCount }, limit);
      if (found.removals > found.allowed) return found;
      known += UsersCount - knownOf(ID, lost);
    }
  }
  const found = all();
  return found.removals > found.allowed ? found : null;
}
