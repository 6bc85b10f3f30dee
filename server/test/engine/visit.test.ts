import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openEngine, visitEngine } from '../../src/engine/engine.ts';
import {
  isRunning,
  makeCluster,
  makeFolder,
  postmasterOf,
  query,
  requirePostmaster,
  startService,
  users,
} from './harness.ts';

describe.each(users)('visited by $user', ({ identity }) => {
  test('uses the engine of a running service and leaves it running', async () => {
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

  test('starts the engine where none runs, even the first time, and stops it again', async () => {
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

test('leaves the engine to a service that has come during the visit', async () => {
  const data = await makeCluster();
  const visitor = await visitEngine({ dataFolder: data });
  const service = await openEngine({ dataFolder: data });
  expect(service.adopted).toBe(true);
  await visitor.stop();
  expect(await query(service.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  await service.stop();
  expect(await postmasterOf(data)).toBeUndefined();
});

test('leaves the engine to other visitors; the last one stops it', async () => {
  const data = await makeCluster();
  const first = await visitEngine({ dataFolder: data });
  const second = await visitEngine({ dataFolder: data });
  await first.stop();
  expect(await query(second.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  await second.stop();
  expect(await postmasterOf(data)).toBeUndefined();
});

test('lets a service in that comes at the moment a visit ends', async () => {
  const data = await makeCluster();
  const visitor = await visitEngine({ dataFolder: data });
  const [service] = await Promise.all([openEngine({ dataFolder: data }), visitor.stop()]);
  expect(await query(service.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  await service.stop();
});

test('does not mind that the engine was stopped during the visit', async () => {
  const data = await makeCluster();
  const service = await openEngine({ dataFolder: data });
  const visitor = await visitEngine({ dataFolder: data });
  await service.stop();
  await visitor.stop();
  expect(await postmasterOf(data)).toBeUndefined();
});

test("leaves a killed service's engine to the next service", async () => {
  const data = await makeCluster();
  const killed = startService(data);
  await killed.next();
  await killed.kill();
  const visitor = await visitEngine({ dataFolder: data });
  await visitor.stop();
  const service = await openEngine({ dataFolder: data });
  expect(service.adopted).toBe(true);
  await service.stop();
});
