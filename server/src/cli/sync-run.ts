import {
  type Anagrafe,
  ApiError,
  type UpsertCounts,
  type UpsertPlan,
  type UpsertRecord,
  type UpsertTuple,
} from '@anagrafe/client';
import type { RowUnit } from '@anagrafe/importer';
import { ConfigError } from '../settings/config.ts';
import { counted, grouped } from './output/format.ts';
import { LiveLine } from './output/live-line.ts';
import { exitCodes, tell } from './output/output.ts';
import { problemsOfRecord, type RowProblem, type SyncRecord } from './sync-file.ts';
import { changesIn, type PlanLine, planLines } from './sync-plan.ts';

export interface SyncRules {
  readonly missing: 'keep' | 'disable' | 'delete';
}

/** Users of one call. Limits the size of its body and of the answer of a dry run. */
const usersAtOnce = 10_000;
const charactersAtOnce = 8_000_000;

/** Splits the records into calls. A principal is never split, because its missing users would be deleted. */
export function inParts(records: readonly SyncRecord[]): SyncRecord[][] {
  const parts: SyncRecord[][] = [];
  let part: SyncRecord[] = [];
  let [users, characters] = [0, 0];
  for (const record of records) {
    const length = JSON.stringify(record.record).length;
    if (part.length > 0 && (users + record.users > usersAtOnce || characters + length > charactersAtOnce)) {
      parts.push(part);
      part = [];
      [users, characters] = [0, 0];
    }
    part.push(record);
    users += record.users;
    characters += length;
  }
  return [...parts, part];
}

interface PlannedPart {
  readonly records: readonly SyncRecord[];
  readonly counts: UpsertPlan;
  /** Number of stored users of the principals in this part, without those of records that fail. */
  readonly storedUsers: number;
  /** The records that remove users. */
  readonly removing: readonly RemovingRecord[];
  readonly plan: string;
  readonly lines: readonly PlanLine[];
  /** The errors of the records that the service refuses. They are left out of the plan. */
  readonly failed: readonly RowProblem[];
  /** The lines of these records, including those of rows without an error of their own. */
  readonly failedLines: readonly number[];
  /** The errors because of which the whole file cannot be used. */
  readonly conflicts: readonly RowProblem[];
}

interface RemovingRecord {
  /** The ExternalKey or ID of the principal. */
  readonly principal: string;
  readonly removals: number;
  readonly storedUsers: number;
}

interface PlannedRecord {
  readonly record: SyncRecord;
  /** Undefined if the record changes nothing. */
  readonly tuple: UpsertTuple | undefined;
}

export async function planParts(
  parts: readonly SyncRecord[][],
  anagrafe: Anagrafe,
  { missing }: SyncRules,
): Promise<PlannedPart[]> {
  const line = new LiveLine();
  const planned: PlannedPart[] = [];
  const principals = new Set<number>();
  const all = parts.flat();
  const total = all.length;
  // The IDs of principals are compared, also of those that stay unchanged.
  const comparesIds =
    all.some(({ expectedId }) => expectedId !== null) ||
    (all.some(({ record }) => record.ID !== undefined) &&
      all.some(({ record }) => record.ExternalKey !== undefined));
  try {
    for (const records of parts) {
      const done = planned.flatMap((part) => part.records).length;
      if (parts.length > 1) line.show({ state: 'comparing', done, total, unit: 'principals', failed: 0 });
      const { counts, plan, tuples } = await anagrafe.upsert(bodyOf(records), {
        dryRun: true,
        representation: true,
        changed: !comparesIds,
        missing,
      });
      const { Positions } = counts;
      const byIndex = new Map(tuples.map((tuple, at) => [Positions?.[at] ?? at, tuple]));
      const found = records.map((record, index) => ({ record, tuple: byIndex.get(index) }));
      const isFailed = ({ tuple }: PlannedRecord) => tuple !== undefined && !tuple.Item3;
      planned.push({
        records,
        counts,
        storedUsers: found.reduce((sum, one) => sum + storedUsersOf(one), 0),
        removing: found.flatMap(removalsOf),
        plan,
        lines: found.flatMap(({ record, tuple }) => (tuple?.Item3 ? planLines(record, tuple) : [])),
        failed: found.flatMap(({ record, tuple }) =>
          tuple && !tuple.Item3 && !isRepeated(tuple) ? problemsOfRecord(record, tuple) : [],
        ),
        failedLines: found.filter(isFailed).flatMap(({ record }) => record.lines),
        conflicts: found.flatMap((one) => conflictOf(one, principals) ?? []),
      });
    }
  } finally {
    line.end();
  }
  return planned;
}

function storedUsersOf({ record, tuple }: PlannedRecord): number {
  if (!tuple) return record.users;
  return (tuple.Item6.Users ?? []).filter(({ Operation }) => Operation !== 'register').length;
}

function removalsOf(planned: PlannedRecord): RemovingRecord[] {
  const users = planned.tuple?.Item3 ? (planned.tuple.Item6.Users ?? []) : [];
  const removals = users.filter(({ Operation }) => Operation === 'disable' || Operation === 'delete').length;
  const { ExternalKey, ID } = planned.record.record;
  const principal = String(ExternalKey ?? ID);
  return removals > 0 ? [{ principal, removals, storedUsers: storedUsersOf(planned) }] : [];
}

/**
 * Returns an error if the file has the ExternalKey of one principal and the ID of another, of which one is wrong, or if
 * two records are of one principal, because the users of each record would be missing in the other.
 *
 * @param principals The IDs of the principals of earlier records. That of this record is added.
 */
function conflictOf({ record, tuple }: PlannedRecord, principals: Set<number>): RowProblem | null {
  if (!tuple) return null;
  const { Item1, Item3 } = tuple;
  const { expectedId, lines } = record;
  const line = lines[0] ?? 0;
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
    message: `The ID is ${expectedId}, but ${other} the ExternalKey ${record.record.ExternalKey}. Correct one of them, or remove the column ID.`,
  };
}

/** Returns true if an earlier record of the call has the same principal. */
function isRepeated({ Item5 }: UpsertTuple): boolean {
  return Object.values(Item5).some((found) => found.some(({ code }) => code === 'DUPLICATE_PRINCIPAL'));
}

function bodyOf(records: readonly SyncRecord[]): UpsertRecord[] {
  return records.map(({ record }) => record);
}

type PartCounts = Pick<PlannedPart, 'storedUsers' | 'removing'> & { readonly counts: UpsertCounts };

/** Number of users that may always be removed, as in a call of `irs/upsert` without a plan. */
const removalsAlwaysAllowed = 20;

/**
 * Throws if the file would disable or delete too many users for a run without a confirmation: it may be incomplete. The
 * limit is that of a call without a plan: for all parts together, and for each principal.
 */
export function limitRemovals(planned: readonly PartCounts[], maxPercent: number): void {
  const sum = (countOf: (part: PartCounts) => number) =>
    planned.reduce((total, part) => total + countOf(part), 0);
  const all = {
    removals: sum(({ counts }) => counts.UsersDisabled + counts.UsersDeleted),
    storedUsers: sum(({ storedUsers }) => storedUsers),
  };
  const allowedOf = (users: number) =>
    Math.max(removalsAlwaysAllowed, Math.floor((users * maxPercent) / 100));
  const isExcessive = (found: typeof all) => found.removals > allowedOf(found.storedUsers);
  const excessive = isExcessive(all) ? all : planned.flatMap(({ removing }) => removing).find(isExcessive);
  if (!excessive) return;
  const { removals, storedUsers } = excessive;
  const owner = 'principal' in excessive ? ` of the principal ${excessive.principal}` : '';
  throw new ConfigError(
    `The file would disable or delete ${grouped(removals)} of ${counted(storedUsers, 'user')}${owner}. With --yes at most ${grouped(allowedOf(storedUsers))} are allowed: ${maxPercent} percent of the users (ANAGRAFE_MAX_REMOVALS), but at least ${removalsAlwaysAllowed}. Nothing was applied. Run the command without --yes to review the changes and confirm them.`,
  );
}

/**
 * Applies the plans as jobs, one after the other, with `If-Match`: a part whose stored data has changed since the plan
 * is refused. Returns the records that failed although they were planned.
 */
export async function applyParts(
  planned: readonly PlannedPart[],
  anagrafe: Anagrafe,
  { missing }: SyncRules,
  unit: RowUnit,
): Promise<RowProblem[]> {
  const pending = planned.filter(({ counts }) => changesIn(counts) > 0);
  const line = new LiveLine();
  const problems: RowProblem[] = [];
  for (const [index, { records, plan, failed }] of pending.entries()) {
    const { ID } = await anagrafe.jobs
      .submit('upsert', bodyOf(records), { missing, ifMatch: plan })
      .catch((error) => {
        throw outdated(error, index, pending.length) ?? error;
      });
    const job = await anagrafe.jobs.wait(ID, {
      pollMs: 500,
      onProgress: ({ RecordsDone: done, Records: total, RecordsFailed }) =>
        line.show({ state: 'applying', done, total, unit: 'principals', failed: RecordsFailed }),
    });
    line.end();
    const known = new Set(failed.map((problem) => problem.line));
    const found = job.RecordsFailed > 0 ? await failuresOf(ID, records, anagrafe) : [];
    problems.push(...found.filter((problem) => !known.has(problem.line)));
  }
  for (const problem of problems) tell(`  ${unit} ${problem.line}: ${problem.message}`);
  tell(problems.length === 0 ? 'Applied.' : 'Applied, except for these records.');
  if (problems.length > 0) process.exitCode = exitCodes.someFailed;
  return problems;
}

async function failuresOf(
  id: string,
  records: readonly SyncRecord[],
  anagrafe: Anagrafe,
): Promise<RowProblem[]> {
  const problems: RowProblem[] = [];
  for (let page = 1; ; page++) {
    const answer = await anagrafe.jobs.get(id, { failed: true, page });
    for (const [index, tuple] of answer.records.entries()) {
      const record = records[answer.record.Positions[index] ?? -1];
      if (record) problems.push(...problemsOfRecord(record, tuple));
    }
    if (page >= answer.totalPages) return problems;
  }
}

/** Explains why the service has refused a part as a whole; undefined for any other error. */
function outdated(error: unknown, done: number, parts: number): ConfigError | undefined {
  if (!(error instanceof ApiError) || error.code !== 'PLAN_OUTDATED') return undefined;
  const applied =
    done === 0 ? 'Nothing was applied' : `${done} of ${parts} parts ${done === 1 ? 'was' : 'were'} applied`;
  return new ConfigError(
    `The data has changed since the changes were shown. ${applied}. Run the command again to see the present changes.`,
  );
}
