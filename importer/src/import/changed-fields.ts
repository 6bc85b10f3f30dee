import type { UpsertTuple } from '@anagrafe/client';
import { dryRunUpsert, type ImportConnection, sendInParts } from './calls.ts';
import type { CombinedRecord, RowGroup } from './row-group.ts';

/** The fields of their principals that records change; an empty set if they could not be found out. */
export type ChangedFields = ReadonlyMap<CombinedRecord, ReadonlySet<string>>;

/** Returns all fields that rows state of their principal. */
function statedFields(members: CombinedRecord['members']): ReadonlySet<string> {
  return new Set(members.flatMap(({ fields }) => Object.keys(fields)));
}

/**
 * Returns true if some rows of a record state fields of the principal that others do not. If all rows state the same
 * ones, each of them states every value that the record changes.
 */
export function statesDifferentFields({ members }: CombinedRecord): boolean {
  if (members.length < 2) return false;
  const { size } = statedFields(members);
  return members.some(({ fields }) => Object.keys(fields).length < size);
}

/**
 * Compares records with the stored principals, and returns the fields that differ. The result of `irs/upsert` has only
 * that a principal was changed, and a dry run has the fields only for callers with the scope `sync:read`: this is a dry
 * run that refuses differences, which names the fields for every caller. It sends no users.
 */
export async function findChangedFields(
  groups: readonly RowGroup[],
  connection: ImportConnection,
): Promise<ChangedFields> {
  const found = new Map<CombinedRecord, ReadonlySet<string>>();
  const parts = await sendInParts(groups, (part) =>
    dryRunUpsert(part.map(withoutUsers), 'refuse', connection),
  );
  for (const { items, answer } of parts)
    for (const [index, group] of items.entries()) {
      const errors = Object.entries(answer?.tuples[index]?.Item5 ?? {});
      const differing = errors.filter(([, found]) =>
        found.some(({ code }) => code === 'DIFFERS_FROM_STORED'),
      );
      found.set(group, new Set(differing.map(([field]) => field)));
    }
  return found;
}

const noFields: ReadonlySet<string> = new Set();

/**
 * Returns the fields of the principal that a record changes, by its result. If they could not be found out, for example
 * because an earlier run has applied the record already, each value that its rows state may be a new one.
 */
export function fieldsChangedBy(
  record: CombinedRecord,
  principal: UpsertTuple['Item6']['Principal'],
  changedFields: ChangedFields,
): ReadonlySet<string> {
  if (principal === 'unchanged') return noFields;
  const known = changedFields.get(record);
  return known?.size ? known : statedFields(record.members);
}

function withoutUsers({ record }: RowGroup): object {
  const { Users: _, ...principal } = record as { readonly Users?: unknown };
  return principal;
}
