import { join } from 'node:path';
import {
  isRunning,
  makeCluster,
  makeFolder,
  postmasterOf,
  query,
  requirePostmaster,
  startService,
  users,
} from '@anagrafe/testing/embedded-postgres';
import { describe, expect, test } from 'vitest';
import {
  startEmbeddedPostgres,
  visitEmbeddedPostgres,
} from '../../src/embedded-postgres/embedded-postgres.ts';

describe.each(users)('a visit by $user', ({ identity }) => {
  test('uses the PostgreSQL of a running service and does not stop it', async () => {
    const data = await makeCluster(identity);
    const service = startService(data, { identity });
    const { connection } = await service.next();
    const visitor = startService(data, { identity, way: 'visit' });
    const report = await visitor.next();
    expect(report).toMatchObject({ connection, adopted: false });
    await visitor.ask('stop');
    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    await service.ask('stop');
  });

  test('starts PostgreSQL if it does not run, also for the first time, and stops it at its end', async () => {
    const data = join(makeFolder(identity), 'data');
    const visitor = startService(data, { identity, way: 'visit' });
    const { connection } = await visitor.next();
    await query(connection, 'select 1');
    const pid = await requirePostmaster(data);
    await visitor.ask('stop');
    expect(isRunning(pid)).toBe(false);
    expect(await postmasterOf(data)).toBeUndefined();
  });
});

test('a visit does not stop PostgreSQL if a service has started during it', async () => {
  const data = await makeCluster();
  const visitor = await visitEmbeddedPostgres({ dataFolder: data });
  const service = await startEmbeddedPostgres({ dataFolder: data });
  expect(service.adopted).toBe(true);
  await visitor.stop();
  expect(await query(service.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  await service.stop();
  expect(await postmasterOf(data)).toBeUndefined();
});

test('the last of several visits stops PostgreSQL', async () => {
  const data = await makeCluster();
  const first = await visitEmbeddedPostgres({ dataFolder: data });
  const second = await visitEmbeddedPostgres({ dataFolder: data });
  await first.stop();
  expect(await query(second.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  await second.stop();
  expect(await postmasterOf(data)).toBeUndefined();
});

test('a service can start at the moment at which a visit ends', async () => {
  const data = await makeCluster();
  const visitor = await visitEmbeddedPostgres({ dataFolder: data });
  const [service] = await Promise.all([startEmbeddedPostgres({ dataFolder: data }), visitor.stop()]);
  expect(await query(service.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  await service.stop();
});

test('a visit ends without an error if PostgreSQL was stopped during it', async () => {
  const data = await makeCluster();
  const service = await startEmbeddedPostgres({ dataFolder: data });
  const visitor = await visitEmbeddedPostgres({ dataFolder: data });
  await service.stop();
  await visitor.stop();
  expect(await postmasterOf(data)).toBeUndefined();
});

test('a visit does not stop the PostgreSQL of a killed service, which the next service adopts', async () => {
  const data = await makeCluster();
  const killed = startService(data);
  await killed.next();
  await killed.kill();
  const visitor = await visitEmbeddedPostgres({ dataFolder: data });
  await visitor.stop();
  const service = await startEmbeddedPostgres({ dataFolder: data });
  expect(service.adopted).toBe(true);
  await service.stop();
});
