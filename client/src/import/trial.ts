import type { Estimate, InsertRecord, UpdateRecord } from '../api.gen.ts';
import type { SheetItem } from '../sheet/item.ts';
import type { WriteResult } from '../writes.ts';
import { type Attempt, alone, blamed, families, halves } from './attempt.ts';
import { Foreseen } from './foreseen.ts';
import type { Line } from './line.ts';
import { inParts } from './parts.ts';
import { tryPrincipals } from './principals.ts';
import { recordsOf, type Sent } from './records.ts';
import { aboutRow, type RowFaults } from './row-fault.ts';

/** The result of a dry run of rows. */
export interface Trial {
  /** Errors of the rows that would fail, by row number. */
  readonly faults: RowFaults;
  /** One estimate per call of the dry run. */
  readonly estimates: readonly Estimate[];
}

/**
 * Checks rows with dry runs, without applying them. To check a file in several batches, pass the same `foreseen` with
 * every batch in file order: it makes later rows aware of what earlier rows would create, and this function adds to it.
 */
export async function tryRows(
  items: readonly SheetItem[],
  line: Line,
  foreseen: Foreseen = new Foreseen(),
): Promise<Trial> {
  const records = recordsOf(items);
  const unknown = new Map([...records.principals].filter(([key]) => !foreseen.principal(key)));
  const { missing, wrong } = await tryPrincipals(unknown, line);
  foreseen.describe(missing);
  const faults: RowFaults = new Map(records.faulty);
  for (const { item, record } of records.update) {
    const principalErrors = wrong.get(record.ExternalKey ?? '');
    if (principalErrors) faults.set(item.row, principalErrors);
  }
  const valid = records.update.filter(({ item }) => !faults.has(item.row));
  // A record whose `Users` is not an array cannot be combined. It is sent as it is, and the service reports the error.
  const isForeseen = ({ record: { ExternalKey, Users } }: Sent<UpdateRecord>) =>
    foreseen.principal(ExternalKey ?? '') !== undefined && Array.isArray(Users);
  const ofExisting = valid.filter((sent) => !isForeseen(sent));
  const estimates = [
    ...(await tryAll('update', ofExisting.map(alone))),
    ...(await tryAll('insert', records.insert.map(alone))),
    ...(await tryAll('insert', families(valid.filter(isForeseen), foreseen))),
  ];
  claimAll();
  return { faults, estimates };

  async function tryAll(operation: 'insert' | 'update', attempts: readonly Attempt[]): Promise<Estimate[]> {
    const estimates: Estimate[] = [];
    for (const { items: some, answer, refusal } of await inParts(attempts, (part) =>
      tryRecords(operation, part, line),
    )) {
      if (answer) {
        estimates.push(answer.estimate);
        for (const [index, { members }] of some.entries())
          for (const [row, why] of blamed(members, answer.tuples[index])) faults.set(row, why);
        continue;
      }
      const [attempt] = some;
      const parts = attempt ? halves(attempt) : [];
      for (const part of parts) estimates.push(...(await tryAll(operation, [part])));
      if (parts.length === 0)
        for (const { item } of attempt?.members ?? []) faults.set(item.row, [aboutRow(refusal)]);
    }
    return estimates;
  }

  /** Finds duplicates in different calls, which the service cannot detect. The first row in the file is valid. */
  function claimAll(): void {
    const inserts = new Set<Sent<object>>(records.insert);
    const all = [...records.update, ...records.insert].sort((one, other) => one.item.row - other.item.row);
    for (const sent of all) {
      if (faults.has(sent.item.row)) continue;
      const why = foreseen.claim(sent.item, sent.record, inserts.has(sent));
      if (why.length > 0) faults.set(sent.item.row, why);
    }
  }
}

function tryRecords(
  operation: 'insert' | 'update',
  attempts: readonly Attempt[],
  { anagrafe, signal }: Line,
): Promise<WriteResult<true>> {
  const records = attempts.map(({ record }) => record);
  const options = { dryRun: true, signal } as const;
  if (operation === 'insert') return anagrafe.insert(records as InsertRecord[], options);
  return anagrafe.update(records as UpdateRecord[], options);
}
