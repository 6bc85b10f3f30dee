import { ApiError, type UserOfPrincipal } from '@anagrafe/client';
import { findUsers, type ImportConnection } from '../import/calls.ts';
import { foldUsername } from '../import/records.ts';
import type { PlannedCall } from './plan.ts';
import { type RemovalLimit, type Removals, withLimit } from './sync.ts';

/** The users that a plan moves to other principals. */
export interface Moves {
  readonly count: number;
  /** The moved users as stored, by the result of `foldUsername`. Empty if the API client may not read users. */
  readonly users: ReadonlyMap<string, UserOfPrincipal>;
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
  return { count: usernames.length, users };
}

/** Returns the present principal of a user that is moved; undefined if it is not known. */
export function sourceOf({ users }: Moves, username: string): UserOfPrincipal | undefined {
  return users.get(foldUsername(username));
}

/**
 * Returns moves above the limit, of the users of one principal or of all that lose users; null if there are none. The
 * principals are read only if the moves are more than are always allowed.
 */
export async function findExcessiveMoves(
  { count, users }: Moves,
  limit: RemovalLimit,
  { anagrafe, signal }: ImportConnection,
): Promise<Removals | null> {
  if (count <= limit.alwaysAllowed) return null;
  const losses = new Map<number, number>();
  for (const { IRID } of users.values()) losses.set(IRID, (losses.get(IRID) ?? 0) + 1);
  let storedUsers = 0;
  for (const [ID, lost] of losses)
    for await (const { ExternalKey, UsersCount } of anagrafe.list(
      { ID, PageSize: 1, UsersShown: 0 },
      { signal },
    )) {
      const found = withLimit(
        { principal: ExternalKey ?? String(ID), removals: lost, storedUsers: UsersCount },
        limit,
      );
      if (found.removals > found.allowed) return found;
      storedUsers += UsersCount;
    }
  const all = withLimit({ principal: null, removals: count, storedUsers }, limit);
  return all.removals > all.allowed ? all : null;
}
