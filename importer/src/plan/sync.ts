import type { ImportRow } from '../file/rows.ts';
import { type ImportConnection, unlessForbidden } from '../import/calls.ts';
import { isRepeated } from '../import/principal-aliases.ts';
import { foldUsername, usersOf } from '../import/records.ts';
import { codedError, type RowError } from '../import/row-errors.ts';
import { findExchanges } from './exchanges.ts';
import {
  type CallLimits,
  callLimits,
  inCalls,
  type PlannedCall,
  type PlannedRecord,
  type PlannedTuple,
  type PlanRules,
  planUpserts,
} from './plan.ts';
import { hasReversed, regroup, tooLargeExchange } from './regroup.ts';
import { problemsOfRecord, type RowProblem, type SyncRecord } from './sync-file.ts';

export type MissingPolicy = 'keep' | 'disable' | 'delete';

/** What a sync of a file would do. */
export interface SyncPlan {
  readonly calls: readonly PlannedCall<SyncRecord>[];
  /** The errors of the records that the service refuses. They are not applied. */
  readonly failed: readonly RowProblem[];
  readonly failedRecords: readonly SyncRecord[];
  /** The errors of the users that were left out of their records. They are not applied, and not missing. */
  readonly leftOut: readonly RowProblem[];
  /** The errors because of which the whole file cannot be used. */
  readonly conflicts: readonly RowProblem[];
}

interface SyncOptions {
  readonly rules: PlanRules;
  /** Applies a record without the users that the service refuses. Otherwise the record fails with all of its users. */
  readonly isPartial: boolean;
  readonly onProgress: (done: number) => void;
  readonly limits?: SyncLimits;
}

interface SyncLimits {
  readonly call: CallLimits;
  /** Number of times that records are planned again, without refused users or in other calls. */
  readonly revisions: number;
}

/** The service reports all errors of a record at once, so that few revisions are enough. */
const syncLimits: SyncLimits = { call: callLimits, revisions: 8 };

/** The plan still changed after the last revision. */
export class UnsettledPlanError extends Error {
  override name = 'UnsettledPlanError';
}

export async function planSync(
  records: readonly SyncRecord[],
  { rules, isPartial, onProgress, limits = syncLimits }: SyncOptions,
  connection: ImportConnection,
): Promise<SyncPlan> {
  // The IDs of principals are compared, also of those that stay unchanged.
  const options = { ...rules, changed: records.every(({ expectedId }) => expectedId === null) };
  const usernames = usernamesOf(records);
  const leftOut: RowProblem[] = [];
  let calls: PlannedCall<SyncRecord>[] = [];
  let open: (readonly SyncRecord[])[] = inCalls(
    records.map((record) => [record]),
    limits.call,
  );
  const refusedCalls: PlannedCall<SyncRecord>[] = [];
  const tooLarge = new Set<SyncRecord>();
  const isOpen = ({ tuple }: PlannedRecord) =>
    isPartial && tuple !== undefined && refusedUsers(tuple) !== null;
  for (let revision = 0; open.length > 0; revision++) {
    // A plan that is not revised could remove users that the file has.
    if (revision > limits.revisions) throw new UnsettledPlanError();
    const planned = [...calls, ...(await planUpserts(open, options, connection, onProgress))].toSorted(
      (one, other) => firstRow(one) - firstRow(other),
    );
    calls = [];
    open = [];
    const exchanges = await findExchanges(planned, isOpen, connection);
    if (hasReversed(exchanges, planned)) {
      const regrouped = regroup(planned, exchanges, { isOpen, limits: limits.call });
      open = [...regrouped.open];
      refusedCalls.push(...regrouped.refused);
      for (const record of regrouped.tooLarge) tooLarge.add(record);
      continue;
    }
    for (const call of planned) {
      const revised = call.records.map((each) => revise(each, { usernames, isPartial }));
      for (const { problems } of revised) leftOut.push(...problems);
      if (revised.some(({ isChanged }) => isChanged)) open.push(revised.map(({ record }) => record));
      else calls.push(call);
    }
  }
  calls.push(...refusedCalls);
  const results = calls
    .flatMap((call) => call.records)
    .toSorted((one, other) => rowOf(one.planned) - rowOf(other.planned));
  const refused = results.flatMap(({ planned, tuple }) =>
    tuple && !tuple.Item3 ? [{ planned, tuple }] : [],
  );
  return {
    calls,
    failed: refused.flatMap(({ planned, tuple }) =>
      tooLarge.has(planned)
        ? problemOf(firstOf(planned), tooLargeExchange)
        : problemsOfRecord(planned, tuple),
    ),
    failedRecords: refused.map(({ planned }) => planned),
    leftOut,
    conflicts: results.flatMap((record) => conflictOf(record) ?? []),
  };
}

function firstRow({ records }: PlannedCall<SyncRecord>): number {
  return records[0] ? rowOf(records[0].planned) : 0;
}

function rowOf(record: SyncRecord): number {
  return firstOf(record).number;
}

/** Returns the first row of a record. */
function firstOf({ members }: SyncRecord): Pick<ImportRow, 'number' | 'line'> {
  return members[0]?.row ?? noRow;
}

const noRow = { number: 0, line: 0 };

/** Returns the usernames of the file, as `foldUsername` returns them. */
function usernamesOf(records: readonly SyncRecord[]): ReadonlySet<string> {
  const usernames = new Set<string>();
  for (const { record } of records)
    for (const { Username } of usersOf(record))
      if (typeof Username === 'string') usernames.add(foldUsername(Username));
  return usernames;
}

interface Revision {
  readonly record: SyncRecord;
  readonly isChanged: boolean;
  readonly problems: readonly RowProblem[];
}

/**
 * Returns a record as it is to be planned again: without the users that the service refuses, if these are its only errors,
 * and with the stored users that would be removed although the file has them. These are in a record that fails, were left
 * out of one, or are in another call, which the service does not know.
 */
export function revise(
  { planned, tuple }: PlannedRecord<SyncRecord>,
  { usernames, isPartial }: Pick<SyncOptions, 'isPartial'> & { readonly usernames: ReadonlySet<string> },
): Revision {
  if (!tuple) return { record: planned, isChanged: false, problems: [] };
  if (!tuple.Item3) {
    const refused = isPartial ? refusedUsers(tuple) : null;
    if (!refused) return { record: planned, isChanged: false, problems: [] };
    return {
      record: withoutUsers(planned, refused),
      isChanged: true,
      problems: problemsOfRecord(planned, tuple),
    };
  }
  const kept = (tuple.Item6.Users ?? []).flatMap(({ Operation, Username }) =>
    (Operation === 'disable' || Operation === 'delete') &&
    Username !== null &&
    usernames.has(foldUsername(Username))
      ? [{ Username }]
      : [],
  );
  if (kept.length === 0) return { record: planned, isChanged: false, problems: [] };
  const record = { ...planned.record, Users: [...usersOf(planned.record), ...kept] };
  return { record: { ...planned, record }, isChanged: true, problems: [] };
}

/** Returns the indexes of the users with errors; null if the record has other errors. */
function refusedUsers({ Item5 }: PlannedTuple): ReadonlySet<number> | null {
  const indexes = Object.keys(Item5).map((path) => /^Users\[(\d+)\]/.exec(path)?.[1]);
  if (indexes.length === 0 || indexes.includes(undefined)) return null;
  return new Set(indexes.map(Number));
}

function withoutUsers(planned: SyncRecord, indexes: ReadonlySet<number>): SyncRecord {
  let index = 0;
  const members = planned.members.map((member) => ({
    ...member,
    users: member.users?.filter(() => !indexes.has(index++)) ?? null,
  }));
  const Users = usersOf(planned.record).filter((_, at) => !indexes.has(at));
  return { ...planned, members, record: { ...planned.record, Users } };
}

/** Returns an error if a row has the ExternalKey of one principal and the ID of another, of which one is wrong. */
function conflictOf({ planned, tuple }: PlannedRecord<SyncRecord>): RowProblem | null {
  if (!tuple) return null;
  const { expectedId, members, record } = planned;
  // The users of each record would be missing in the other.
  if (isRepeated(tuple)) return problemOf(firstOf(planned), codedError('PRINCIPAL_NAMED_TWICE'));
  if (!tuple.Item3) return null;
  if (expectedId === null || tuple.Item1 === expectedId) return null;
  const other = tuple.Item1 === null ? 'no principal has' : `principal ${tuple.Item1} has`;
  const { ExternalKey: key } = record as { readonly ExternalKey?: string };
  const message = `The ID is ${expectedId}, but ${other} the ExternalKey${key === undefined ? '' : ` ${key}`}. Correct one of them, or remove the column ID.`;
  const stated = members.find(({ fields }) => fields.ID !== undefined);
  return problemOf(stated?.row ?? firstOf(planned), codedError('ID_CONTRADICTS_KEY', null, message));
}

function problemOf({ number, line }: Pick<ImportRow, 'number' | 'line'>, error: RowError): RowProblem {
  return { number, line, errors: [error] };
}

/** The most disabled users of the service that are read, to find those of the file among them. */
const disabledMax = 10_000;

/**
 * Returns the usernames of the file whose users are disabled and stay so, because the file has no `State` for them.
 * Returns null if the API client may not read users, or if the service has too many disabled ones.
 */
export function findDisabled(
  records: readonly SyncRecord[],
  connection: ImportConnection,
): Promise<string[] | null> {
  return unlessForbidden(readDisabled(records, connection));
}

async function readDisabled(
  records: readonly SyncRecord[],
  { anagrafe, signal }: ImportConnection,
): Promise<string[] | null> {
  const kept = new Map<string, string>();
  for (const { record } of records)
    for (const { Username, State } of usersOf(record))
      if (typeof Username === 'string' && !State) kept.set(foldUsername(Username), Username);
  const found: string[] = [];
  let read = 0;
  if (kept.size === 0) return found;
  for await (const user of anagrafe.users({ State: 'disabled', PageSize: 1000 }, { signal })) {
    if (++read > disabledMax) return null;
    const username = kept.get(foldUsername(user.Username));
    if (username !== undefined) found.push(username);
  }
  return found;
}
