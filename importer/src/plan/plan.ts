import type { FieldChange, Job, Tuple, UpsertCounts, UpsertOptions, UpsertTuple } from '@anagrafe/client';
import type { ImportRow } from '../file/rows.ts';
import {
  addCounts,
  bodyOf,
  type ImportConnection,
  noCounts,
  type Part,
  sendInParts,
} from '../import/calls.ts';
import { type CombinedRecord, usersOf } from '../import/records.ts';
import { rowsOfUsers } from '../import/row-group.ts';

/** What a dry run says about a record. */
export type PlannedTuple = Pick<UpsertTuple, 'Item1' | 'Item3' | 'Item4' | 'Item5' | 'Item6'>;

export interface PlannedRecord<Planned extends CombinedRecord = CombinedRecord> {
  readonly planned: Planned;
  /** Undefined if the record changes nothing and `changed` was set. */
  readonly tuple: PlannedTuple | undefined;
}

/** Records that are applied in one call, and what it would do. A record that is refused alone has a call without changes. */
export interface PlannedCall<Planned extends CombinedRecord = CombinedRecord> {
  readonly records: readonly PlannedRecord<Planned>[];
  readonly counts: UpsertCounts;
  /** The plan of a call of `irs/upsert`; null for `irs/insert`, whose records depend on nothing that is stored. */
  readonly plan: string | null;
}

/** Limits of one call, for the size of its body and of the answer of its dry run. */
export interface CallLimits {
  readonly users: number;
  readonly characters: number;
}

export const callLimits: CallLimits = { users: 10_000, characters: 8_000_000 };

/**
 * Splits groups of records into calls. The records of a group are in the same call. A record is never split: users that
 * it does not have could count as missing.
 */
export function inCalls<Planned extends CombinedRecord>(
  groups: readonly (readonly Planned[])[],
  limits: CallLimits,
): Planned[][] {
  const calls: Planned[][] = [];
  let size: CallLimits = { users: 0, characters: 0 };
  for (const group of groups) {
    const own = sizeOf(group);
    const both = { users: size.users + own.users, characters: size.characters + own.characters };
    const last = calls.at(-1);
    const isIn = last !== undefined && fits(both, limits);
    if (isIn) last.push(...group);
    else calls.push([...group]);
    size = isIn ? both : own;
  }
  return calls;
}

/** Returns the size of a call with these records. */
export function sizeOf(records: readonly CombinedRecord[]): CallLimits {
  let [users, characters] = [0, 0];
  for (const { record } of records) {
    users += usersOf(record).length;
    characters += JSON.stringify(record).length;
  }
  return { users, characters };
}

export function fits({ users, characters }: CallLimits, limits: CallLimits): boolean {
  return users <= limits.users && characters <= limits.characters;
}

/** The rules of the calls of a plan. */
export type PlanRules = Pick<UpsertOptions<true>, 'missing' | 'moves' | 'similar'>;

type PlanOptions = PlanRules & Pick<UpsertOptions<true>, 'changed'>;

/**
 * Plans calls of `irs/upsert` with dry runs.
 *
 * @param calls The records of each call. The calls of a plan are applied one by one: if one of them is outdated, those
 *   before it are applied.
 * @param onProgress Called with the number of records before each call but the first one.
 */
export async function planUpserts<Planned extends CombinedRecord>(
  calls: readonly (readonly Planned[])[],
  options: PlanOptions,
  { anagrafe, signal }: ImportConnection,
  onProgress: (done: number) => void = () => {},
): Promise<PlannedCall<Planned>[]> {
  const planned: PlannedCall<Planned>[] = [];
  let done = 0;
  for (const some of calls) {
    if (done > 0) onProgress(done);
    const parts = await sendInParts(some, async (part) => {
      const sent = { ...options, dryRun: true, representation: true, signal } as const;
      const { counts, plan, tuples } = await anagrafe.upsert(bodyOf(part), sent);
      const byPosition = new Map(tuples.map((tuple, at) => [counts.Positions?.[at] ?? at, tuple]));
      return { counts: addCounts(noCounts, counts), plan, tupleAt: (at: number) => byPosition.get(at) };
    });
    planned.push(...parts.map(plannedCall));
    done += some.length;
  }
  return planned;
}

/** Plans records of `irs/insert` with dry runs: each creates a principal and registers its users. */
export async function planInserts<Planned extends CombinedRecord>(
  records: readonly Planned[],
  { similar }: PlanRules,
  { anagrafe, signal }: ImportConnection,
): Promise<PlannedCall<Planned>[]> {
  const parts = await sendInParts(records, async (some) => {
    const { tuples } = await anagrafe.insert(bodyOf(some), { similar, dryRun: true, signal });
    const applied = some.filter((_, at) => tuples[at]?.Item3);
    const UsersRegistered = applied.reduce((sum, { record }) => sum + usersOf(record).length, 0);
    const counts = { ...noCounts, PrincipalsInserted: applied.length, UsersRegistered };
    const tupleAt = (at: number) => tuples[at] && insertedTuple(tuples[at], some[at]?.record ?? {});
    return { counts, plan: null, tupleAt };
  });
  return parts.map(plannedCall);
}

function insertedTuple({ Item3, Item4, Item5 }: Tuple, record: object): PlannedTuple {
  const Users = usersOf(record).map(({ Username }) => {
    const name = typeof Username === 'string' ? Username : null;
    return { ID: null, Username: name, Email: null, Operation: 'register' as const };
  });
  return { Item1: null, Item3, Item4, Item5, Item6: { Principal: 'inserted', Users } };
}

interface DryRunAnswer extends Pick<PlannedCall, 'counts' | 'plan'> {
  readonly tupleAt: (position: number) => PlannedTuple | undefined;
}

function plannedCall<Planned extends CombinedRecord>({
  items,
  answer,
  rejection,
}: Part<Planned, DryRunAnswer>): PlannedCall<Planned> {
  if (!answer) return refusedCall(items, rejection);
  const { counts, plan, tupleAt } = answer;
  return { records: items.map((planned, at) => ({ planned, tuple: tupleAt(at) })), counts, plan };
}

/** Returns a call without changes, of records that are refused with a message. */
export function refusedCall<Planned extends CombinedRecord>(
  records: readonly Planned[],
  message: string,
): PlannedCall<Planned> {
  const tuple = { Item1: null, Item3: false, Item4: message, Item5: {}, Item6: {} };
  return { records: records.map((planned) => ({ planned, tuple })), counts: noCounts, plan: null };
}

export function countsOf(calls: readonly PlannedCall[]): UpsertCounts {
  return calls.reduce((sum, { counts }) => addCounts(sum, counts), noCounts);
}

/** The number of principals and users that change. */
export function changesIn({ Unchanged: _, ...changes }: UpsertCounts): number {
  return Object.values(changes).reduce((sum, count) => sum + count, 0);
}

/** A principal or user that would be created, changed or removed. */
export interface PlannedChange {
  /** The record as sent. */
  readonly record: object;
  /** Null if the principal does not exist yet. */
  readonly principalId: number | null;
  /** Null for a change of the principal itself. */
  readonly username: string | null;
  readonly action: 'insert' | 'register' | 'edit' | 'move' | 'disable' | 'delete';
  /** The fields that change, with both values; empty for any other action than `edit` and `move`. */
  readonly fields: readonly FieldChange[];
  /** The fields that change and whose values are not shown, such as a password. */
  readonly hidden: readonly string[];
}

/** Returns the changes that a record would make, first that of the principal. */
export function changesOf({ planned: { record }, tuple }: PlannedRecord): PlannedChange[] {
  if (!tuple?.Item3) return [];
  const { Principal, Changes: ofPrincipal = [], Users = [] } = tuple.Item6;
  const principalId = Principal === 'inserted' ? null : tuple.Item1;
  const about = { record, principalId, username: null, fields: [], hidden: [] };
  const changes: PlannedChange[] = [];
  if (Principal === 'inserted') changes.push({ ...about, action: 'insert' });
  else if (ofPrincipal.length > 0) changes.push({ ...about, action: 'edit', fields: ofPrincipal });
  for (const { Username: username, Operation: action, Changed = [], Changes: fields = [] } of Users) {
    if (action === 'none') continue;
    const hidden = Changed.filter((name) => !fields.some(({ Field }) => Field === name));
    changes.push(
      action === 'edit' || action === 'move'
        ? { ...about, username, action, fields, hidden }
        : { ...about, username, action },
    );
  }
  return changes;
}

/** Returns the rows of the users that a record would register. The answer has the users in the order of the rows. */
export function registeredRows({ planned, tuple }: PlannedRecord): ImportRow[] {
  const users = tuple?.Item3 ? (tuple.Item6.Users ?? []) : [];
  return rowsOfUsers(planned.members).flatMap(({ row }, at) =>
    users[at]?.Operation === 'register' ? [row] : [],
  );
}

/** Returns the number of stored users of the principal of a record; 0 for a record that fails. */
export function storedUsersOf({ planned, tuple }: PlannedRecord): number {
  if (!tuple) return usersOf(planned.record).length;
  const isNew = (operation: string) => operation === 'register' || operation === 'move';
  return (tuple.Item6.Users ?? []).filter(({ Operation }) => !isNew(Operation)).length;
}

export interface ApplyOptions extends ImportConnection {
  readonly rules: PlanRules;
  /** Prefix of the idempotency keys. */
  readonly name: string;
  /** Waits for the end of a job. */
  readonly wait: (id: string) => Promise<Job>;
  /** Submits a call once the one before it has ended. Otherwise all are submitted at once. */
  readonly isSequential?: boolean;
}

/**
 * Applies the calls that change something as jobs, and returns the records that were not applied with their errors. A
 * call of `irs/upsert` is refused with `PLAN_OUTDATED` if the stored data has changed since.
 */
export async function applyPlan<Planned extends CombinedRecord>(
  calls: readonly PlannedCall<Planned>[],
  { name, wait, rules, isSequential, anagrafe, signal }: ApplyOptions,
): Promise<{ readonly planned: Planned; readonly errors: Pick<Tuple, 'Item4' | 'Item5'> }[]> {
  const pending = calls.filter(({ counts }) => changesIn(counts) > 0);
  const jobs: Promise<Job>[] = [];
  for (const [index, { records, plan }] of pending.entries()) {
    const operation = plan === null ? 'insert' : 'upsert';
    const options = { idempotencyKey: `${name}-${operation}-${index}`, signal };
    const sent = plan === null ? { similar: rules.similar } : { ...rules, ifMatch: plan };
    const body = bodyOf(records.map(({ planned }) => planned));
    const { ID } = await anagrafe.jobs.submit(operation, body, { ...options, ...sent });
    const ended = wait(ID);
    jobs.push(ended);
    if (isSequential) await ended;
  }
  const failed = [];
  for (const [index, { ID, RecordsFailed }] of (await Promise.all(jobs)).entries())
    for (const { Position, FieldErrors } of RecordsFailed > 0
      ? await anagrafe.jobs.failed(ID, { signal })
      : []) {
      const record = pending[index]?.records[Position];
      if (record) failed.push({ planned: record.planned, errors: { Item4: null, Item5: FieldErrors } });
    }
  return failed;
}
