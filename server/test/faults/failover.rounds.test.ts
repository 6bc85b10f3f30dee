import { execFileSync } from 'node:child_process';
import { appendFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTestDatabase, startChild } from '@anagrafe/testing/child';
import {
  isRunning,
  makeCluster,
  makeFolder,
  query,
  signalPostmaster,
  startService,
} from '@anagrafe/testing/embedded-postgres';
import { inRounds, randomNumbers } from '@anagrafe/testing/rounds';
import { masterKey } from '@anagrafe/testing/store';
import { until } from '@anagrafe/testing/until';
import { expect, it } from 'vitest';
import { expectStoredOnce, keepInserting } from './acknowledged.ts';

async function startServer(data: string) {
  const engine = startService(data);
  const { connection } = await engine.next();
  return { engine, connection, data };
}

/** Starts a primary and a standby to which each commit is copied before it is acknowledged. */
async function startPair() {
  const data = await makeCluster();
  const standbyData = join(makeFolder(), 'data');
  execFileSync('cp', ['-a', data, standbyData]);
  const primary = await startServer(data);
  const cluster = join(standbyData, 'postgres');
  writeFileSync(join(cluster, 'standby.signal'), '');
  const { host, port, user } = primary.connection;
  appendFileSync(
    join(cluster, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=${host} port=${port} user=${user}'\n`,
  );
  const standby = await startServer(standbyData);
  await query(primary.connection, `alter system set synchronous_standby_names = '*'`);
  await query(primary.connection, 'select pg_reload_conf()');
  const copies = `select from pg_stat_replication where sync_state = 'sync'`;
  await until(async () => (await query(primary.connection, copies)).length === 1);
  return { primary, standby };
}

it('after the primary is killed and its synchronous standby promoted, the service works and has each acknowledged call once', async () => {
  const random = randomNumbers();
  await inRounds('failover', 20, async () => {
    const { primary, standby } = await startPair();
    // The link is the address of the primary, like the address that a load balancer in front of the pair has.
    const folder = makeFolder();
    const address = join(folder, 'address');
    symlinkSync(primary.connection.host, address);
    const urlOf = (host: string) =>
      `postgres://${primary.connection.user}@localhost/${primary.connection.database}?host=${encodeURIComponent(host)}`;
    const child = await startChild({
      ANAGRAFE_DATABASE_URL: urlOf(address),
      ANAGRAFE_MASTER_KEY: masterKey,
    });
    const callers = keepInserting(child.url);
    await callers.untilAcknowledged(20 + Math.trunc(random() * 40));

    const killedAt = performance.now();
    await primary.engine.kill();
    const killed = await signalPostmaster(primary.data, 'SIGKILL');
    await until(() => !isRunning(killed));
    await query(standby.connection, 'select pg_promote()');
    symlinkSync(standby.connection.host, join(folder, 'next'));
    renameSync(join(folder, 'next'), address);
    await callers.untilServed();
    const recovery = performance.now() - killedAt;

    await callers.untilAcknowledged(20);
    await callers.stop();
    await expectStoredOnce(openTestDatabase(urlOf(standby.connection.host)), callers);
    expect(await child.end('SIGTERM')).toBe(0);
    await standby.engine.ask('stop');
    return recovery;
  });
});
