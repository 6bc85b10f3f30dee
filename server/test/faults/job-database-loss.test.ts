import { openTestDatabase, startChild } from '@anagrafe/testing/child';
import { startOutside } from '@anagrafe/testing/outside';
import { masterKey } from '@anagrafe/testing/store';
import { expect, it } from 'vitest';
import {
  countWrites,
  expectAppliedOnce,
  expireHeartbeats,
  jobOf,
  leftOver,
  newPrincipals,
  newRecords,
  repeatedWrites,
  submit,
  untilDone,
  untilEnded,
} from './jobs.ts';
import { lockPrincipals } from './row-lock.ts';

const records = 20;
/** The last records are locked, so that the job is running at each loss of the database. */
const locked = 8;

it('a job applies each record once when its database closes all connections twice and is then stopped and started', async () => {
  const outside = await startOutside();
  const settings = { ANAGRAFE_DATABASE_URL: outside.url, ANAGRAFE_MASTER_KEY: masterKey };
  const child = await startChild(settings);
  const database = openTestDatabase(outside.url);
  await countWrites(database);
  const principals = await newPrincipals(child, records);
  const sent = newRecords(principals, { hashed: 1, imported: 1 });
  const lock = await lockPrincipals(outside.url, principals.slice(-locked));
  const id = await submit(child, sent);
  await untilDone(child, id, records - locked);

  for (let round = 0; round < 2; round++) {
    await lock.blocked(1);
    // The pool of the test has the same application name as the service; the connection of the lock has none.
    await database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'anagrafe' and pid <> pg_backend_pid()`,
    );
  }
  await lock.blocked(1);
  const job = await jobOf(child, id);
  expect(job.State).toBe('running');
  expect(job.RecordsDone).toBe(records - locked);

  await outside.stop();
  const live = () => fetch(`${child.url}/health/live`).then(({ status }) => status);
  const ready = () => fetch(`${child.url}/health/ready`).then(({ status }) => status);
  await expect.poll(ready).toBe(503);
  expect(await live()).toBe(200);
  await outside.start();
  await expect.poll(ready).toBe(200);

  const after = openTestDatabase(outside.url);
  await expireHeartbeats(after);
  const tuples = await untilEnded(child, id);
  await expectAppliedOnce(after, sent, tuples);
  expect(await repeatedWrites(after)).toEqual([]);
  expect(await leftOver(after)).toEqual([]);
  expect(await child.end('SIGTERM')).toBe(0);
});
