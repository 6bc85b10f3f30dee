import type { ImportRow } from '../file/rows.ts';
import type { ImportOperation } from './calls.ts';
import type { RowRecord } from './records.ts';
import type { RowGroup } from './row-group.ts';

/** Records that are to be sent in one call, each with its rows. */
export interface Call {
  readonly operation: ImportOperation;
  readonly items: readonly CallItem[];
}

export interface CallItem {
  readonly rows: readonly ImportRow[];
  readonly record: unknown;
  readonly group: RowGroup | null;
}

export function callOf(operation: ImportOperation, records: readonly RowRecord<unknown>[]): Call {
  return { operation, items: records.map(({ row, record }) => ({ rows: [row], record, group: null })) };
}

export function callOfGroups(groups: readonly RowGroup[]): Call {
  const items = groups.map((group) => ({
    rows: group.members.map(({ row }) => row),
    record: group.record,
    group,
  }));
  return { operation: 'upsert', items };
}

/** Returns the groups of a job of `irs/upsert`, which has no other items; an empty list for another job. */
export function groupsOf(items: readonly CallItem[]): RowGroup[] {
  return items.flatMap(({ group }) => group ?? []);
}
