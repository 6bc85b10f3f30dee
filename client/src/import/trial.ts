import type { Estimate, InsertRecord, Tuple, UpdateRecord } from '../api.gen.ts';
import type { SheetItem } from '../sheet/item.ts';
import type { WriteResult } from '../writes.ts';
import type { Line } from './line.ts';
import { inParts } from './parts.ts';
import { tryPrincipals } from './principals.ts';
import { recordsOf, type Sent } from './records.ts';
import { aboutRow, faultsOf, type RowFaults } from './row-fault.ts';

/** What would become of rows. */
export interface Trial {
  readonly faults: RowFaults;
  readonly estimates: readonly Estimate[];
}

/** A record that is tried, with the rows that it stands for. */
interface Attempt {
  readonly record: UpdateRecord | InsertRecord;
  readonly rows: readonly SheetItem[];
}

/** Makes every check of rows, and does nothing. Of two equal usernames the second is found where both are among them. */
export async function tryRows(items: readonly SheetItem[], line: Line): Promise<Trial> {
  const records = recordsOf(items);
  const { missing, wrong } = await tryPrincipals(records.principals, line);
  const faults: RowFaults = new Map(records.faulty);
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
        if (refusal !== null) for (const { row } of rows) faults.set(row, [aboutRow(refusal)]);
        else for (const [row, why] of blamed(rows, answer.tuples[place])) faults.set(row, why);
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
  const byKey = new Map<string, Sent<UpdateRecord>[]>();
  for (const one of sent) {
    const key = one.record.ExternalKey ?? '';
    const others = byKey.get(key);
    if (others) others.push(one);
    else byKey.set(key, [one]);
  }
  return [...missing].map(([key, principal]) => {
    const members = byKey.get(key) ?? [];
    const Users = members.flatMap(({ record }) => record.Users) as NonNullable<InsertRecord['Users']>;
    return { record: { ...principal, Users }, rows: members.map(({ item }) => item) };
  });
}

/** Whose fault it is that a record would not be applied: where it stands for several rows, the place of the user tells. */
function blamed(rows: readonly SheetItem[], tuple: Tuple | undefined): RowFaults {
  const faults: RowFaults = new Map();
  const [only, another] = rows;
  if (!tuple || tuple.Item3 || !only) return faults;
  if (!another) return faults.set(only.row, faultsOf(tuple.Item5, only.kind));
  for (const [place, found] of Object.entries(tuple.Item5)) {
    const [, at, field = ''] = /^Users\[(\d+)\](.*)$/.exec(place) ?? [];
    const row = rows[Number(at)]?.row;
    if (row === undefined) continue;
    faults.set(row, [...(faults.get(row) ?? []), ...faultsOf({ [`Users[0]${field}`]: found })]);
  }
  return faults;
}
