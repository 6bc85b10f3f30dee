import { once } from 'node:events';
import { type Child, childStore, failuresIn, startChild } from '@anagrafe/testing/child';
import { wrongFigures } from '@anagrafe/testing/figures';
import { until } from '@anagrafe/testing/until';
import { expect, it } from 'vitest';
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
import { lockPrincipals } from './row-lock.ts';

const small = 5;
/** The large record takes 64 slow hashes. A stop may finish the few that are in the queue of the hash thread. */
const usersOfLarge = 64;
const slowHashing = { ANAGRAFE_HASH_PASSES: '10' };

async function hashesWaiting(child: Child): Promise<boolean> {
  const metrics = await (await fetch(`${child.url}/metrics`)).text();
  return /^anagrafe_hash_lane_length\{lane="bulk"\} [1-9]/m.test(metrics);
}

it('a stop interrupts a job within a record and finishes a call, and the job continues after the next start', async () => {
  const { settings, url, database } = await childStore();
  const first = await startChild({ ...settings, ...slowHashing });
  const [called = 0, large = 0, ...principals] = await newPrincipals(first, 2 + small);
  const sent = [...newRecords(principals, { imported: 4 }), ...newRecords([large], { hashed: usersOfLarge })];
  await countWrites(database);
  const lock = await lockPrincipals(url, [called]);
  const id = await submit(first, sent);
  await untilDone(first, id, small);
  await until(() => hashesWaiting(first));
  // The stop waits for this call, because a client waits for its answer.
  const call = first.call('irs/update', newRecords([called], { imported: 1 }, 'call '));
  await lock.blocked(1);

  first.process.kill('SIGTERM');
  const exit = once(first.process, 'exit');
  await until(() => first.log.some((line) => line.includes('shutting down')));
  await lock.release();
  expect((await call).status).toBe(200);
  expect(await exit).toEqual([0, null]);
  expect(failuresIn(first)).toEqual([]);

  // A stop that waited for the rest of the job would have stored the large record.
  const stored = await database.query<{ principal: number }>(
    `select distinct principal_id as principal from anagrafe.users where username not like 'call %' order by 1`,
  );
  expect(stored.map(({ principal }) => principal)).toEqual(principals);
  expect(await wrongFigures(database)).toEqual([]);

  const second = await startChild(settings);
  expect((await jobOf(second, id)).RecordsDone).toBeGreaterThanOrEqual(small);
  const tuples = await untilEnded(second, id);
  await expectAppliedOnce(database, sent, tuples, 'call ');
  expect(await repeatedWrites(database)).toEqual([]);
  expect(await second.end('SIGTERM')).toBe(0);
});
