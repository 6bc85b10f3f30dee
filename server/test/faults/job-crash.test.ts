import { lookInto, startChild, usedData } from '@anagrafe/testing/child';
import { signalPostmaster } from '@anagrafe/testing/embedded-postgres';
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
import { embeddedConnection, lockPrincipals } from './row-lock.ts';

const records = 12;
const usersPerRecord = 3;
/** The last records are locked, so that the job is running at each kill. */
const locked = 4;
const key = { 'idempotency-key': 'crash' };

it('a node that is killed during a job, alone and with its PostgreSQL, finishes the job after a restart', async () => {
  const data = await usedData();
  const start = () => startChild({ ANAGRAFE_DATA: data });
  let child = await start();
  const principals = await newPrincipals(child, records);
  const sent = newRecords(principals, { hashed: 1, imported: usersPerRecord - 1 });
  await lookInto(data, countWrites);
  const lock = () => lockPrincipals(embeddedConnection(data), principals.slice(-locked));

  /** Expects that the job is partly done, and that a retry of the call returns the same job. */
  async function expectRunning(id: string): Promise<void> {
    const job = await jobOf(child, id);
    expect(job.State).toBe('running');
    expect(job.RecordsDone).toBeGreaterThanOrEqual(records - locked);
    expect(job.RecordsDone).toBeLessThan(records);
    expect(await submit(child, sent, key)).toBe(id);
  }

  const first = await lock();
  const id = await submit(child, sent, key);
  await untilDone(child, id, records - locked);
  await first.blocked(1);
  expect(await child.end('SIGKILL')).toBe('SIGKILL');
  // PostgreSQL still runs the statements of the killed service; without this it would store their records.
  await first.terminateBlocked();
  child = await start();
  await expectRunning(id);

  // The second kill comes before the heartbeat of the first node has expired.
  await signalPostmaster(data, 'SIGKILL');
  expect(await child.end('SIGKILL')).toBe('SIGKILL');
  await lookInto(data, async (database) => {
    const second = await lock();
    child = await start();
    await expectRunning(id);
    await expireHeartbeats(database);
    await second.blocked(1);
    await second.release();
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
    await expectAppliedOnce(database, sent, tuples);
    expect(await repeatedWrites(database)).toEqual([]);
    expect(await leftOver(database)).toEqual([]);
  });
  expect(await child.end('SIGTERM')).toBe(0);
});
