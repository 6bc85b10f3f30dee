import { type Child, childStore, failuresIn, startChild } from '@anagrafe/testing/child';
import { emptyStore } from '@anagrafe/testing/store';
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

const records = 8;
/** Each record fills a chunk of its own, although users with a password hash weigh little. */
const usersPerRecord = 4000;
/** Records at the start that are not locked; the others are locked until one node is killed. */
const free = 2;
const chunksPerNode = 2;

async function appliedBy(child: Child): Promise<number> {
  const metrics = await (await fetch(`${child.url}/metrics`)).text();
  return Number(
    /^anagrafe_records_total\{operation="update",outcome="applied"\} (\d+)/m.exec(metrics)?.[1] ?? 0,
  );
}

it('three nodes that start at the same time on an empty database all become ready', async () => {
  const { settings } = await childStore(emptyStore);
  const nodes = await Promise.all([1, 2, 3].map(() => startChild(settings)));
  for (const node of nodes) {
    await expect.poll(async () => (await fetch(`${node.url}/health/ready`)).status).toBe(200);
    expect(failuresIn(node)).toEqual([]);
  }
});

it('two nodes work on one job together, and when one is killed the other finishes it', async () => {
  const { settings, url, database } = await childStore();
  const [killed, left] = await Promise.all([startChild(settings), startChild(settings)]);
  const principals = await newPrincipals(killed, records);
  const sent = newRecords(principals, { imported: usersPerRecord });
  await countWrites(database);

  const lock = await lockPrincipals(url, principals.slice(free));
  const id = await submit(killed, sent);
  await untilDone(killed, id, free);
  // A node runs two chunks at a time, so four blocked chunks belong to both nodes.
  await lock.blocked(2 * chunksPerNode);
  expect((await jobOf(left, id)).RecordsDone).toBe(free);
  expect(await database.query('select from anagrafe.chunks')).toHaveLength(records - free);
  expect(await killed.end('SIGKILL')).toBe('SIGKILL');
  await lock.release();
  await expireHeartbeats(database);

  const tuples = await untilEnded(left, id);
  expect(await appliedBy(left)).toBeGreaterThanOrEqual(records - free - chunksPerNode);
  await expectAppliedOnce(database, sent, tuples);
  expect(await repeatedWrites(database)).toEqual([]);
  expect(await leftOver(database)).toEqual([]);
  expect(await left.end('SIGTERM')).toBe(0);
});
