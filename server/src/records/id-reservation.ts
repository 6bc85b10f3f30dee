import type { IdNeed, Operation, ReservedIds } from './operation.ts';
import { type ParsedRecord, required } from './parsed-record.ts';

export interface IdStore {
  /** Reserves IDs before the writes, so that records written in parallel are numbered in the order sent. */
  reservePrincipalIds(count: number): Promise<readonly number[]>;
  reserveUserIds(count: number): Promise<readonly number[]>;
}

/** Reserves the IDs of all records at once, because each reservation costs a disk write. */
export async function reserveIds(needs: readonly IdNeed[], store: IdStore): Promise<ReservedIds[]> {
  const [principalIds, userIds] = await Promise.all([
    store.reservePrincipalIds(needs.reduce((sum, { principals }) => sum + principals, 0)),
    store.reserveUserIds(needs.reduce((sum, { users }) => sum + users, 0)),
  ]);
  const principals = principalIds.values();
  let offset = 0;
  return needs.map((need) => {
    const principal = need.principals === 1 ? (principals.next().value ?? null) : null;
    const users = userIds.slice(offset, offset + need.users);
    offset += need.users;
    return { principal, users };
  });
}

const noIds: ReservedIds = { principal: null, users: [] };

/** Reserves the IDs of the valid records. Returns one element per record; an invalid record gets no IDs. */
export async function reserveFor<D extends ParsedRecord>(
  parsedRecords: readonly D[],
  operation: Operation<D>,
): Promise<ReservedIds[]> {
  const valid = parsedRecords.filter((parsed) => parsed.errors.none);
  const reserved = (await operation.reserveIds(valid.map((parsed) => operation.need(parsed)))).values();
  return parsedRecords.map((parsed) => (parsed.errors.none ? required(reserved.next().value) : noIds));
}
