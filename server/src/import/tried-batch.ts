import type { Estimate, InsertRecord, Tuple, UpdateRecord, WriteResult } from '@anagrafe/client';
import type { SheetItem } from '@anagrafe/client/sheet';
import { inParts } from './parts.ts';
import { tryPrincipals } from './principals.ts';
import { recordsOf, type Sent } from './records.ts';
import type { Line } from './sending.ts';
import { type RowFaults, sentencesOf } from './sentences.ts';
import type { Ready } from './users.ts';

export interface TriedBatch {
  readonly faults: RowFaults;
  readonly estimates: readonly Estimate[];
}

/** A record that is tried, with the rows that it stands for. */
interface Attempt {
  readonly record: UpdateRecord | InsertRecord;
  readonly rows: readonly SheetItem[];
}

/** Makes every check of a batch, and does nothing. */
export async function tryBatch(ready: Ready, line: Line): Promise<TriedBatch> {
  const records = recordsOf(ready.complete);
  const { missing, wrong } = await tryPrincipals(records.principals, line);
  const faults: RowFaults = new Map([...ready.faults, ...records.faulty]);
  for (const { item, record } of records.update) {
    const why = wrong.get(record.ExternalKey ?? '');
    if (why) faults.set(item.row, why);
  }
  const sound = records.update.filter(({ item }) => !faults.has(item.row));
  const isThere = ({ record }: Sent<UpdateRecord>) => !missing.has(record.ExternalKey ?? '');
  const estimates = [
    ...(await tryAll('update', sound.filter(isThere).map(alone))),
    ...(await tryAll('insert', records.insert.map(alone))),
    ...(await tryAll('insert', families(sound, missing))),
  ];
  return { faults, estimates };

  async function tryAll(operation: 'insert' | 'update', attempts: readonly Attempt[]): Promise<Estimate[]> {
    const parts = await inParts(attempts, (some) => tryRecords(operation, some, line));
    for (const { items, answer, refusal } of parts) {
      for (const [place, { rows }] of items.entries()) {
        if (refusal !== null) for (const { row } of rows) faults.set(row, [refusal]);
        else for (const [row, sentences] of blamed(rows, answer.tuples[place])) faults.set(row, sentences);
      }
    }
    return parts.flatMap(({ answer }) => answer?.estimate ?? []);
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

function alone({ item, record }: Sent<UpdateRecord | InsertRecord>): Attempt {
  return { record, rows: [item] };
}

/** Principals that are not there yet are tried with the users of all their rows. */
function families(
  sent: readonly Sent<UpdateRecord>[],
  missing: ReadonlyMap<string, InsertRecord>,
): Attempt[] {
  return [...missing].map(([key, principal]) => {
    const members = sent.filter(({ record }) => record.ExternalKey === key);
    const Users = members.flatMap(({ record }) => record.Users) as NonNullable<InsertRecord['Users']>;
    return { record: { ...principal, Users }, rows: members.map(({ item }) => item) };
  });
}

/** Whose fault it is that a record would not be applied: where it stands for several rows, the place of the user tells. */
function blamed(rows: readonly SheetItem[], tuple: Tuple | undefined): RowFaults {
  const faults: RowFaults = new Map();
  const [only, another] = rows;
  if (!tuple || tuple.Item3 || !only) return faults;
  if (!another) return faults.set(only.row, sentencesOf(tuple.Item5, only.kind));
  for (const [place, found] of Object.entries(tuple.Item5)) {
    const [, at, field = ''] = /^Users\[(\d+)\](.*)$/.exec(place) ?? [];
    const row = rows[Number(at)]?.row;
    if (row === undefined) continue;
    faults.set(row, [...(faults.get(row) ?? []), ...sentencesOf({ [`Users[0]${field}`]: found })]);
  }
  return faults;
}
