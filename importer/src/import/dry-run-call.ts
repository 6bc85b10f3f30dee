import { bodyOf, dryRunUpsert, type ImportConnection, sendInParts } from './calls.ts';
import type { CombinedRecord, ExistingPolicy } from './records.ts';
import type { Answer, Call } from './send.ts';

interface DryRunAnswers {
  readonly answers: readonly Answer[];
  /** Estimated time in seconds that the service needs to hash the passwords. */
  readonly seconds: number;
}

/** Checks the records of a call without applying them. */
export async function dryRunCall(
  { operation, records }: Call,
  existing: ExistingPolicy,
  connection: ImportConnection,
): Promise<DryRunAnswers> {
  if (operation === 'upsert') {
    const changed = await findChangedFields(records, existing, connection);
    const { tuples, counts } = await dryRunUpsert(records, existing, connection);
    const answers = records.flatMap((record, index) => {
      const tuple = tuples[index];
      return tuple ? [{ ...tuple, changed: changed.get(record) }] : [];
    });
    return { answers, seconds: counts.EstimatedSeconds };
  }
  const { anagrafe, signal } = connection;
  const { tuples, estimate } = await anagrafe[operation](bodyOf(records), { dryRun: true, signal });
  const answers = tuples.map(({ Item3, Item4, Item5 }) => ({ Item3, Item4, Item5 }));
  return { answers, seconds: estimate.EstimatedSeconds };
}

/** The fields of their principals that records change, for records whose rows do not all state the same fields. */
export type ChangedFields = ReadonlyMap<CombinedRecord, ReadonlySet<string>>;

/**
 * Compares records with the stored principals. The result of `irs/upsert` has only that a principal was changed, and a dry
 * run has the fields only for callers with the scope `sync:read`: this is a dry run that refuses differences, which names
 * the fields for every caller. It sends no users.
 */
export async function findChangedFields(
  records: readonly CombinedRecord[],
  existing: ExistingPolicy,
  connection: ImportConnection,
): Promise<ChangedFields> {
  const changed = new Map<CombinedRecord, ReadonlySet<string>>();
  const compared = existing === 'update' ? records.filter(statesDifferentFields) : [];
  const parts = await sendInParts(compared, (part) =>
    dryRunUpsert(part.map(withoutUsers), 'refuse', connection),
  );
  for (const { items, answer } of parts)
    for (const [index, record] of items.entries()) {
      const errors = Object.entries(answer?.tuples[index]?.Item5 ?? {});
      const differing = errors.filter(([, found]) =>
        found.some(({ code }) => code === 'DIFFERS_FROM_STORED'),
      );
      // Without any, for example if an earlier run has applied the record already, each stated value may be a new one.
      if (differing.length > 0) changed.set(record, new Set(differing.map(([field]) => field)));
    }
  return changed;
}

/** Returns true if some rows of a record state fields of the principal that others do not. */
function statesDifferentFields({ members }: CombinedRecord): boolean {
  if (members.length < 2) return false;
  const { size } = new Set(members.flatMap(({ fields }) => Object.keys(fields)));
  return members.some(({ fields }) => Object.keys(fields).length < size);
}

function withoutUsers({ record }: CombinedRecord): { readonly record: object } {
  const { Users: _, ...principal } = record as { readonly Users?: unknown };
  return { record: principal };
}
