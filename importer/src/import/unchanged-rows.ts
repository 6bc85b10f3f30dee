import type { Job, UpsertTuple } from '@anagrafe/client';
import type { ImportConnection } from './calls.ts';
import type { CombinedRecord } from './records.ts';
import { rowsOfUsers } from './row-group.ts';

/**
 * Returns the numbers of the rows of a record that change nothing: their users stay unchanged, and they state no value of
 * a principal that the record changes.
 */
export function rowsWithoutChanges(
  members: CombinedRecord['members'],
  { Principal, Users = [] }: UpsertTuple['Item6'],
): number[] {
  if (Principal === 'inserted') return [];
  const changing = new Set<number>();
  for (const [index, { row }] of rowsOfUsers(members).entries())
    if (Users[index]?.Operation !== 'none') changing.add(row.number);
  if (Principal !== 'unchanged')
    for (const { row, fields } of members) if (Object.keys(fields).length > 0) changing.add(row.number);
  return members.flatMap(({ row }) => (changing.has(row.number) ? [] : [row.number]));
}

/** Rows whose values were all stored before. */
export interface UnchangedRows {
  readonly count: number;
  /** The numbers of these rows, or of some of them. */
  readonly numbers: readonly number[];
}

interface FindOptions extends ImportConnection {
  readonly samples: number;
}

/**
 * Counts the rows whose values were all stored before an ended job of `irs/upsert`. Reading the results of all records
 * adds a third to the CPU time of an import: they are read only if the counts of the job do not suffice, or until the
 * needed number of rows is found.
 *
 * @param records The records of the job, in their order.
 * @param applied Those that were applied.
 * @param options `samples` is the number of rows whose numbers are needed, if there are as many.
 */
export async function findUnchangedRows(
  { ID, Counts }: Job,
  records: readonly CombinedRecord[],
  applied: readonly CombinedRecord[],
  { anagrafe, signal, samples }: FindOptions,
): Promise<UnchangedRows> {
  if (!Counts || applied.length === 0) return { count: 0, numbers: [] };
  const members = applied.flatMap((record) => record.members);
  if (Counts.Unchanged === applied.length) return counted(members.map(({ row }) => row.number));
  const count = countFrom(Counts, applied.length, members);
  const needed = count === null ? Number.POSITIVE_INFINITY : Math.min(count, samples);
  const numbers: number[] = [];
  let position = 0;
  if (needed > 0)
    for await (const tuple of anagrafe.jobs.tuples(ID, { representation: true, pageSize: 500, signal })) {
      const record = records[position++];
      if (record && tuple.Item3)
        numbers.push(...rowsWithoutChanges(record.members, (tuple as UpsertTuple).Item6));
      if (numbers.length >= needed) break;
    }
  return count === null ? counted(numbers) : { count, numbers };
}

/** Returns the number of unchanged rows of a job; null if its counts do not suffice. */
function countFrom(
  { PrincipalsUpdated, UsersRegistered, UsersUpdated, UsersMoved, Unchanged }: NonNullable<Job['Counts']>,
  records: number,
  members: CombinedRecord['members'],
): number | null {
  const users = members.reduce((sum, member) => sum + (member.users?.length ?? 0), 0);
  const unchangedUsers = users - UsersRegistered - UsersUpdated - UsersMoved;
  const haveOneUser = members.every((member) => member.users?.length === 1);
  if (haveOneUser && (unchangedUsers === 0 || PrincipalsUpdated === 0)) return unchangedUsers;
  return members.length === records ? Unchanged : null;
}

function counted(numbers: readonly number[]): UnchangedRows {
  return { count: numbers.length, numbers };
}
