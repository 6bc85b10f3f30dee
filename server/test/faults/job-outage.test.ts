import { type ChildStore, childStore } from '@anagrafe/testing/child';
import { finished, importedUser, submit } from '@anagrafe/testing/jobs';
import { startProxy } from '@anagrafe/testing/proxy';
import { insertPrincipals, startTestService } from '@anagrafe/testing/service';
import { describe, expect, it } from 'vitest';
import { status } from './database-faults.ts';
import { countWrites, repeatedWrites } from './jobs.ts';
import { lockPrincipals } from './row-lock.ts';

/** Reads the state of the chunks from the tables of the queue. */
const queuedChunks = `select state, retry_count as "retryCount" from anagrafe_queue.job where name = 'chunks'`;

/** Starts a job of one chunk and closes the connections of the service while it writes a record. */
async function cutDuringJob(store: ChildStore) {
  const proxy = await startProxy(store.url);
  const service = await startTestService({ ...store.settings, ANAGRAFE_DATABASE_URL: proxy.url });
  await countWrites(store.database);
  const principals = await insertPrincipals(service, 3);
  const lock = await lockPrincipals(store.url, principals.slice(-1));
  const records = principals.map((ID) => ({ ID, Users: [importedUser(`user of ${ID}`)] }));
  const id = await submit(service, 'irs/update', records);
  await lock.blocked(1);
  const outcomes = () => store.database.query('select from anagrafe.outcomes where call_id = $1', [id]);
  await expect.poll(outcomes).toHaveLength(2);
  proxy.cut();
  await expect.poll(() => status(service, '/health/ready')).toBe(503);
  expect(await lock.terminateBlocked()).toBe(1);
  await lock.release();
  return { proxy, service, id };
}

describe('a job that loses its database', () => {
  it('continues on the same node when the database is back, without a missed heartbeat', async () => {
    const store = await childStore();
    const { proxy, service, id } = await cutDuringJob(store);
    // On a slow machine the heartbeat would otherwise expire during the test.
    await store.database.query(
      `update anagrafe_queue.job set heartbeat_on = now() + interval '1 hour' where state = 'active'`,
    );
    await proxy.restore();
    const { body } = await finished(service, id);
    expect(body.result?.records.map((tuple) => tuple.Item3)).toEqual([true, true, true]);
    await expect
      .poll(() => store.database.query(queuedChunks))
      .toEqual([{ state: 'completed', retryCount: 0 }]);
    expect(await repeatedWrites(store.database)).toEqual([]);
    await service.stop();
  });

  it('is finished by another node that takes it over during the outage', async () => {
    const store = await childStore();
    const { proxy, service, id } = await cutDuringJob(store);
    const other = await startTestService(store.settings);
    await store.database.query(
      `update anagrafe_queue.job set heartbeat_on = now() - interval '1 hour' where state = 'active'`,
    );
    const { body } = await finished(other, id);
    expect(body.result?.records.map((tuple) => tuple.Item3)).toEqual([true, true, true]);
    await proxy.restore();
    await expect.poll(() => status(service, '/health/ready')).toBe(200);
    await expect
      .poll(() => store.database.query(queuedChunks))
      .toEqual([{ state: 'completed', retryCount: 1 }]);
    expect(await repeatedWrites(store.database)).toEqual([]);
    await Promise.all([service.stop(), other.stop()]);
  });

  it('does not prevent the service from stopping', async () => {
    const store = await childStore();
    const { service } = await cutDuringJob(store);
    await service.stop();
    expect(await store.database.query(queuedChunks)).toEqual([{ state: 'active', retryCount: 0 }]);
  });
});
