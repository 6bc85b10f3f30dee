import { groupBy } from '../import/group-by.ts';
import { usersOf } from '../import/records.ts';
import { codedError } from '../import/row-errors.ts';
import { rowsOfUsers } from '../import/row-group.ts';
import type { Exchange } from './exchanges.ts';
import {
  type CallLimits,
  fits,
  inCalls,
  type PlannedCall,
  type PlannedRecord,
  refusedCall,
  sizeOf,
} from './plan.ts';
import type { SyncRecord } from './sync-file.ts';

/** Returns true if a call would move a user whose present principal changes in a later call. */
export function hasReversed(
  exchanges: readonly Exchange[],
  calls: readonly PlannedCall<SyncRecord>[],
): boolean {
  const positions = new Map(
    calls.flatMap(({ records }, at) => records.map(({ planned }) => [planned, at] as const)),
  );
  const at = (record: SyncRecord) => positions.get(record) ?? 0;
  return exchanges.some(({ source, target }) => at(target) < at(source));
}

interface Regrouped {
  /** The records to plan again, by call. */
  readonly open: readonly (readonly SyncRecord[])[];
  /** The records that fail, and those in `tooLarge`. */
  readonly refused: readonly PlannedCall<SyncRecord>[];
  /** The records that would have to be in one call and are too many for it. */
  readonly tooLarge: readonly SyncRecord[];
}

/**
 * Puts records that exchange users into one call. The calls are applied one after the other, and the plan of a principal
 * does not hold any more after an earlier call has moved one of its users.
 */
export function regroup(
  calls: readonly PlannedCall<SyncRecord>[],
  exchanges: readonly Exchange[],
  { isOpen, limits }: { readonly isOpen: (record: PlannedRecord) => boolean; readonly limits: CallLimits },
): Regrouped {
  const all = calls.flatMap(({ records }) => records);
  const isFailed = (record: PlannedRecord) => record.tuple?.Item3 === false && !isOpen(record);
  const remaining = all.filter((record) => !isFailed(record)).map(({ planned }) => planned);
  const groups = groupsOf(remaining, exchanges).map((group) => group.map(withoutKept));
  const isFitting = (group: readonly SyncRecord[]) => group.length === 1 || fits(sizeOf(group), limits);
  const tooLarge = groups.filter((group) => !isFitting(group)).flat();
  return {
    open: inCalls(groups.filter(isFitting), limits),
    refused: [
      { ...refusedCall<SyncRecord>([], ''), records: all.filter(isFailed) },
      refusedCall(tooLarge, tooLargeExchange.message),
    ],
    tooLarge,
  };
}

export const tooLargeExchange = codedError('EXCHANGE_TOO_LARGE');

/** Returns the records in groups, of which each exchanges users with no other, in the order of their first records. */
function groupsOf(records: readonly SyncRecord[], exchanges: readonly Exchange[]): readonly SyncRecord[][] {
  const parents = new Map<SyncRecord, SyncRecord>();
  const rootOf = (record: SyncRecord): SyncRecord => {
    let root = record;
    for (let next = parents.get(root); next; next = parents.get(root)) root = next;
    // The chain of parents stays short.
    for (let at = record; at !== root; ) {
      const next = parents.get(at) ?? root;
      parents.set(at, root);
      at = next;
    }
    return root;
  };
  for (const { source, target } of exchanges) {
    const [first, second] = [rootOf(source), rootOf(target)];
    if (first !== second) parents.set(second, first);
  }
  return [...groupBy(records, rootOf).values()];
}

/** Returns a record without the users that `revise` has added. */
function withoutKept(planned: SyncRecord): SyncRecord {
  const users = usersOf(planned.record);
  const own = rowsOfUsers(planned.members).length;
  return users.length <= own
    ? planned
    : { ...planned, record: { ...planned.record, Users: users.slice(0, own) } };
}
