import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { operatorActor } from '../../src/audit/audit-log.ts';
import { openClientStore } from '../../src/clients/clients.store.ts';
import { createClient } from '../../src/clients/clients.ts';
import type { Database } from '../../src/db/database.ts';
import { importedUser } from '../setup/jobs.ts';
import { range } from '../setup/records.ts';
import { until } from '../setup/until.ts';
import { type Child, childStore, startChild } from './child.ts';

/** `ATTACK_MINUTES=60 npm run faults -- attack` attacks for an hour; `ATTACK_ONLY` names some shapes, with commas between them. */
const minutes = Number(process.env.ATTACK_MINUTES ?? 1);
const shapes = process.env.ATTACK_ONLY?.split(',') ?? [
  'openapi.json',
  'docs/static',
  'page of users',
  'page of outcomes',
  'dry run',
  'wrong login',
  'jobs over quota',
  'poll of a job',
  'hostile JSON',
  'slow body',
];

interface Healthy {
  readonly calls: number;
  readonly p50: number;
  readonly p99: number;
  readonly slowest: number;
  readonly failures: readonly string[];
}

const runFile = promisify(execFile);

/** Runs a script of this folder in a process of its own, and returns the JSON that it prints. */
async function run(script: string, ...args: string[]) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const { stdout } = await runFile(process.execPath, [path, ...args]);
  return JSON.parse(stdout);
}

it('a client that behaves well is served during an attack, and the memory of the service stays flat', async () => {
  const { settings, database } = await childStore();
  const service = await startChild({ ...settings, ANAGRAFE_HASH_CONCURRENCY: '2' });
  const attacker = await newClient(database, 'attacker');
  const healthy = await newClient(database, 'healthy');
  const principal = await insert(service, healthy, { Denomination: 'Healthy' });
  await insertLargeUsers(service, attacker);
  const job = await finishedJob(service, attacker, 20_000);

  const idleSeconds = Math.min(60, minutes * 30);
  const seconds = String(minutes * 60);
  const client = (duration: string) =>
    run('healthy-client.mjs', service.url, JSON.stringify(healthy), `${principal}`, duration);
  const idle: Healthy = await client(`${idleSeconds}`);
  const memory: number[] = [];
  const sampling = setInterval(() => memory.push(residentMegabytes(service)), 1_000);
  const [answers, attacked]: [unknown, Healthy] = await Promise.all([
    run('attacker.mjs', service.url, JSON.stringify(attacker), job, JSON.stringify(shapes), seconds),
    client(seconds),
  ]);
  clearInterval(sampling);

  const third = Math.ceil(memory.length / 3);
  const [first, last] = [memory.slice(third, 2 * third), memory.slice(-third)].map(mean);
  const grown = { second: first, last, largest: Math.max(...memory) };
  process.stdout.write(`${JSON.stringify({ shapes, idle, attacked, megabytes: grown, answers }, null, 1)}\n`);
  expect(idle.failures).toEqual([]);
  expect(attacked.failures).toEqual([]);
  // A leak would go on growing in the last third of the time.
  expect(last).toBeLessThan(1.25 * (first ?? 0));
}, 4_800_000);

async function newClient(database: Database, name: string): Promise<Record<string, string>> {
  const options = { name, scopes: ['admin'], networks: [], knownByAddress: false } as const;
  const { client, secret } = await createClient(options, openClientStore(database), operatorActor);
  return { SyncPublicKey: client.publicKey, SyncSecretKey: secret };
}

async function insert(service: Child, client: Record<string, string>, record: object): Promise<number> {
  const answer = await service.call('irs/insert', [record], client);
  const { result } = (await answer.json()) as { result: { records: { Item1: number }[] } };
  expect(answer.status).toBe(200);
  return result.records[0]?.Item1 ?? 0;
}

/** Inserts a thousand users with 20 KB of attributes each. */
async function insertLargeUsers(service: Child, client: Record<string, string>): Promise<void> {
  const Attributes = Object.fromEntries(range(20).map((n) => [`attribute_${n}`, 'x'.repeat(1_000)]));
  for (const part of range(5)) {
    const Users = range(200).map((n) => importedUser(`large ${part} ${n}`, { Attributes }));
    await insert(service, client, { Denomination: `Large ${part}`, Users });
  }
}

/** Runs a job of records without users, and returns its path. */
async function finishedJob(service: Child, client: Record<string, string>, records: number): Promise<string> {
  const body = range(records).map((n) => ({ Denomination: `Principal ${n}` }));
  const answer = await service.call('irs/insert', body, { ...client, prefer: 'respond-async' });
  const path = answer.headers.get('location') ?? '';
  await until(async () => {
    const response = await fetch(`${service.url}${path}?pageSize=1`, { headers: client });
    return (
      ((await response.json()) as { result: { record: { State: string } } }).result.record.State ===
      'completed'
    );
  });
  return path;
}

function residentMegabytes({ process: { pid } }: Child): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

function mean(values: readonly number[]): number {
  return Math.round(values.reduce((sum, value) => sum + value, 0) / values.length);
}
