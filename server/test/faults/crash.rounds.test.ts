import { type Child, lookInto, startChild, usedData } from '@anagrafe/testing/child';
import { isRunning, postmasterOf, requirePostmaster } from '@anagrafe/testing/embedded-postgres';
import { storedUsernames, wrongFigures } from '@anagrafe/testing/figures';
import { progressOf, roundsOf } from '@anagrafe/testing/rounds';
import { newUser } from '@anagrafe/testing/service';
import { until } from '@anagrafe/testing/until';
import { describe, expect, it } from 'vitest';
import type { Envelope } from '../../src/http/envelope.ts';
import type { Tuple } from '../../src/records/read/tuple.ts';

const records = 40;
const usersPerRecord = 4;
/** Slow hashing keeps the call running when some of its records are stored. */
const slowHashing = { ANAGRAFE_HASH_PASSES: '4' };

const usernames = (round: number, record: number) =>
  Array.from({ length: usersPerRecord }, (_, n) => `round ${round} record ${record} user ${n}`);

async function insertPrincipals(child: Child): Promise<number[]> {
  const answer = await child.call(
    'irs/insert',
    Array.from({ length: records }, (_, n) => ({ Denomination: `Principal ${n}` })),
  );
  const { result } = (await answer.json()) as Envelope<Tuple>;
  return (result?.records ?? []).map((tuple) => tuple.Item1 ?? 0);
}

async function countUsers(child: Child): Promise<number> {
  const answer = await child.call('irs/users', { PageSize: 1 });
  return ((await answer.json()) as Envelope).result?.totalCount ?? 0;
}

describe.each([
  { killed: 'the service', withPostgres: false },
  { killed: 'the service and its PostgreSQL', withPostgres: true },
])('a call during which $killed is killed', ({ killed, withPostgres }) => {
  it('has stored each record whole or not at all, and the service works after a restart', async () => {
    const data = await usedData();
    let child = await startChild({ ANAGRAFE_DATA: data, ...slowHashing });
    const principals = await insertPrincipals(child);
    let whole = 0;
    const rounds = roundsOf(10);
    const report = progressOf(`crash, ${killed}`, rounds);

    for (let round = 1; round <= rounds; round++) {
      const stored = await countUsers(child);
      const body = principals.map((ID, n) => ({
        ID,
        Users: usernames(round, n).map((name) => newUser(name)),
      }));
      const answer = child.call('irs/update', body).then(
        (response) => response.status,
        () => 'none',
      );
      const storedBefore = 1 + (round % 10);
      const someRecords = stored + storedBefore * usersPerRecord;
      await until(async () => (await countUsers(child)) >= someRecords);
      const postmaster = await requirePostmaster(data);
      if (withPostgres) process.kill(postmaster, 'SIGKILL');
      expect(await child.end('SIGKILL')).toBe('SIGKILL');
      expect(await answer).toBe('none');
      if (withPostgres) await until(() => !isRunning(postmaster));
      else expect(isRunning(postmaster)).toBe(true);

      child = await startChild({ ANAGRAFE_DATA: data, ...slowHashing });
      expect((await postmasterOf(data)) === postmaster).toBe(!withPostgres);
      await expect.poll(async () => (await fetch(`${child.url}/health/ready`)).status).toBe(200);
      const names = await lookInto(data, async (database) => {
        expect(await wrongFigures(database)).toEqual([]);
        return storedUsernames(database);
      });
      const present = principals.map((_, n) => usernames(round, n).filter((name) => names.has(name)).length);
      expect(present.filter((count) => count !== 0 && count !== usersPerRecord)).toEqual([]);
      const applied = present.filter((count) => count === usersPerRecord).length;
      expect(applied).toBeGreaterThanOrEqual(storedBefore);
      expect(applied).toBeLessThan(records);
      whole += applied;
      expect(names.size).toBe(whole * usersPerRecord);

      // The call can be sent again: records that were stored are refused, the others are applied.
      const again = await child.call('irs/update', body.slice(0, 10));
      const { result } = (await again.json()) as Envelope<Tuple>;
      const expected = present.slice(0, 10).map((count) => (count === 0 ? null : 'USERNAME_TAKEN'));
      expect(result?.records.map((tuple) => tuple.Item2)).toEqual(expected);
      whole += expected.filter((code) => code === null).length;
      report(round);
    }
    expect(await child.end('SIGTERM')).toBe(0);
    expect(await postmasterOf(data)).toBeUndefined();
  });
});
