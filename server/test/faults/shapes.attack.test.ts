import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Child, childStore, startChild } from '@anagrafe/testing/child';
import { afterTest } from '@anagrafe/testing/endings';
import { importedUser } from '@anagrafe/testing/jobs';
import { range } from '@anagrafe/testing/records';
import { roundsOf } from '@anagrafe/testing/rounds';
import { expect, inject, it } from 'vitest';
import { operatorActor } from '../../src/audit/audit-log.ts';
import { openClientStore } from '../../src/clients/clients.store.ts';
import { createClient } from '../../src/clients/clients.ts';
import type { Database } from '../../src/db/database.ts';

/**
 * A round is a minute of attack. The test prints a line every minute, and all figures at the end. A long run also checks
 * the answers to the shapes, and the limit of the 99th percentile: three times that of the same run before the attack.
 */
const minutes = roundsOf(3);
const only = inject('only');
const warmUpSeconds = 30;
const idleSeconds = Math.min(300, minutes * 30);
/** A shorter run sends some shapes once or twice, and has fewer than ten calls beyond the 99th percentile. */
const meaningfulMinutes = 10;

type Headers = Record<string, string>;

/** The number of clients that send each shape at once, and the answers which show that it reached its limits. */
const shapes: Record<string, { readonly clients: number; readonly reached: readonly string[] }> = {
  'openapi.json': { clients: 1, reached: ['closed'] },
  'docs/static': { clients: 1, reached: ['closed'] },
  'page of users': { clients: 3, reached: ['200', '503'] },
  'page of outcomes': { clients: 3, reached: ['200', '503'] },
  'page of the audit log': { clients: 3, reached: ['200'] },
  'page of events': { clients: 3, reached: ['200'] },
  export: { clients: 3, reached: ['429'] },
  'slow reader': { clients: 2, reached: ['200', '503', 'closed'] },
  'dry run': { clients: 3, reached: [] },
  'jobs over quota': { clients: 2, reached: ['202', '429'] },
  'poll of a job': { clients: 2, reached: ['200'] },
  'hostile JSON': { clients: 2, reached: ['400', '413', '422'] },
  'wrong login': { clients: 1, reached: ['401'] },
  'wrong credential': { clients: 1, reached: ['401'] },
  'slow body': { clients: 3, reached: ['503'] },
  'slow body without a credential': { clients: 1, reached: ['408'] },
};
const selected = Object.entries(shapes).filter(([name]) => only.length === 0 || only.includes(name));
const unknown = only.filter((name) => !(name in shapes));
if (unknown.length > 0)
  throw new Error(`unknown shapes: ${unknown.join(', ')}; there are: ${Object.keys(shapes).join(', ')}`);

interface Figures {
  readonly calls: number;
  readonly p50: number;
  readonly p99: number;
  readonly slowest: number;
}

interface Healthy extends Figures {
  readonly kinds: Record<string, Figures>;
  readonly failed: number;
  readonly failures: readonly string[];
}

type Answers = Record<string, Record<string, number>>;

const started = Date.now();

function print(what: string, figures: unknown): void {
  const seconds = Math.round((Date.now() - started) / 1000);
  process.stdout.write(`${seconds} s, ${what}: ${JSON.stringify(figures)}\n`);
}

/** Runs a script of this folder in a process of its own. Prints each line of JSON that it writes, and returns the last. */
async function run<Result>(script: string, what: string, options: object): Promise<Result> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, [path, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  afterTest(async () => {
    child.kill('SIGKILL');
  });
  let errors = '';
  child.stderr.on('data', (piece) => {
    errors = `${errors}${piece}`.slice(-5000);
  });
  let last = '';
  for await (const line of createInterface({ input: child.stdout })) {
    last = line;
    print(what, JSON.parse(line));
  }
  if (last === '' || errors !== '') throw new Error(`${script} failed: ${errors}`);
  return JSON.parse(last) as Result;
}

it('a client that behaves well is served during an attack, and the memory of the service stays flat', async () => {
  const { settings, database } = await childStore();
  // The log would be in the memory of this process.
  const service = await startChild({
    ...settings,
    ANAGRAFE_HASH_CONCURRENCY: '2',
    ANAGRAFE_LOG_LEVEL: 'warn',
  });
  print('started', { process: service.process.pid });
  const owner = await newClient(database, 'owner');
  const healthy = await newClient(database, 'healthy');
  const clients: Record<string, Headers[]> = {};
  for (const [name, { clients: count }] of selected) {
    clients[name] = await Promise.all(range(count).map((n) => newClient(database, `${name} ${n}`)));
    // A credential that was valid before is accepted during a flood of wrong ones.
    for (const headers of clients[name]) await service.call('irs/users', { PageSize: 1 }, headers);
  }
  const principal = await insert(service, healthy, { Denomination: 'Healthy' });
  await insertLargeUsers(service, owner, database);
  await writeLargeAuditRows(service, owner);
  const job = await runJob(service, owner, 'insert', recordsOfJob());
  // PostgreSQL would do this at some time within the next minutes.
  await database.query('vacuum analyze');
  print('ready', { megabytes: residentMegabytes(service) });

  const behave = (what: string, seconds: number) =>
    run<Healthy>('healthy-client.mjs', what, { url: service.url, headers: healthy, principal, seconds });
  await behave('warming up', warmUpSeconds);
  await eventLoopLag(service, healthy);
  const idle = await behave('idle', idleSeconds);
  const idleLag = await eventLoopLag(service, healthy);

  const memory: number[] = [];
  const lags: Lag[] = [];
  const stopSampling = repeatEvery(1_000, async () => {
    memory.push(residentMegabytes(service));
    if (memory.length % 60 !== 0) return;
    lags.push(await eventLoopLag(service, healthy));
    print('service', { megabytes: memory.at(-1), lag: lags.at(-1) });
  });
  const seconds = minutes * 60;
  const [answers, attacked] = await Promise.all([
    run<Answers>('attacker.mjs', 'attack', {
      url: service.url,
      job,
      clients,
      seconds,
      seed: inject('seed'),
    }),
    behave('attacked', seconds),
  ]);
  await stopSampling();

  const third = Math.ceil(memory.length / 3);
  const [second, last] = [memory.slice(third, 2 * third), memory.slice(-third)].map(mean);
  const megabytes = { second, last, largest: Math.max(...memory) };
  const lag = { idle: idleLag, attacked: lags };
  process.stdout.write(`${JSON.stringify({ minutes, idle, attacked, megabytes, lag, answers }, null, 1)}\n`);
  expect(service.process.exitCode).toBeNull();
  expect(idle.failures).toEqual([]);
  expect(attacked.failures).toEqual([]);
  // A leak would go on growing in the last third of the time.
  expect(last).toBeLessThan(1.25 * (second ?? 0));
  if (minutes < meaningfulMinutes) return;
  for (const [name, { reached }] of selected)
    expect(Object.keys(answers[name] ?? {}), name).toEqual(expect.arrayContaining([...reached]));
  expect(attacked.p99).toBeLessThanOrEqual(3 * idle.p99);
});

async function newClient(database: Database, name: string): Promise<Headers> {
  const options = { name, scopes: ['admin'], networks: [], knownByAddress: false } as const;
  const { client, secret } = await createClient(options, openClientStore(database), operatorActor);
  return { SyncPublicKey: client.publicKey, SyncSecretKey: secret };
}

async function insert(service: Child, client: Headers, record: object): Promise<number> {
  const answer = await service.call('irs/insert', [record], client);
  const { result } = (await answer.json()) as { result: { records: { Item1: number }[] } };
  expect(answer.status).toBe(200);
  return result.records[0]?.Item1 ?? 0;
}

/** Inserts a thousand users with 20 KB of attributes each, which PostgreSQL cannot compress well. */
async function insertLargeUsers(service: Child, client: Headers, database: Database): Promise<void> {
  for (const part of range(5)) {
    const Users = range(200).map((n) => importedUser(`large ${part} ${n}`));
    await insert(service, client, { Denomination: `Large ${part}`, Users });
  }
  await database.query(`
    update anagrafe.users set attributes = (
      select jsonb_object_agg('name' || n, repeat(md5(users.id || '-' || n), 32)) from generate_series(1, 20) as n)`);
}

/** Writes the state of 10,000 users six times. */
async function writeLargeAuditRows(service: Child, client: Headers): Promise<void> {
  const Users = range(10_000).map((n) => importedUser(`audited ${n}`));
  await runJob(service, client, 'insert', [{ ExternalKey: 'audited', Denomination: 'Audited', Users }]);
  for (const round of range(6)) {
    const State = round % 2 === 0 ? 'disabled' : 'active';
    const states = Users.map(({ Username }) => ({ Username, State }));
    await runJob(service, client, 'state', [{ ExternalKey: 'audited', Users: states }]);
  }
}

/** The records of a job with 60,000 outcomes: 1,000 with 20 users, 1,000 with 20 invalid users, the others without users. */
function recordsOfJob(): object[] {
  return range(60_000).map((n) => {
    const Denomination = `Principal ${n}`;
    if (n >= 2_000) return { Denomination };
    const wrong = n % 2 === 0 ? {} : { Email: 'no address' };
    return { Denomination, Users: range(20).map((at) => importedUser(`user ${n} ${at}`, wrong)) };
  });
}

/** Runs a job and returns its path. */
async function runJob(
  service: Child,
  client: Headers,
  operation: string,
  records: object[],
): Promise<string> {
  const answer = await service.call(`irs/${operation}`, records, { ...client, prefer: 'respond-async' });
  expect(answer.status).toBe(202);
  const path = answer.headers.get('location') ?? '';
  let state = '';
  while (state !== 'completed') {
    await sleep(500);
    const response = await fetch(`${service.url}${path}?pageSize=1`, { headers: client });
    state = ((await response.json()) as { result: { record: { State: string } } }).result.record.State;
  }
  return path;
}

interface Lag {
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Reads the lag of the event loop since the last reading, from the metrics of the service. */
async function eventLoopLag(service: Child, headers: Headers): Promise<Lag> {
  const text = await (await fetch(`${service.url}/metrics`, { headers })).text();
  const ms = (name: string) =>
    Math.round(
      Number(new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)`, 'm').exec(text)?.[1]) * 1000,
    );
  return { p99Ms: ms('p99'), maxMs: ms('max') };
}

/** Runs `work` every so many milliseconds, and returns a function that ends this. */
function repeatEvery(ms: number, work: () => Promise<void>): () => Promise<void> {
  let running = Promise.resolve();
  const timer = setInterval(() => {
    running = work().catch((error) => print('not measured', String(error)));
  }, ms);
  return () => {
    clearInterval(timer);
    return running;
  };
}

function residentMegabytes({ process: { pid } }: Child): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

function mean(values: readonly number[]): number {
  return Math.round(values.reduce((sum, value) => sum + value, 0) / values.length);
}
