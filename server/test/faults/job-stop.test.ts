import { expect, it } from 'vitest';
import { postmasterOf } from '../engine/harness.ts';
import { lookInto, startChild, usedData } from './child.ts';
import { wrongFigures } from './figures.ts';
import {
  countWrites,
  expectAppliedOnce,
  jobOf,
  newPrincipals,
  newRecords,
  repeatedWrites,
  submit,
  untilDone,
  untilEnded,
} from './jobs.ts';

/** So that the large record alone takes longer to hash than a stop may take. */
const slowly = { ANAGRAFE_HASH_CONCURRENCY: '1', ANAGRAFE_HASH_PASSES: '14' };
/** What a container or a service manager commonly waits before it kills. */
const patienceMs = 10_000;
const usersOfLarge = 180;

it('a stop breaks a long job off at once, in the middle of a record too, and it goes on after the next start', async () => {
  const data = await usedData();
  const first = await startChild(data, slowly);
  const [large = 0, ...principals] = await newPrincipals(first, 31);
  const small = newRecords(principals, 4);
  const sent = [...small.slice(0, 5), ...newRecords([large], usersOfLarge), ...small.slice(5)];
  await lookInto(data, countWrites);
  const id = await submit(first, sent);
  await untilDone(first, id, 3);
  // A call that waits for its answer is not broken off.
  const call = first.call('irs/update', newRecords([large], 5, 'call '), { 'idempotency-key': 'call' });
  const taken = `select from anagrafe.calls where idempotency_key = 'call'`;
  await expect.poll(() => lookInto(data, (database) => database.query(taken))).toHaveLength(1);

  const start = Date.now();
  expect(await first.end('SIGTERM')).toBe(0);
  expect(Date.now() - start).toBeLessThan(patienceMs);
  expect((await call).status).toBe(200);
  expect(await postmasterOf(data)).toBeUndefined();
  expect(first.log.filter((line) => /"level":"(warn|error|fatal)"/.test(line))).toEqual([]);

  const second = await startChild(data);
  const job = await jobOf(second, id);
  expect(job.State).toBe('running');
  expect(job.RecordsDone).toBeGreaterThanOrEqual(3);
  expect(job.RecordsDone).toBeLessThan(sent.length);
  const counts = await lookInto(data, async (database) => {
    expect(await wrongFigures(database)).toEqual([]);
    return database.query<{ count: number }>(
      `select count(*) from anagrafe.users where username not like 'call %' group by principal_id`,
    );
  });
  expect(counts.filter(({ count }) => count !== 4 && count !== usersOfLarge)).toEqual([]);

  const tuples = await untilEnded(second, id);
  await lookInto(data, async (database) => {
    await expectAppliedOnce(database, sent, tuples, 'call ');
    expect(await repeatedWrites(database)).toEqual([]);
  });
  expect(await second.end('SIGTERM')).toBe(0);
});
