import { storedUsernames, wrongFigures } from '@anagrafe/testing/figures';
import { importedUser } from '@anagrafe/testing/jobs';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { Pool } from 'undici';
import { expect } from 'vitest';
import type { Envelope } from '../../src/http/envelope.ts';
import type { Tuple } from '../../src/records/read/tuple.ts';

/** Settings with several hash threads, so that several calls write at the same time, and without overload errors. */
export const patient = { ANAGRAFE_MAX_WAIT_SECONDS: '600', ANAGRAFE_HASH_CONCURRENCY: '4' };

/** Opens a pool of connections to the service; each carries one call at a time. */
export function openCallers(service: TestService, connections: number) {
  const pool = new Pool(service.url, { connections, headersTimeout: 0, bodyTimeout: 0 });
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

/** Expects correct counters, no deadlock and no warning or error in the log. */
export async function expectNoTrouble(service: TestService): Promise<void> {
  expect(await wrongFigures(service.database)).toEqual([]);
  const deadlocks = 'select deadlocks from pg_stat_database where datname = current_database()';
  expect(await service.database.query(deadlocks)).toEqual([{ deadlocks: 0 }]);
  expect(service.log.filter((line) => /"level":"(warn|error|fatal)"|deadlock/.test(line))).toEqual([]);
}

/** Registers each of `names` usernames ten times at once, and expects exactly one registration to succeed. */
export async function expectOneWinnerEach(names: number): Promise<void> {
  const service = await startTestService(patient);
  const principals = await insertPrincipals(service, 20);
  const callers = openCallers(service, names * 10);
  const requests = Array.from({ length: names * 10 }, (_, n) => ({
    name: Math.floor(n / names) % 2 === 0 ? `User ${n % names}` : `uSER ${n % names}`,
    key: n % names,
    ID: principals[n % principals.length],
  }));
  const answers = await Promise.all(
    requests.map(({ name, ID }) => callers.call([{ ID, Users: [importedUser(name)] }])),
  );
  await callers.close();

  const winners = new Map<number, number>();
  for (const [n, { status, envelope }] of answers.entries()) {
    const { key = -1, ID } = requests[n] ?? {};
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
  expect([...winners.values()]).toEqual(Array.from({ length: names }, () => 1));
  expect((await storedUsernames(service.database)).size).toBe(names);
  await expectNoTrouble(service);
}
