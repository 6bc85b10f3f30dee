import { describe, expect, it } from 'vitest';
import { findExcessiveRemovals, noCounts, type SyncPlan } from '../src/index.ts';

const users = (count: number, Operation: 'delete' | 'none') =>
  Array.from({ length: count }, (_, n) => ({ ID: n, Username: `u.${n}`, Email: null, Operation }));

/** A plan with one record for each principal, which removes some of its stored users. */
function callsOf(
  ...principals: (readonly [removals: number, storedUsers: number])[]
): Pick<SyncPlan, 'calls'> {
  const records = principals.map(([removals, storedUsers], index) => ({
    planned: { record: { ExternalKey: `C-${index + 1}` }, members: [], expectedId: null },
    tuple: {
      Item1: index,
      Item3: true,
      Item4: null,
      Item5: {},
      Item6: { Users: [...users(removals, 'delete'), ...users(storedUsers - removals, 'none')] },
    },
  }));
  return { calls: records.map((record) => ({ records: [record], counts: noCounts, plan: null })) };
}

const find = (maxPercent: number, ...principals: (readonly [number, number])[]) =>
  findExcessiveRemovals(callsOf(...principals), { maxPercent, alwaysAllowed: 20 });

describe('the limit of removals of a sync without a confirmation', () => {
  it('counts the removed users of all principals of the file together', () => {
    expect(find(10, [20, 100], [20, 300])).toBeNull();
    expect(find(10, [20, 100], [21, 300])).toEqual({
      principal: null,
      removals: 41,
      storedUsers: 400,
      allowed: 40,
    });
  });

  it('counts the users of each principal too, however many users others keep', () => {
    expect(find(10, [20, 90], [0, 900])).toBeNull();
    expect(find(10, [90, 90], [0, 900])).toMatchObject({ principal: 'C-1', removals: 90, allowed: 20 });
  });

  it('always allows 20 users of the file, and not of each principal', () => {
    expect(find(0, [20, 20])).toBeNull();
    expect(find(0, [20, 20], [1, 20])).toMatchObject({ removals: 21, storedUsers: 40 });
  });
});
