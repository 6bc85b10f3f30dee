import type { Job, UpsertTuple } from '@anagrafe/client';
import type { ImportConnection } from './calls.ts';
import { type ChangedFields, fieldsChangedBy } from './changed-fields.ts';
import { type CombinedRecord, rowsOfUsers } from './row-group.ts';

/**
 * Returns the numbers of the rows of a record that state nothing new: their users stay unchanged, and they state no field
 * of the principal that the record changes. The principal exists already.
 *
 * @param changed The fields of the principal that the record changes.
 */
export function rowsWithoutChanges(
  members: CombinedRecord['members'],
  { Users = [] }: UpsertTuple['Item6'],
  changed: ReadonlySet<string>,
): number[] {
  const changing = new Set<number>();
  for (const [index, { row }] of rowsOfUsers(members).entries())
    if (Users[index]?.Operation !== 'none') changing.add(row.number);
  for (const { row, fields } of members)
    if (Object.keys(fields).some((field) => changed.has(field))) changing.add(row.number);
  return members.flatMap(({ row }) => (changing.has(row.number) ? [] : [row.number]));
}

/** Rows whose values were all stored before. */
export interface UnchangedRows {
  readonly count: number;
  /** The numbers of these rows, or of some of them. */
  readonly numbers: readonly number[];
}

const noRows: UnchangedRows = { count: 0, numbers: [] };

interface FindOptions {
  /** The changed fields of records whose rows state different fields, as they were found before the job. */
  readonly changedFields: ChangedFields;
  /** The number of rows whose numbers are needed, if there are as many. */
  readonly samples: number;
}

/**
 * Counts the rows whose values were all stored before an ended job of `irs/upsert`. Reading the results of all records
 * adds a third to the CPU time of an import: they are read only if the counts of the job do not suffice, or until the
 * needed number of rows is found.
 *
 * @param records The records of the job, in their order.
 * @param applied Those that were applied.
 */
export async function findUnchangedRows(
  { ID, Counts }: Job,
  records: readonly CombinedRecord[],
  applied: readonly CombinedRecord[],
  { anagrafe, signal }: ImportConnection,
  { changedFields, samples }: FindOptions,
): Promise<UnchangedRows> {
  if (!Counts || applied.length === 0) return noRows;
  if (Counts.Unchanged === applied.length) return counted(applied.flatMap(numbersOf));
  const count = countFrom(Counts, applied, changedFields);
  const needed = count === null ? Number.POSITIVE_INFINITY : Math.min(count, samples);
  const numbers: number[] = [];
  let position = 0;
  if (needed > 0)
    for await (const tuple of anagrafe.jobs.tuples(ID, { representation: true, pageSize: 500, signal })) {
      const record = records[position++];
      if (record && tuple.Item3) numbers.push(...unchangedOf(record, tuple as UpsertTuple, changedFields));
      if (numbers.length >= needed) break;
    }
  return count === null ? counted(numbers) : { count, numbers };
}

function unchangedOf(
  record: CombinedRecord,
  { Item6 }: UpsertTuple,
  changedFields: ChangedFields,
): readonly number[] {
  const { members } = record;
  if (Item6.Principal === 'inserted') return [];
  return rowsWithoutChanges(members, Item6, fieldsChangedBy(record, Item6.Principal, changedFields));
}

/** Returns the number of unchanged rows of a job; null if its counts do not suffice. */
function countFrom(
  {
    PrincipalsInserted,
    PrincipalsUpdated,
    UsersRegistered,
    UsersUpdated,
    Unchanged,
  }: NonNullable<Job['Counts']>,
  applied: readonly CombinedRecord[],
  changedFields: ChangedFields,
): number | null {
  const allChange = PrincipalsInserted + PrincipalsUpdated === applied.length;
  if (allChange && !applied.some((record) => changedFields.has(record))) return 0;
  const unchangedUsers = countUsers(applied) - UsersRegistered - UsersUpdated;
  const haveOneUser = applied.every(({ members }) => members.every(({ users }) => users?.length === 1));
  if (haveOneUser && (unchangedUsers === 0 || PrincipalsUpdated === 0)) return unchangedUsers;
  return applied.every(({ members }) => members.length === 1) ? Unchanged : null;
}

function counted(numbers: readonly number[]): UnchangedRows {
  return { count: numbers.length, numbers };
}

function numbersOf({ members }: CombinedRecord): number[] {
  return members.map(({ row }) => row.number);
}

function countUsers(records: readonly CombinedRecord[]): number {
  let users = 0;
  for (const { members } of records) for (const member of members) users += member.users?.length ?? 0;
  return users;
}
