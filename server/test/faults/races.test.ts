import { Pool } from 'undici';
import { expect, it } from 'vitest';
import type { Envelope } from '../../src/http/envelope.ts';
import type { Tuple } from '../../src/http/tuple.ts';
import { importedUser } from '../setup/jobs.ts';
import { insertPrincipals, newUser, startTestService, type TestService } from '../setup/service.ts';
import { storedUsernames, wrongFigures } from './figures.ts';

/** With several threads that hash, so that several calls come to the store at once. */
const patient = { ANAGRAFE_MAX_WAIT_SECONDS: '600', ANAGRAFE_HASH_CONCURRENCY: '4' };

/** Many callers at once, each on a connection of its own. */
function openCallers(service: TestService, connections: number) {
  const pool = new Pool(service.url, { connections, headersTimeout: 300_000, bodyTimeout: 300_000 });
  return {
    async call(body: unknown): Promise<{ status: number; envelope: Envelope<Tuple> }> {
      const answer = await pool.request({
        path: '/api/sync/v1/irs/update',
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return { status: answer.statusCode, envelope: (await answer.body.json()) as Envelope<Tuple> };
    },
    close: () => pool.close(),
  };
}

async function expectNoTrouble(service: TestService): Promise<void> {
  expect(await wrongFigures(service.database)).toEqual([]);
  const deadlocks = 'select deadlocks from pg_stat_database where datname = current_database()';
  expect(await service.database.query(deadlocks)).toEqual([{ deadlocks: 0 }]);
  expect(service.log.filter((line) => /"level":"(warn|error|fatal)"|deadlock/.test(line))).toEqual([]);
}

it('gives each of 200 usernames to exactly one of ten callers that want it at once', async () => {
  const service = await startTestService(patient);
  const principals = await insertPrincipals(service, 20);
  const callers = openCallers(service, 2000);
  const wishes = Array.from({ length: 2000 }, (_, n) => ({
    name: n % 2 === 0 ? `User ${n % 200}` : `uSER ${n % 200}`,
    key: n % 200,
    ID: principals[n % principals.length],
  }));
  const answers = await Promise.all(
    wishes.map(({ name, ID }) => callers.call([{ ID, Users: [importedUser(name)] }])),
  );
  await callers.close();

  const winners = new Map<number, number>();
  for (const [n, { status, envelope }] of answers.entries()) {
    const { key = -1, ID } = wishes[n] ?? {};
    const [tuple] = envelope.result?.records ?? [];
    if (status === 200) {
      winners.set(key, (winners.get(key) ?? 0) + 1);
      expect(tuple).toMatchObject({ Item1: ID, Item3: true });
    } else {
      expect([status, envelope.statusCode, envelope.errorCode]).toEqual([422, 422, 'USERNAME_TAKEN']);
      expect(tuple).toMatchObject({ Item1: ID, Item2: 'USERNAME_TAKEN', Item3: false });
      expect(Object.keys(tuple?.Item5 ?? {})).toEqual(['Users[0].Username']);
    }
  }
  expect([...winners.values()]).toEqual(Array.from({ length: 200 }, () => 1));
  expect((await storedUsernames(service.database)).size).toBe(200);
  await expectNoTrouble(service);
});

it('lets resets and registrations on one principal, and crossing usernames, pass without a deadlock', async () => {
  const service = await startTestService(patient);
  const principals = await insertPrincipals(service, 4);
  const [shared = 0, ...others] = principals;
  const before = await service.call(
    'irs/update',
    [{ ID: shared, Users: ['a', 'b', 'c'].map((name) => newUser(`kept ${name}`)) }],
    { headers: { prefer: 'return=representation' } },
  );
  const kept = before.body.result?.records[0]?.Item6.Users?.map((user) => user.ID) ?? [];
  expect(kept).toHaveLength(3);
  const reset = (ID: number) => ({ ID, Password: 'another horse', ConfirmPassword: 'another horse' });

  const callers = openCallers(service, 64);
  const calls = Array.from({ length: 90 }, (_, n) => {
    const wanted = [0, 1, 2].map((step) => importedUser(`crossing ${(Math.floor(n / 3) + step) % 30}`));
    const crossed = n % 2 === 0 ? wanted : wanted.toReversed();
    const turned = n % 2 === 0 ? kept : kept.toReversed();
    if (n % 3 === 0) return [{ ID: shared, Users: [...turned.map(reset), importedUser(`own ${n}`)] }];
    if (n % 3 === 1) return [{ ID: others[n % others.length], Users: crossed }];
    return [
      { ID: others[n % others.length], Users: crossed.slice(0, 2) },
      { ID: shared, Users: [reset(turned[0] ?? 0)] },
      { ID: others[(n + 1) % others.length], Users: crossed.slice(2) },
    ];
  });
  const answers = await Promise.all(calls.map((body) => callers.call(body)));
  await callers.close();

  const applied: string[] = [];
  for (const [n, { status, envelope }] of answers.entries()) {
    expect([200, 207, 422]).toContain(status);
    const records = calls[n] ?? [];
    expect(envelope.result?.records).toHaveLength(records.length);
    for (const [position, tuple] of (envelope.result?.records ?? []).entries()) {
      const { ID, Users } = records[position] ?? { ID: 0, Users: [] };
      expect(tuple.Item1).toBe(ID);
      if (ID === shared) expect(tuple.Item3).toBe(true);
      if (!tuple.Item3) expect(tuple.Item2).toBe('USERNAME_TAKEN');
      else for (const user of Users) if ('Username' in user) applied.push(user.Username);
    }
  }
  expect(new Set(applied).size).toBe(applied.length);
  const names = await storedUsernames(service.database);
  expect(names).toEqual(new Set([...applied, 'kept a', 'kept b', 'kept c']));
  await expectNoTrouble(service);
});

it('writes records with the same usernames in opposite orders at the same moment without a deadlock', async () => {
  const service = await startTestService(patient);
  const principals = await insertPrincipals(service, 10);
  const callers = openCallers(service, principals.length);
  for (let round = 0; round < 3; round++) {
    const users = Array.from({ length: 20 }, (_, n) => importedUser(`round ${round} user ${n}`));
    const calls: ReturnType<typeof callers.call>[] = [];
    await service.database.transaction(async (connection) => {
      // All of them wait at this lock and then go at once.
      await connection.query('lock table anagrafe.users in share mode');
      for (const [n, ID] of principals.entries())
        calls.push(callers.call([{ ID, Users: n % 2 === 0 ? users : users.toReversed() }]));
      const waiting = `select count(*)::int as count from pg_locks
        where relation = 'anagrafe.users'::regclass and not granted`;
      await expect
        .poll(async () => (await connection.query<{ count: number }>(waiting))[0]?.count)
        .toBe(principals.length);
    });
    const answers = await Promise.all(calls);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(422)]);
    for (const { status, envelope } of answers)
      if (status === 422) expect(envelope.errorCode).toBe('USERNAME_TAKEN');
  }
  await callers.close();
  expect((await storedUsernames(service.database)).size).toBe(60);
  await expectNoTrouble(service);
});
