import { insertPrincipals } from './people.ts';
import { connectTo } from './running/database.ts';
import type { AtEnd } from './running/endings.ts';
import { type ProbedService, startProbedService } from './running/stall.ts';

const principals = 1000;
const usersEach = 1000;
/** The users, or the records, of the largest job. */
const jobSize = 100_000;
/** The first attempts are slower, because nothing is compiled yet. The shortest stall counts. */
const attempts = 3;

interface Call {
  readonly name: string;
  readonly path: string;
  readonly body?: unknown;
}

/**
 * The largest answers that calls can ask for, and how long the event loop of the service is held for each: a table
 * for docs/security.md. 1,000 principals have 1,000 users each; one job has a record with 100,000 faulty users, one
 * has 100,000 faulty records.
 */
export async function answers(atEnd: AtEnd): Promise<string> {
  const service = await startProbedService(atEnd, { settings: { ANAGRAFE_MAX_RECORDS: '1000' } });
  const [first = 0] = await insertPrincipals(service, principals);
  await fill(service, atEnd);
  const oneRecord = await endedJob(service, [{ ID: first, Users: range(jobSize).map(faultyUser) }]);
  const manyRecords = await endedJob(
    service,
    range(jobSize).map((n) => ({ ID: 1e9 + n, Users: [faultyUser(n)] })),
  );
  const lines = ['answers', '| call | largest answer | longest stall |', '| --- | --- | --- |'];
  for (const call of callsFor(first, oneRecord, manyRecords)) {
    const stalls: number[] = [];
    let bytes = 0;
    for (let attempt = 1; attempt <= attempts; attempt++) {
      await service.stallSinceLast();
      bytes = await sizeOf(service, call);
      stalls.push(await service.stallSinceLast());
    }
    lines.push(`| ${call.name} | ${sizeText(bytes)} | ${Math.min(...stalls).toFixed(0)} ms |`);
  }
  return lines.join('\n');
}

function callsFor(principal: number, oneRecord: string, manyRecords: string): Call[] {
  const page = '?pageSize=1000';
  const faulty = range(1000).map((n) => ({ ID: principal, Users: [faultyUser(n)] }));
  return [
    { name: '`irs/list`', path: '/api/sync/v1/irs/list', body: { PageSize: 1000 } },
    { name: '`irs/users`', path: '/api/sync/v1/irs/users', body: { ID: principal, PageSize: 1000 } },
    {
      name: '`irs/update`, 1,000 records with a faulty user each',
      path: '/api/sync/v1/irs/update',
      body: faulty,
    },
    {
      name: '`irs/update?dryRun=true`, a record with 100,000 faulty users',
      path: '/api/sync/v1/irs/update?dryRun=true',
      body: [{ ID: principal, Users: range(jobSize).map(faultyUser) }],
    },
    {
      name: '`irs/update?dryRun=true`, 100,000 faulty records',
      path: '/api/sync/v1/irs/update?dryRun=true',
      body: range(jobSize).map((n) => ({ ID: 1e9 + n, a: 1, b: 2, Users: [faultyUser(n)] })),
    },
    { name: '`jobs`', path: `/api/sync/v1/jobs${page}` },
    { name: '`jobs/{id}`, 1,000 of 100,000 records', path: `/api/sync/v1/jobs/${manyRecords}${page}` },
    {
      name: '`jobs/{id}`, a record with 100,000 faulty users',
      path: `/api/sync/v1/jobs/${oneRecord}${page}`,
    },
    { name: '`jobs/{id}/failed`, 100,000 records', path: `/api/sync/v1/jobs/${manyRecords}/failed` },
    {
      name: '`jobs/{id}/failed`, a record with 100,000 users',
      path: `/api/sync/v1/jobs/${oneRecord}/failed`,
    },
    { name: '`events`', path: `/api/sync/v1/events${page}` },
    { name: '`/admin/v1/calls`', path: `/admin/v1/calls${page}` },
    { name: '`/admin/v1/failures`', path: `/admin/v1/failures${page}` },
    { name: '`/admin/v1/jobs`', path: `/admin/v1/jobs${page}` },
    { name: '`/admin/v1/audit`', path: `/admin/v1/audit${page}` },
    { name: '`/admin/v1/audit/verify`', path: '/admin/v1/audit/verify' },
    { name: '`/admin/v1/clients`', path: '/admin/v1/clients' },
    { name: '`/admin/v1/webhooks`', path: '/admin/v1/webhooks' },
    { name: '`/admin/v1/statistics`', path: '/admin/v1/statistics' },
    { name: '`/metrics`', path: '/metrics' },
    { name: '`/openapi.json`', path: '/openapi.json' },
    { name: '`/health/ready`', path: '/health/ready' },
  ];
}

const range = (count: number) => Array.from({ length: count }, (_, n) => n);

function faultyUser(n: number) {
  return { Username: `faulty ${n}`, Email: 'no address', Password: 'short', ConfirmPassword: 'another' };
}

/** By SQL: over HTTP it would take many minutes. */
async function fill(service: ProbedService, atEnd: AtEnd): Promise<void> {
  const database = await connectTo(service, atEnd);
  await database.query(
    `insert into anagrafe.users (principal_id, username, username_key, email, password_hash)
     select principals.id, username, username, username || '@example.com', 'no hash'
       from anagrafe.principals, generate_series(1, $1::int) as n,
            lateral (select 'user.' || n || '.of.principal.' || principals.id as username) as named`,
    [usersEach],
  );
  await database.query('update anagrafe.principals set users_count = $1', [usersEach]);
}

async function endedJob(service: ProbedService, body: unknown): Promise<string> {
  const { ID } = await service.submit('irs/update', body);
  for (;;) {
    const response = await fetch(`${service.url}/api/sync/v1/jobs/${ID}?pageSize=1`);
    const { result } = (await response.json()) as { result: { record: { EndedAt: string | null } } };
    if (result.record.EndedAt !== null) return ID;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** Reads an answer to its end, without keeping it. */
async function sizeOf({ url }: ProbedService, { path, body }: Call): Promise<number> {
  const response = await fetch(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (response.status !== 200 && response.status !== 422)
    throw new Error(`${path} was answered with ${response.status}`);
  let bytes = 0;
  for await (const piece of response.body ?? []) bytes += piece.length;
  return bytes;
}

function sizeText(bytes: number): string {
  return bytes < 100_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
