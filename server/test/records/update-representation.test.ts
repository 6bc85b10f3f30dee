import { credential } from '@anagrafe/testing/admin';
import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Scope } from '../../src/clients/permissions.ts';

let service: TestService;
let principal: number;
let serial = 0;

beforeAll(async () => {
  service = await startTestService();
  [principal = 0] = await insertPrincipals(service, 1);
});

function prefer(value: string) {
  return { headers: { Prefer: value } };
}

const asRepresentation = prefer('return=representation');
const reset = (ID: number) => ({
  ID,
  Password: 'a new long sentence',
  ConfirmPassword: 'a new long sentence',
});

async function ids(names: string[]): Promise<number[]> {
  const rows = await service.database.query<{ id: number }>(
    'select id from anagrafe.users where username = any($1) order by array_position($1, username)',
    [names],
  );
  return rows.map((row) => row.id);
}

describe('Prefer: return=representation', () => {
  it('returns registered and reset users in the order sent', async () => {
    await service.call('irs/update', [
      { ID: principal, Users: [newUser('Old.One', { Email: 'old@example.com' }), newUser('old.two')] },
    ]);
    const [one = 0, two = 0] = await ids(['Old.One', 'old.two']);
    const { status, headers, body } = await service.call(
      'irs/update',
      [
        {
          ID: principal,
          Users: [
            reset(two),
            newUser('zeta', { Email: 'Zeta@Example.com' }),
            reset(one),
            newUser('Alfa'),
            newUser('midi'),
          ],
        },
      ],
      asRepresentation,
    );
    const [zeta = 0, alfa = 0, midi = 0] = await ids(['zeta', 'Alfa', 'midi']);
    expect(status).toBe(200);
    expect(headers.get('preference-applied')).toBe('return=representation');
    expect(body.result?.records[0]?.Item6).toEqual({
      Users: [
        { ID: two, Username: 'old.two', Email: null, Operation: 'reset' },
        { ID: zeta, Username: 'zeta', Email: 'Zeta@Example.com', Operation: 'register' },
        { ID: one, Username: 'Old.One', Email: 'old@example.com', Operation: 'reset' },
        { ID: alfa, Username: 'Alfa', Email: null, Operation: 'register' },
        { ID: midi, Username: 'midi', Email: null, Operation: 'register' },
      ],
    });
    expect([zeta, alfa, midi]).toEqual([zeta, alfa, midi].sort((a, b) => a - b));
  });

  it('leaves Item6 of a refused record empty', async () => {
    const { status, body } = await service.call(
      'irs/update',
      [
        { ID: 999_999, Users: [newUser('refused')] },
        { ID: principal, Users: [newUser('accepted')] },
      ],
      asRepresentation,
    );
    expect(status).toBe(207);
    expect(body.result?.records[0]?.Item6).toEqual({});
    expect(body.result?.records[1]?.Item6.Users).toHaveLength(1);
  });

  it('works for irs/insert with and without users', async () => {
    const { body } = await service.call(
      'irs/insert',
      [{ Denomination: 'With', Users: [newUser('inserted')] }, { Denomination: 'Without' }],
      asRepresentation,
    );
    const [inserted] = await ids(['inserted']);
    expect(body.result?.records.map((tuple) => tuple.Item6)).toEqual([
      { Users: [{ ID: inserted, Username: 'inserted', Email: null, Operation: 'register' }] },
      { Users: [] },
    ]);
  });

  it.each([
    'return=representation',
    'Return=Representation',
    'return="representation"',
    'return = representation',
    'wait=10, return=representation',
    'handling=lenient; foo=bar, return=representation',
    'return=representation, return=minimal',
  ])('is recognised in "%s"', async (value) => {
    const users = [newUser(`understood.${++serial}`)];
    const answer = await service.call('irs/update', [{ ID: principal, Users: users }], prefer(value));
    expect(answer.headers.get('preference-applied')).toBe('return=representation');
    expect(answer.body.result?.records[0]?.Item6.Users).toHaveLength(1);
  });

  it.each(['return=minimal', 'return=minimal, return=representation', 'representation', 'return'])(
    'is not applied if the header is "%s"',
    async (value) => {
      const users = [newUser(`other.${++serial}`)];
      const answer = await service.call('irs/update', [{ ID: principal, Users: users }], prefer(value));
      expect(answer.headers.has('preference-applied')).toBe(false);
      expect(answer.body.result?.records[0]?.Item6).toEqual({});
    },
  );

  it('is not applied by default: the answer has neither Preference-Applied nor users', async () => {
    const { headers, text } = await service.call('irs/update', [
      { ID: principal, Users: [newUser('plain')] },
    ]);
    expect(headers.has('preference-applied')).toBe(false);
    expect(text).toContain('"Item6":{}');
  });
});

describe('Prefer: return=representation from a client without sync:read', () => {
  it('returns the names of users that the call registers, and of none that existed before', async () => {
    const own = await startTestService();
    const [ID = 0] = await insertPrincipals(own, 1);
    const existing = newUser('existing', { Email: 'existing@example.com' });
    const before = await own.call('irs/update', [{ ID, Users: [existing] }], asRepresentation);
    const user = before.body.result?.records[0]?.Item6.Users?.[0]?.ID ?? 0;
    const as = async (scopes: Scope[], path: string, records: unknown) => {
      const headers = { ...(await credential(own, { scopes })), Prefer: 'return=representation' };
      const { status, body, text } = await own.call(path, records, { headers });
      expect(status).toBe(200);
      return { users: body.result?.records[0]?.Item6.Users, text };
    };
    const unchanged = [{ ID, Users: [{ ID: user, State: 'active' }] }];
    const state = await as(['sync:write'], 'irs/state', unchanged);
    expect(state.users).toEqual([{ ID: user, Username: null, Email: null, Operation: 'state' }]);
    const both = [{ ID, Users: [newUser('fresh', { Email: 'fresh@example.com' }), reset(user)] }];
    const update = await as(['sync:write'], 'irs/update', both);
    expect(update.users).toEqual([
      { ID: expect.any(Number), Username: 'fresh', Email: 'fresh@example.com', Operation: 'register' },
      { ID: user, Username: null, Email: null, Operation: 'reset' },
    ]);
    expect(state.text + update.text).not.toContain('existing');
    const withReadScope = await as(['sync:write', 'sync:read'], 'irs/state', unchanged);
    expect(withReadScope.users).toMatchObject([{ Username: 'existing', Email: 'existing@example.com' }]);
  });
});
