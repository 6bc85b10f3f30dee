import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import { makeFolder } from '../engine/harness.ts';
import { masterKey } from '../setup/store.ts';
import { startChild } from './child.ts';
import {
  countWrites,
  expectAppliedOnce,
  jobOf,
  leftOver,
  newPrincipals,
  newRecords,
  repeatedWrites,
  slowly,
  submit,
  untilDone,
  untilEnded,
} from './jobs.ts';
import { startOutside } from './outside.ts';

const records = 120;

it('a job completes, each record once, though its database hangs up again and again and then goes away for a while', async () => {
  const outside = await startOutside();
  const settings = { ...slowly, ANAGRAFE_DATABASE_URL: outside.url, ANAGRAFE_MASTER_KEY: masterKey };
  const child = await startChild(makeFolder(), settings);
  const open = () =>
    openDatabase({ connection: { connectionString: outside.url }, poolSize: 1, onLostConnection: () => {} });
  const before = open();
  await countWrites(before);
  const sent = newRecords(await newPrincipals(child, records), 2);
  const id = await submit(child, sent);
  await untilDone(child, id, 3);

  for (let round = 0; round < 10; round++) {
    await before.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'anagrafe' and pid <> pg_backend_pid()`,
    );
    await sleep(20 + (round % 4) * 20);
  }
  await before.close();
  await outside.stop();
  const live = () => fetch(`${child.url}/health/live`).then(({ status }) => status);
  const ready = () => fetch(`${child.url}/health/ready`).then(({ status }) => status);
  await expect.poll(ready).toBe(503);
  expect(await live()).toBe(200);
  await outside.start();
  await expect.poll(ready).toBe(200);
  const job = await jobOf(child, id);
  expect(job.State).toBe('running');
  expect(job.RecordsDone).toBeLessThan(records);

  const tuples = await untilEnded(child, id);
  const after = open();
  await expectAppliedOnce(after, sent, tuples);
  expect(await repeatedWrites(after)).toEqual([]);
  expect(await leftOver(after)).toEqual([]);
  await after.close();
  expect(await child.end('SIGTERM')).toBe(0);
});
