import { ApiError, type UpsertTuple } from '@anagrafe/client';
import type { ImportConnection } from '../import/calls.ts';
import { foldUsername, usersOf } from '../import/records.ts';
import { inCalls, type PlannedCall, type PlannedRecord, planUpserts } from './plan.ts';
import { problemsOfRecord, type RowProblem, type SyncRecord } from './sync-file.ts';

export type MissingPolicy = 'keep' | 'disable' | 'delete';

/** What a sync of a file would do. */
export interface SyncPlan {
  readonly calls: readonly PlannedCall<SyncRecord>[];
  /** The errors of the records that the service refuses. They are not applied. */
  readonly failed: readonly RowProblem[];
  readonly failedRecords: readonly SyncRecord[];
  /** The errors because of which the whole file cannot be used. */
  readonly conflicts: readonly RowProblem[];
}

export async function planSync(
  records: readonly SyncRecord[],
  missing: MissingPolicy,
  connection: ImportConnection,
  onProgress: (done: number) => void,
): Promise<SyncPlan> {
  // The IDs of principals are compared, also of those that stay unchanged.
  const comparesIds =
    records.some(({ expectedId }) => expectedId !== null) ||
    (records.some(({ record }) => referenceOf(record).ID !== undefined) &&
      records.some(({ record }) => referenceOf(record).ExternalKey !== undefined));
  const options = { missing, changed: !comparesIds };
  const calls = await planUpserts(inCalls(records), options, connection, onProgress);
  const results = calls.flatMap((call) => call.records);
  const refused = results.flatMap(({ planned, tuple }) =>
    tuple && !tuple.Item3 ? [{ planned, tuple }] : [],
  );
  const principals = new Set<number>();
  return {
    calls,
    failed: refused.flatMap(({ planned, tuple }) =>
      isRepeated(tuple) ? [] : problemsOfRecord(planned, tuple),
    ),
    failedRecords: refused.map(({ planned }) => planned),
    conflicts: results.flatMap((record) => conflictOf(record, principals) ?? []),
  };
}

interface Reference {
  readonly ID?: number;
  readonly ExternalKey?: string;
}

function referenceOf(record: object): Reference {
  return record as Reference;
}

/**
 * Returns an error if the file has the ExternalKey of one principal and the ID of another, of which one is wrong, or if
 * two records are of one principal, because the users of each record would be missing in the other.
 *
 * @param principals The IDs of the principals of earlier records. That of this record is added.
 */
function conflictOf(
  { planned, tuple }: PlannedRecord<SyncRecord>,
  principals: Set<number>,
): RowProblem | null {
  if (!tuple) return null;
  const { Item1, Item3 } = tuple;
  const { expectedId, members, record } = planned;
  const line = members[0]?.row.line ?? 0;
  if (isRepeated(tuple) || (Item1 !== null && principals.has(Item1)))
    return {
      line,
      message:
        'Another row of the file names the same principal in another way. Use the ExternalKey in all rows of the principal, or the ID.',
    };
  if (Item1 !== null) principals.add(Item1);
  if (!Item3 || expectedId === null || Item1 === expectedId) return null;
  const other = Item1 === null ? 'no principal has' : `principal ${Item1} has`;
  return {
    line,
    message: `The ID is ${expectedId}, but ${other} the ExternalKey ${referenceOf(record).ExternalKey}. Correct one of them, or remove the column ID.`,
  };
}

/** Returns true if an earlier record of the call has the same principal. */
function isRepeated({ Item5 }: Pick<UpsertTuple, 'Item5'>): boolean {
  return Object.values(Item5).some((found) => found.some(({ code }) => code === 'DUPLICATE_PRINCIPAL'));
}

/** Users that a plan would disable or delete. */
export interface Removals {
  /** The ExternalKey or ID of the principal; null for all of them together. */
  readonly principal: string | null;
  readonly removals: number;
  readonly storedUsers: number;
  /** The largest number of removals that the limit allows. */
  readonly allowed: number;
}

interface RemovalLimit {
  /** The share of the stored users, in percent. */
  readonly maxPercent: number;
  /** The number of users that may be removed in any case. */
  readonly alwaysAllowed: number;
}

/**
 * Returns removals above the limit, of all principals together or of one of them; null if there are none: many removals
 * can mean that the file is incomplete.
 */
export function findExcessiveRemovals(
  { calls }: Pick<SyncPlan, 'calls'>,
  { maxPercent, alwaysAllowed }: RemovalLimit,
): Removals | null {
  const withLimit = (principal: string | null, removals: number, storedUsers: number) => {
    const allowed = Math.max(alwaysAllowed, Math.floor((storedUsers * maxPercent) / 100));
    return { principal, removals, storedUsers, allowed };
  };
  const found = calls
    .flatMap(({ records }) => records)
    .map((record) => {
      const { ExternalKey, ID } = referenceOf(record.planned.record);
      return withLimit(String(ExternalKey ?? ID), removalsOf(record), storedUsersOf(record));
    });
  const sum = (name: 'removals' | 'storedUsers') => found.reduce((total, each) => total + each[name], 0);
  const all = withLimit(null, sum('removals'), sum('storedUsers'));
  return [all, ...found].find(({ removals, allowed }) => removals > allowed) ?? null;
}

function removalsOf({ tuple }: PlannedRecord): number {
  const users = tuple?.Item3 ? (tuple.Item6.Users ?? []) : [];
  return users.filter(({ Operation }) => Operation === 'disable' || Operation === 'delete').length;
}

/** Returns the number of stored users of the principal of a record; 0 for a record that fails. */
function storedUsersOf({ planned, tuple }: PlannedRecord): number {
  if (!tuple) return usersOf(planned.record).length;
  return (tuple.Item6.Users ?? []).filter(({ Operation }) => Operation !== 'register').length;
}

/** The most disabled users of the service that are read, to find those of the file among them. */
const disabledMax = 10_000;

/**
 * Returns the usernames of the file whose users are disabled and stay so, because the file has no `State` for them.
 * Returns null if the API client may not read users, or if the service has too many disabled ones.
 */
export async function findDisabled(
  records: readonly SyncRecord[],
  { anagrafe }: ImportConnection,
): Promise<string[] | null> {
  const kept = new Map<string, string>();
  for (const { record } of records)
    for (const { Username, State } of usersOf(record))
      if (typeof Username === 'string' && !State) kept.set(foldUsername(Username), Username);
  const found: string[] = [];
  let read = 0;
  if (kept.size === 0) return found;
  try {
    for await (const user of anagrafe.users({ State: 'disabled', PageSize: 1000 })) {
      if (++read > disabledMax) return null;
      const username = kept.get(foldUsername(user.Username));
      if (username !== undefined) found.push(username);
    }
  } catch (error) {
    if (error instanceof ApiError && error.code === 'FORBIDDEN') return null;
    throw error;
  }
  return found;
}
