import { expect, it } from 'vitest';
import { postmasterOf } from '../engine/harness.ts';
import { type Child, lookInto, startChild, usedData } from './child.ts';
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

const records = 60;
const usersPerRecord = 3;
const key = { 'idempotency-key': 'crash' };

it('a node that is killed in the middle of a job, alone and with its PostgreSQL, finishes it when it is started again', async () => {
  const data = await usedData();
  let child: Child = await startChild(data, slowly);
  const sent = newRecords(await newPrincipals(child, records), usersPerRecord);
  await lookInto(data, countWrites);
  const id = await submit(child, sent, key);

  await untilDone(child, id, 5);
  // The second time before anyone has noticed that the first one is dead.
  for (const withPostgres of [false, true]) {
    if (withPostgres) process.kill((await postmasterOf(data)) ?? 0, 'SIGKILL');
    expect(await child.end('SIGKILL')).toBe('SIGKILL');
    child = await startChild(data, withPostgres ? {} : slowly);
    const job = await jobOf(child, id);
    expect(job.State).toBe('running');
    expect(job.RecordsDone).toBeGreaterThanOrEqual(5);
    expect(job.RecordsDone).toBeLessThan(records);
    // The same call again is the same job, while it goes on and afterwards.
    expect(await submit(child, sent, key)).toBe(id);
  }
  const tuples = await untilEnded(child, id);
  expect(await submit(child, sent, key)).toBe(id);

  expect(await jobOf(child, id)).toMatchObject({
    State: 'completed',
    Records: records,
    RecordsDone: records,
    RecordsFailed: 0,
    Users: records * usersPerRecord,
    UsersDone: records * usersPerRecord,
  });
  await lookInto(data, async (database) => {
    await expectAppliedOnce(database, sent, tuples);
    expect(await repeatedWrites(database)).toEqual([]);
    expect(await leftOver(database)).toEqual([]);
  });
  expect(await child.end('SIGTERM')).toBe(0);
});
