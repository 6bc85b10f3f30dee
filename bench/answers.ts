import type { Client } from 'pg';
import { hashedRegistrations, insertPrincipals } from './people.ts';
import { connectTo } from './running/database.ts';
import type { AtEnd } from './running/endings.ts';
import { type ProbedService, startProbedService } from './running/stall.ts';

const principals = 1000;
const usersEach = 1000;
/** The largest number of users, and of records, in a job. */
const jobSize = 100_000;
/** The largest number of users in a record. */
const recordSize = 10_000;
/** The result is the shortest stall, because the first attempts run code that V8 has not optimised yet. */
const attempts = 3;

/** API clients in the longest list; the service has no limit for them. */
const clients = 10_000;
const webhooks = 1000;

interface Call {
  readonly name: string;
  readonly path: string;
  /** Builds a new body for each attempt. */
  readonly body?: () => unknown;
  readonly headers?: Record<string, string>;
}

/**
 * Measures the size of the largest answer of each call and the longest time for which it blocks the event loop of the
 * service; returns a table for bench/README.md. 1,000 principals have 1,000 users each; one job has a record with
 * 10,000 invalid users, another has 100,000 invalid records.
 */
export async function answers(atEnd: AtEnd): Promise<string> {
  const service = await startProbedService(atEnd, { settings: { ANAGRAFE_MAX_RECORDS: '1000' } });
  const [first = 0] = await insertPrincipals(service, principals);
  const database = await connectTo(service, atEnd);
  await fillUsers(database);
  const oneRecord = await endedJob(service, [{ ID: first, Users: range(recordSize).map(faultyUser) }]);
  const manyRecords = await endedJob(
    service,
    range(jobSize).map((n) => ({ ID: 1e9 + n, Users: [faultyUser(n)] })),
  );
  const webhookId = await fillWebhooks(service, database);
  const callId = await answeredCall(service, database, first);
  const lines = ['answers', '| call | largest answer | longest stall |', '| --- | --- | --- |'];
  for (const call of callsFor({ principal: first, oneRecord, manyRecords, callId, webhookId }))
    lines.push(await measure(service, call));
  const headers = await fillClients(service, database);
  lines.push(await measure(service, { name: '`/admin/v1/clients`', path: '/admin/v1/clients', headers }));
  return lines.join('\n');
}

async function measure(service: ProbedService, call: Call): Promise<string> {
  const stalls: number[] = [];
  let bytes = 0;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    await service.stallSinceLast();
    bytes = await sizeOf(service, call);
    stalls.push(await service.stallSinceLast());
  }
  return `| ${call.name} | ${sizeText(bytes)} | ${Math.min(...stalls).toFixed(0)} ms |`;
}

interface Stored {
  readonly principal: number;
  /** ID of the job with one record of many invalid users. */
  readonly oneRecord: string;
  /** ID of the job with many invalid records. */
  readonly manyRecords: string;
  /** ID of the synchronous call with 1,000 invalid records. */
  readonly callId: string;
  readonly webhookId: string;
}

function callsFor({ principal, oneRecord, manyRecords, callId, webhookId }: Stored): Call[] {
  const page = '?pageSize=1000';
  const representation = { prefer: 'return=representation' };
  return [
    {
      name: '`irs/list`',
      path: '/api/sync/v1/irs/list',
      body: () => ({ PageSize: 1000 }),
    },
    {
      name: '`irs/users`',
      path: '/api/sync/v1/irs/users',
      body: () => ({ ID: principal, PageSize: 1000 }),
    },
    {
      name: '`irs/insert`, 1,000 records with a user each, with their representation',
      path: '/api/sync/v1/irs/insert',
      headers: representation,
      body: () => hashedRegistrations(1000).map((user) => ({ Denomination: 'Inserted', Users: [user] })),
    },
    {
      name: '`irs/update`, a record with 1,000 users, with their representation',
      path: '/api/sync/v1/irs/update',
      headers: representation,
      body: () => [{ ID: principal, Users: hashedRegistrations(1000) }],
    },
    {
      name: '`irs/update`, 1,000 records with a faulty user each',
      path: '/api/sync/v1/irs/update',
      body: () => faultyRecords(principal),
    },
    {
      name: '`irs/state`, 1,000 unknown records',
      path: '/api/sync/v1/irs/state',
      body: () => range(1000).map((n) => ({ ID: 1e9 + n, State: 'disabled' })),
    },
    {
      name: '`irs/update?dryRun=true`, a record with 10,000 faulty users',
      path: '/api/sync/v1/irs/update?dryRun=true',
      body: () => [{ ID: principal, Users: range(recordSize).map(faultyUser) }],
    },
    {
      name: '`irs/update?dryRun=true`, 100,000 faulty records',
      path: '/api/sync/v1/irs/update?dryRun=true',
      body: () => range(jobSize).map((n) => ({ ID: 1e9 + n, a: 1, b: 2, Users: [faultyUser(n)] })),
    },
    { name: '`jobs`', path: `/api/sync/v1/jobs${page}` },
    { name: '`jobs/{id}`, 1,000 of 100,000 records', path: `/api/sync/v1/jobs/${manyRecords}${page}` },
    {
      name: '`jobs/{id}`, a record with 10,000 faulty users',
      path: `/api/sync/v1/jobs/${oneRecord}${page}`,
    },
    { name: '`jobs/{id}/failed`, 100,000 records', path: `/api/sync/v1/jobs/${manyRecords}/failed` },
    {
      name: '`jobs/{id}/failed`, a record with 10,000 users',
      path: `/api/sync/v1/jobs/${oneRecord}/failed`,
    },
    { name: '`events`', path: `/api/sync/v1/events${page}` },
    { name: '`/admin/v1/calls`', path: `/admin/v1/calls${page}` },
    { name: '`/admin/v1/calls/{id}`, 1,000 records', path: `/admin/v1/calls/${callId}${page}` },
    { name: '`/admin/v1/calls/{id}/failed`, 1,000 records', path: `/admin/v1/calls/${callId}/failed` },
    { name: '`/admin/v1/failures`', path: `/admin/v1/failures${page}` },
    { name: '`/admin/v1/jobs`', path: `/admin/v1/jobs${page}` },
    { name: '`/admin/v1/audit`', path: `/admin/v1/audit${page}` },
    { name: '`/admin/v1/audit/verify`', path: '/admin/v1/audit/verify' },
    { name: '`/admin/v1/webhooks`, 1,000 endpoints', path: '/admin/v1/webhooks' },
    {
      name: '`/admin/v1/webhooks/{id}/deliveries`',
      path: `/admin/v1/webhooks/${webhookId}/deliveries${page}`,
    },
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

function faultyRecords(principal: number) {
  return range(1000).map((n) => ({ ID: principal, Users: [faultyUser(n)] }));
}

async function answeredCall(service: ProbedService, database: Client, principal: number): Promise<string> {
  await sizeOf(service, { path: '/api/sync/v1/irs/update', body: () => faultyRecords(principal) });
  const { rows } = await database.query(
    `select call_id as id from anagrafe.audit_log
      where action = 'call.completed' and details ->> 'recordsFailed' = '1000'`,
  );
  return rows[0].id;
}

/** Inserts the users by SQL, because HTTP would take many minutes. */
async function fillUsers(database: Client): Promise<void> {
  await database.query(
    `insert into anagrafe.users (principal_id, username, username_key, email, password_hash)
     select principals.id, username, username, username || '@example.com', 'no hash'
       from anagrafe.principals, generate_series(1, $1::int) as n,
            lateral (select 'user.' || n || '.of.principal.' || principals.id as username) as named`,
    [usersEach],
  );
  await database.query('update anagrafe.principals set users_count = $1', [usersEach]);
}

/** Inserts disabled webhooks and returns the ID of one that has a page of deliveries with long answers. */
async function fillWebhooks(service: ProbedService, database: Client): Promise<string> {
  const created = await send(service, {
    path: '/admin/v1/webhooks',
    body: () => ({ URL: 'https://receiver.example/hook' }),
  });
  const { result } = (await created.json()) as { result: { record: { ID: string } } };
  const { ID } = result.record;
  await database.query(
    `update anagrafe.webhooks set disabled_at = now(), disabled_reason = 'manual', disabled_details = '{}'`,
  );
  await database.query(
    `insert into anagrafe.webhooks (url, granularity, secret, disabled_at, disabled_reason, disabled_details, position)
     select rpad('https://receiver.example/', 2000, 'a'), 'user', '', now(), 'manual', '{}', 0 from generate_series(2, $1::int)`,
    [webhooks],
  );
  await database.query(
    `insert into anagrafe.deliveries (id, webhook_id, position, type, state, attempts, answer)
     select gen_random_uuid(), $1, 1, 'user.registered', 'failed', 13, repeat('answer ', 143)
       from generate_series(1, 1000)`,
    [ID],
  );
  return ID;
}

/** Inserts revoked clients and a live one, and returns its keys: once a client exists, calls need a credential. */
async function fillClients(service: ProbedService, database: Client): Promise<Record<string, string>> {
  const created = await send(service, {
    path: '/admin/v1/clients',
    body: () => ({ Name: 'measured', Scopes: ['admin'] }),
  });
  const { result } = (await created.json()) as {
    result: { record: { PublicKey: string; SecretKey: string } };
  };
  await database.query(
    `insert into anagrafe.clients (public_key, name, scopes, revoked_at)
     select 'revoked-' || n, rpad('revoked', 255, 'd'), '{admin}', now() from generate_series(2, $1::int) as n`,
    [clients],
  );
  return { SyncPublicKey: result.record.PublicKey, SyncSecretKey: result.record.SecretKey };
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

/** Sends a call, reads the answer without keeping it, and returns its size in bytes. */
async function sizeOf(service: ProbedService, call: Omit<Call, 'name'>): Promise<number> {
  const response = await send(service, call);
  let bytes = 0;
  for await (const piece of response.body ?? []) bytes += piece.length;
  return bytes;
}

async function send({ url }: ProbedService, { path, body, headers }: Omit<Call, 'name'>): Promise<Response> {
  const response = await fetch(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body()) }),
  });
  if (!response.ok && response.status !== 422)
    throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
  return response;
}

function sizeText(bytes: number): string {
  return bytes < 100_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
