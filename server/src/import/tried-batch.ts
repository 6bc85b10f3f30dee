import type { Estimate, InsertRecord, UpdateRecord, WriteResult } from '@anagrafe/client';
import type { SheetItem } from '@anagrafe/client/sheet';
import { tryPrincipals } from './principals.ts';
import { type BatchRecords, recordsOf, type Sent } from './records.ts';
import type { Line, RowFaults } from './sending.ts';
import { sentencesOf } from './sentences.ts';

export interface TriedBatch {
  readonly faults: RowFaults;
  readonly estimates: readonly Estimate[];
}

/** Makes every check of a batch, and does nothing. */
export async function tryBatch(items: readonly SheetItem[], line: Line): Promise<TriedBatch> {
  const records = recordsOf(items);
  const { missing, wrong } = await tryPrincipals(records.principals, line);
  const faults: RowFaults = new Map(records.faulty);
  const estimates: Estimate[] = [];
  const { families, others } = byPrincipal(records, missing);

  const rows = others.filter(({ item, record }) => {
    const why = record.ExternalKey && wrong.get(record.ExternalKey);
    if (why) faults.set(item.row, why);
    return !why;
  });
  await tryRows('update', rows);
  await tryRows('insert', records.insert);
  await tryFamilies();
  return { faults, estimates };

  async function tryRows<Name extends 'insert' | 'update'>(
    operation: Name,
    sent: readonly Sent<UpdateRecord | InsertRecord>[],
  ): Promise<void> {
    if (sent.length === 0) return;
    const tuples = await tried(
      operation,
      sent.map(({ record }) => record),
    );
    for (const [place, { item }] of sent.entries()) {
      const { Item3, Item5 } = tuples[place] ?? { Item3: true, Item5: {} };
      if (!Item3) faults.set(item.row, sentencesOf(Item5, item.kind));
    }
  }

  /** The users of a principal that is yet to be inserted are tried with it; what is wrong with one is told by its place. */
  async function tryFamilies(): Promise<void> {
    if (families.length === 0) return;
    const tuples = await tried(
      'insert',
      families.map(({ record }) => record),
    );
    for (const [place, { rows: members }] of families.entries()) {
      for (const [at, found] of Object.entries(tuples[place]?.Item5 ?? {})) {
        const [, member, field = ''] = /^Users\[(\d+)\]\.?(.*)$/.exec(at) ?? [];
        const item = members[Number(member)];
        if (!item) continue;
        faults.set(item.row, [...(faults.get(item.row) ?? []), ...sentencesOf({ [field]: found })]);
      }
    }
  }

  async function tried(operation: 'insert' | 'update', sent: readonly (UpdateRecord | InsertRecord)[]) {
    const options = { dryRun: true as const, signal: line.signal };
    const { tuples, estimate }: WriteResult<true> =
      operation === 'insert'
        ? await line.anagrafe.insert(sent as InsertRecord[], options)
        : await line.anagrafe.update(sent as UpdateRecord[], options);
    estimates.push(estimate);
    return tuples;
  }
}

interface Family {
  readonly record: InsertRecord;
  readonly rows: SheetItem[];
}

/** Rows of principals that are not there yet, and the others. */
function byPrincipal(
  { update }: BatchRecords,
  missing: ReadonlyMap<string, InsertRecord>,
): { families: Family[]; others: Sent<UpdateRecord>[] } {
  const families = new Map<string, Family & { record: { Users: unknown[] } }>();
  const others: Sent<UpdateRecord>[] = [];
  for (const sent of update) {
    const key = sent.record.ExternalKey ?? '';
    const principal = missing.get(key);
    if (!principal) {
      others.push(sent);
      continue;
    }
    const family = families.get(key) ?? { record: { ...principal, Users: [] }, rows: [] };
    family.record.Users.push(...sent.record.Users);
    family.rows.push(sent.item);
    families.set(key, family);
  }
  return { families: [...families.values()], others };
}
