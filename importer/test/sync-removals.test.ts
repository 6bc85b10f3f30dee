import { Anagrafe } from '@anagrafe/client';
import { describe, expect, it } from 'vitest';
import { findExcessiveLosses, noCounts, type SyncPlan } from '../src/index.ts';
import { revise } from '../src/plan/sync.ts';

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

const noMoves = { count: 0, users: new Map(), storedUsers: new Map() };

const find = (maxPercent: number, ...principals: (readonly [number, number])[]) =>
  findExcessiveLosses(
    { plan: callsOf(...principals), moves: noMoves, disables: [], gone: null },
    { maxPercent, alwaysAllowed: 20 },
    new Anagrafe({ url: 'http://127.0.0.1:1' }),
  );

describe('the limit of removals of a sync without a confirmation', () => {
  it('counts the removed users of all principals of the file together', async () => {
    expect(await find(10, [20, 100], [20, 300])).toBeNull();
    expect(await find(10, [20, 100], [21, 300])).toEqual({
      action: 'remove',
      unit: 'user',
      principal: null,
      count: 41,
      stored: 400,
      allowed: 40,
    });
  });

  it('counts the users of each principal too, however many users others keep', async () => {
    expect(await find(10, [20, 90], [0, 900])).toBeNull();
    expect(await find(10, [90, 90], [0, 900])).toMatchObject({ principal: 'C-1', count: 90, allowed: 20 });
  });

  it('always allows 20 users of the file, and not of each principal', async () => {
    expect(await find(0, [20, 20])).toBeNull();
    expect(await find(0, [20, 20], [1, 20])).toMatchObject({ count: 21, stored: 40 });
  });
});

describe('a record of a sync that is planned again', () => {
  const row = { kind: 'record', number: 1, line: 2, source: null, record: {}, warnings: [] } as const;
  const record = { ExternalKey: 'C-1', Users: [{ Username: 'bad', Email: 'x' }, { Username: 'good' }] };
  const member = { row, fields: {}, users: record.Users, similar: undefined };
  const planned = { record, members: [member], expectedId: null };
  const answer = { Item1: 1, Item3: true, Item4: null, Item5: {}, Item6: {} };
  const options = { usernames: new Set(['bad', 'good', 'elsewhere']), isPartial: true };

  it('keeps the stored users that it would remove although another record of the file has them', () => {
    const Users = ['Elsewhere', 'gone'].map((Username) => {
      return { ID: 1, Username, Email: null, Operation: 'delete' as const };
    });
    const { record: revised, isChanged } = revise(
      { planned, tuple: { ...answer, Item6: { Users } } },
      options,
    );
    expect([isChanged, revised.record]).toEqual([
      true,
      { ...record, Users: [...record.Users, { Username: 'Elsewhere' }] },
    ]);
  });

  it('is without the users with errors, which are reported, and fails as a whole for any other error', () => {
    const found = [{ code: 'EMAIL_INVALID' as const, message: 'Wrong.' }];
    const refused = { ...answer, Item3: false, Item5: { 'Users[0].Email': found } };
    const revised = revise({ planned, tuple: refused }, options);
    expect(revised.record.record).toEqual({ ...record, Users: [{ Username: 'good' }] });
    expect(revised.record.members).toEqual([{ ...member, users: [{ Username: 'good' }] }]);
    expect(revised.problems).toMatchObject([
      { number: 1, line: 2, errors: [{ column: 'Email', message: 'Wrong.' }] },
    ]);
    expect(revise({ planned, tuple: refused }, { ...options, isPartial: false }).isChanged).toBe(false);
    const both = { ...refused, Item5: { ...refused.Item5, Vatnumber: found } };
    expect(revise({ planned, tuple: both }, options).isChanged).toBe(false);
  });
});
