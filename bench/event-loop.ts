import { existsSync, readFileSync } from 'node:fs';
import { insertPrincipals } from './people.ts';
import type { AtEnd } from './running/endings.ts';
import { type ProbedService, startProbedService } from './running/stall.ts';

const goal = 0.75;
const users = 100_000;
const principals = 1000;
/** The result is the shortest stall, because the first attempts run code that V8 has not optimised yet. */
const attempts = 3;

/** The query and `Prefer` header of a call, and the status that the service must answer with. */
interface Sending {
  readonly query: string;
  readonly prefer: string;
  readonly status: number;
}

const dryRun = (status: number): Sending => ({ query: '?dryRun=true', prefer: '', status });
const job: Sending = { query: '', prefer: 'respond-async', status: 202 };

interface Case {
  readonly name: string;
  readonly body: Buffer;
  readonly sending: Sending;
}

/**
 * Measures the longest time for which a large body blocks the event loop of the service, as an invalid body, a dry run
 * and a job, divided by the time that `JSON.parse` of the same body takes.
 */
export async function eventLoop(atEnd: AtEnd): Promise<string> {
  const service = await startProbedService(atEnd);
  const ids = await insertPrincipals(service, principals);
  const figures: { name: string; ratio: number; text: string }[] = [];
  for (const { name, body, sending } of casesFor(ids)) {
    const parsing = parseTime(body);
    const stalls: number[] = [];
    for (let attempt = 1; attempt <= attempts; attempt++)
      stalls.push(await longestStall(service, body, sending));
    const stall = Math.min(...stalls);
    figures.push({ name, ratio: stall / parsing, text: `${stall.toFixed(0)}/${parsing.toFixed(0)}` });
  }
  const ratios = figures.map(({ name, ratio }) => `${name} ${ratio.toFixed(2)}`).join(', ');
  const times = figures.map(({ text }) => text).join(', ');
  return `event-loop  longest stall over JSON.parse of the body: ${ratios} (to reach: ${goal} or less, or 50 ms)  [ms ${times}]`;
}

function casesFor(ids: readonly number[]): Case[] {
  const shapes: [string, Buffer][] = [
    ['100,000 records', bodyOf(ids, 1)],
    ['1,000 records', bodyOf(ids, 100)],
    ['10 records', bodyOf(ids, 10_000)],
  ];
  const faulty = range(10_000).map((n) => ({
    ...newUser(n),
    Email: 'no address',
    ConfirmPassword: 'another',
  }));
  const faultyBody = Buffer.from(JSON.stringify([{ ID: ids[0], Users: faulty }]));
  // The service rejects this body for its last element, after it has read all of it.
  const refused = Buffer.concat([bodyOf(ids, 100).subarray(0, -1), Buffer.from(',1]')]);
  // The service rejects this body for the number of its values.
  const emptyRecords = Buffer.from(`[${'{},'.repeat(10_000_000)}{}]`);
  return [
    { name: 'reading 15 MB', body: refused, sending: { ...job, status: 400 } },
    { name: 'reading 30 MB of empty records', body: emptyRecords, sending: { ...job, status: 413 } },
    ...shapes.map(([name, body]) => ({ name: `dry run of ${name}`, body, sending: dryRun(200) })),
    { name: 'dry run of one faulty record', body: faultyBody, sending: dryRun(422) },
    ...shapes.map(([name, body]) => ({ name: `job of ${name}`, body, sending: job })),
    { name: 'job of one faulty record', body: faultyBody, sending: job },
  ];
}

const range = (count: number) => Array.from({ length: count }, (_, n) => n);

function newUser(n: number) {
  const Password = `the long password ${n}`;
  const Email = `user.number.${n}@example.com`;
  return { Username: `user number ${n}`, Email, Password, ConfirmPassword: Password };
}

function bodyOf(ids: readonly number[], usersInRecord: number): Buffer {
  const records = range(users / usersInRecord).map((n) => ({
    ID: ids[n % ids.length],
    Users: range(usersInRecord).map((at) => newUser(n * usersInRecord + at)),
  }));
  return Buffer.from(JSON.stringify(records));
}

/** Measures the milliseconds that `JSON.parse` takes for a body. */
function parseTime(body: Buffer): number {
  const times = range(attempts).map(() => {
    const start = { wall: performance.now(), worked: workedMs() };
    JSON.parse(body.toString());
    return Math.min(workedMs() - start.worked, performance.now() - start.wall);
  });
  return Math.min(...times);
}

/** Returns the processor time of this thread, as the probe does; wall time if the system does not count it. */
function workedMs(): number {
  const schedule = `/proc/self/task/${process.pid}/schedstat`;
  return existsSync(schedule)
    ? Number(readFileSync(schedule, 'latin1').split(' ')[0]) / 1e6
    : performance.now();
}

/** Sends a body and returns the longest stall in milliseconds until the answer. */
async function longestStall(
  service: ProbedService,
  body: Buffer,
  { query, prefer, status }: Sending,
): Promise<number> {
  await service.stallSinceLast();
  const response = await fetch(`${service.url}/api/sync/v1/irs/update${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer },
    body,
  });
  await response.arrayBuffer();
  const stall = await service.stallSinceLast();
  if (response.status !== status) throw new Error(`the service answered ${response.status}, not ${status}`);
  // Cancels the job, so that its hashing does not disturb the next attempt.
  const location = response.headers.get('location');
  if (location !== null) await (await fetch(service.url + location, { method: 'DELETE' })).arrayBuffer();
  return stall;
}
