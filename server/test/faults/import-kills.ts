import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { allHashed } from '@anagrafe/testing/audit-chain';
import { type Child, openTestDatabase, startChild } from '@anagrafe/testing/child';
import { inProcess } from '@anagrafe/testing/command';
import { makeFolder, signalPostmaster } from '@anagrafe/testing/embedded-postgres';
import { afterTest } from '@anagrafe/testing/endings';
import { wrongFigures } from '@anagrafe/testing/figures';
import { listen, type Outcome, outcomeOf } from '@anagrafe/testing/heard';
import { newWorkFolder, type WorkFolder } from '@anagrafe/testing/importing';
import { startOutside } from '@anagrafe/testing/outside';
import { progressOf, randomNumbers } from '@anagrafe/testing/rounds';
import { masterKey } from '@anagrafe/testing/store';
import { until } from '@anagrafe/testing/until';
import { expect } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { csvOf, expectEachRowOnce, expectTrueJobs, newRows } from './import-kills-file.ts';
import { expireHeartbeats, leftOver } from './jobs.ts';

/**
 * What is killed. A killed backend makes PostgreSQL close all connections and recover; a closed connection ends one
 * statement of one node.
 */
const kinds = ['first node', 'second node', 'importer', 'connection', 'backend', 'PostgreSQL'] as const;
type Kind = (typeof kinds)[number];

export interface KillOptions {
  readonly rows: number;
  readonly kills: number;
  /** The order and the moments of the kills follow from it. */
  readonly seed: number;
  /** False if the chunks of a killed node are handed out at once, and not after the heartbeat timeout. */
  readonly waitsForHeartbeats: boolean;
}

/**
 * Imports a file through two nodes on a PostgreSQL of its own. Meanwhile kills the nodes, the importer, PostgreSQL and
 * its connections, and starts again what was killed. Expects the result of an import without any kill.
 */
export async function expectImportSurvives(options: KillOptions): Promise<void> {
  const outside = await startOutside();
  const settings = { ANAGRAFE_DATABASE_URL: outside.url, ANAGRAFE_MASTER_KEY: masterKey };
  const nodes = await Promise.all([keepNode(settings), keepNode(settings)]);
  try {
    await importWithKills(options, outside, settings, nodes);
  } finally {
    for (const node of nodes) node.leave();
  }
}

type Node = Awaited<ReturnType<typeof keepNode>>;

async function importWithKills(
  options: KillOptions,
  outside: Awaited<ReturnType<typeof startOutside>>,
  settings: Record<string, string>,
  nodes: readonly [Node, Node],
): Promise<void> {
  // The name distinguishes the connections of the test from those of the nodes.
  const database = openTestDatabase(`${outside.url}&application_name=test`);
  const url = await startBalancer(() => nodes.flatMap((node) => node.current()?.url ?? []));
  const folder = newWorkFolder({ url });
  const rows = newRows(options.rows);
  folder.write('users.csv', csvOf(rows));

  const importer = keepImporting(folder);
  const random = randomNumbers(options.seed);
  let killed = 0;
  const order = inRandomOrder(options.kills, random);
  const report = progressOf('import-kills', order.length);
  for (const [n, kind] of order.entries()) {
    const wanted = Math.floor((0.85 * rows.length * n) / order.length) + 1;
    await until(
      async () => importer.ended() || (await storedUsers(database)) >= wanted,
      () => `${wanted} users before kill ${n}, of the ${kind}`,
    );
    await sleep(random() * 200);
    await until(
      async () => importer.ended() || kill(kind),
      () => `the ${kind} to run, to be killed`,
    );
    if (importer.ended()) break;
    killed++;
    report(killed);
    if (!options.waitsForHeartbeats) await patiently(() => expireHeartbeats(database));
  }
  const { code, stdout, stderr } = await importer.result;
  expect({ killed, code, stderr }).toMatchObject({ killed: order.length, code: 3 });

  async function kill(kind: Kind): Promise<boolean> {
    if (kind === 'importer') return importer.kill();
    if (kind === 'first node') return nodes[0].kill();
    if (kind === 'second node') return nodes[1].kill();
    if (kind === 'PostgreSQL')
      return signalPostmaster(outside.dataFolder, 'SIGKILL').then(Boolean, () => false);
    const [writing] = await database.query<{ pid: number }>(writingBackend).catch(() => []);
    if (!writing) return false;
    if (kind === 'backend') return process.kill(writing.pid, 'SIGKILL');
    return database.query('select pg_terminate_backend($1)', [writing.pid]).then(Boolean, () => false);
  }

  await until(
    async () => (await patiently(() => database.query(unfinishedChunks))).length === 0,
    () => 'the queue to be empty',
  );
  const applied = await expectEachRowOnce(database, rows, folder, 'users.failed.csv');
  const failed = rows.length - applied;
  expect(JSON.parse(stdout)).toMatchObject({ rows: rows.length, applied, failed });
  await expectTrueJobs(database);
  expect(await wrongFigures(database)).toEqual([]);
  expect(await leftOver(database)).toEqual([]);
  await allHashed({ database });
  const verified = await inProcess(['audit', 'verify'], settings);
  expect([verified.code, verified.stderr]).toEqual([
    0,
    expect.stringMatching(/^Audit log verified: \d+ rows/),
  ]);
  for (const node of nodes) expect([await node.stop(), node.crashes]).toEqual([0, []]);
}

/** The backend of a node that writes records; if there is none, any that runs a statement, or any at all. */
const writingBackend = `
  select pid from pg_stat_activity where application_name = 'anagrafe'
   order by state = 'active' and query like '%into anagrafe.users%' desc, state = 'active' desc, random() limit 1`;

const unfinishedChunks = `select id from anagrafe_queue.job where name = 'chunks' and state <> 'completed'`;

async function storedUsers(database: Database): Promise<number> {
  const sql = `select coalesce(sum(amount), 0)::integer as users from anagrafe.row_counts where kind = 'users'`;
  return (await patiently(() => database.query<{ users: number }>(sql)))[0]?.users ?? 0;
}

/** Repeats a statement of the test until PostgreSQL, which may have been killed, answers it. */
async function patiently<Result>(query: () => Promise<Result>): Promise<Result> {
  let result: Result | undefined;
  let failure: unknown;
  await until(
    async () => {
      try {
        result = await query();
        return true;
      } catch (error) {
        failure = error;
        return false;
      }
    },
    () => `an answer of PostgreSQL: ${failure}`,
  );
  return result as Result;
}

/** Starts a node, and starts it again each time it was killed. */
async function keepNode(storeSettings: Record<string, string>) {
  const settings = { ...storeSettings, ANAGRAFE_DATA: makeFolder(), ANAGRAFE_LOG_LEVEL: 'error' };
  /** The exit code or signal of a node that ended without being killed by the test. */
  const crashes: unknown[] = [];
  let child: Child | undefined = await startChild(settings);
  let isStopped = false;
  const watch = ({ process, said }: Child) => {
    process.once('exit', async (code, signal) => {
      child = undefined;
      if (signal !== 'SIGKILL' && !isStopped) crashes.push({ code, signal, said });
      while (!child && !isStopped) {
        // A node does not start while PostgreSQL is down.
        child = await startChild(settings).catch(() => undefined);
      }
      if (child) watch(child);
    });
  };
  watch(child);
  return {
    current: () => child,
    async kill(): Promise<boolean> {
      return (await child?.end('SIGKILL')) === 'SIGKILL';
    },
    crashes,
    /** Stops the node and returns its exit code. */
    async stop(): Promise<unknown> {
      await until(() => child !== undefined);
      isStopped = true;
      return child?.end('SIGTERM');
    },
    /** Starts the node no more. */
    leave(): void {
      isStopped = true;
    },
  };
}

/** Starts a TCP load balancer that gives each new connection to one of the nodes that run. */
async function startBalancer(urls: () => readonly string[]): Promise<string> {
  let next = 0;
  const server = createServer((inside) => {
    const running = urls();
    const target = running[next++ % Math.max(running.length, 1)];
    if (target === undefined) return inside.destroy();
    const outside = connect(Number(new URL(target).port), '127.0.0.1');
    for (const [from, to] of [
      [inside, outside],
      [outside, inside],
    ] as const)
      from
        .on('error', () => {})
        .on('close', () => to.destroy())
        .pipe(to);
    return undefined;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterTest(() => {
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

/** Runs the import, and runs it again whenever it was killed or gave up, until it has processed the whole file. */
function keepImporting(folder: WorkFolder) {
  let child: ChildProcess | undefined;
  let isStopped = false;
  let isEnded = false;
  afterTest(() => {
    isStopped = true;
  });
  async function importAll(): Promise<Outcome> {
    for (;;) {
      child = folder.begin(['import', 'users.csv', '--json']);
      const outcome = await outcomeOf(listen(child));
      const { code, stderr } = outcome;
      const mayRetry = /Run the same command again to resume|Cannot reach the service/.test(stderr);
      if (isStopped || (code !== null && !(code === 1 && mayRetry))) return outcome;
    }
  }
  const result = importAll().finally(() => {
    isEnded = true;
  });
  return {
    result,
    ended: () => isEnded,
    async kill(): Promise<boolean> {
      if (!child || child.exitCode !== null || child.signalCode !== null) return false;
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      const [, signal] = await exit;
      return signal === 'SIGKILL';
    },
  };
}

/** Returns kinds in a random order, each of them as often as the others, give or take one. */
function inRandomOrder(count: number, random: () => number): Kind[] {
  const order = Array.from({ length: count }, (_, n) => kinds[n % kinds.length] as Kind);
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other] as Kind, order[last] as Kind];
  }
  return order;
}
