import { usersOf } from '../import/records.ts';
import type { PlannedCall, PlannedRecord } from './plan.ts';

/** Users that a plan would disable or delete. */
export interface Removals {
  /** The ExternalKey or ID of the principal; null for all of them together. */
  readonly principal: string | null;
  readonly removals: number;
  readonly storedUsers: number;
  /** The largest number of removals that the limit allows. */
  readonly allowed: number;
}

export interface RemovalLimit {
  /** The share of the stored users, in percent. */
  readonly maxPercent: number;
  /** The number of users that may be removed in any case. */
  readonly alwaysAllowed: number;
}

/**
 * Returns removals above the limit, of all principals together or of one of them; null if there are none: many removals
 * can mean that the file is incomplete.
 */
export function findExcessiveRemovals(
  { calls }: { readonly calls: readonly PlannedCall[] },
  limit: RemovalLimit,
): Removals | null {
  const found = calls
    .flatMap(({ records }) => records)
    .map((record) => {
      const { ExternalKey, ID } = record.planned.record as {
        readonly ID?: number;
        readonly ExternalKey?: string;
      };
      const principal = String(ExternalKey ?? ID);
      const storedUsers = storedUsersOf(record);
      return withLimit({ principal, removals: removalsOf(record), storedUsers }, limit);
    });
  const sum = (name: 'removals' | 'storedUsers') => found.reduce((total, each) => total + each[name], 0);
  const total = { principal: null, removals: sum('removals'), storedUsers: sum('storedUsers') };
  const all = [withLimit(total, limit), ...found];
  return all.find(({ removals, allowed }) => removals > allowed) ?? null;
}

export function withLimit(
  removals: Omit<Removals, 'allowed'>,
  { maxPercent, alwaysAllowed }: RemovalLimit,
): Removals {
  const share = Math.floor((removals.storedUsers * maxPercent) / 100);
  return { ...removals, allowed: Math.max(alwaysAllowed, share) };
}

function removalsOf({ tuple }: PlannedRecord): number {
  const users = tuple?.Item3 ? (tuple.Item6.Users ?? []) : [];
  return users.filter(({ Operation }) => Operation === 'disable' || Operation === 'delete').length;
}

/** Returns the number of stored users of the principal of a record; 0 for a record that fails. */
export function storedUsersOf({ planned, tuple }: PlannedRecord): number {
  if (!tuple) return usersOf(planned.record).length;
  const isNew = (operation: string) => operation === 'register' || operation === 'move';
  return (tuple.Item6.Users ?? []).filter(({ Operation }) => !isNew(Operation)).length;
}
