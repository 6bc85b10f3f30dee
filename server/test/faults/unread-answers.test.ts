import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { type Child, childStore, startChild } from '@anagrafe/testing/child';
import { afterTest } from '@anagrafe/testing/endings';
import { importedUser } from '@anagrafe/testing/jobs';
import { range } from '@anagrafe/testing/records';
import { headOf } from '@anagrafe/testing/wire';
import { expect, it } from 'vitest';
import { operatorActor } from '../../src/audit/audit-log.ts';
import { openClientStore } from '../../src/clients/clients.store.ts';
import { createClient } from '../../src/clients/clients.ts';
import type { Database } from '../../src/db/database.ts';
import { newPrincipals } from './jobs.ts';

/**
 * Heap limit of the service in MB. 16 answers of 1,000 users with 20 KB of attributes have 320 MB of text. A service that
 * holds them ends with an error.
 */
const heapLimit = 256;
/** Answers to reads that one client may leave unread. */
const places = 4;

async function newClient(database: Database): Promise<Record<string, string>> {
  const options = { name: 'office', scopes: ['admin'], networks: [], knownByAddress: false } as const;
  const { client, secret } = await createClient(options, openClientStore(database), operatorActor);
  return { SyncPublicKey: client.publicKey, SyncSecretKey: secret };
}

/** Sends a request, and reads nothing but the first piece of its answer. */
function sendUnread(url: string, request: string) {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect({ host: hostname, port: Number(port) });
  afterTest(async () => {
    socket.destroy();
  });
  const answer = { status: '', socket };
  socket.on('error', () => undefined);
  socket.once('data', (piece) => {
    answer.status = piece.toString('latin1', 9, 12);
    socket.pause();
  });
  socket.write(request);
  return answer;
}

/**
 * Leaves the answers to 15 requests of each of four clients unread, until all their places are taken. Another client is
 * served meanwhile, and the places are free again when the answers are given up.
 */
async function leaveUnread(
  child: Child,
  database: Database,
  requestOf: (client: Record<string, string>) => string,
): Promise<void> {
  const attackers = await Promise.all(range(4).map(() => newClient(database)));
  const other = await newClient(database);
  const unread = attackers.flatMap((attacker) =>
    range(15).map(() => sendUnread(child.url, requestOf(attacker))),
  );
  const begun = () => unread.filter(({ status }) => status === '200').length;
  await expect.poll(begun).toBe(attackers.length * places);
  const answer = await child.call('irs/users', { PageSize: 10 }, other);
  expect([answer.status, child.process.exitCode]).toEqual([200, null]);
  for (const { socket } of unread) socket.destroy();
  expect((await child.call('irs/users', { PageSize: 10 }, attackers[0])).status).toBe(200);
}

it.each([
  { path: 'irs/users', body: '{"PageSize":1000}' },
  { path: 'irs/list', body: '{"PageSize":1000}' },
])(
  `unread answers of four clients to $path fit into a heap of ${heapLimit} MB, and other clients are served`,
  async ({ path, body }) => {
    const { settings, database } = await childStore();
    const child = await startChild({ ...settings, NODE_OPTIONS: `--max-old-space-size=${heapLimit}` });
    const [ID] = await newPrincipals(child, 1);
    const Users = range(1000).map((n) => importedUser(`user ${n}`));
    expect((await child.call('irs/update', [{ ID, Users }])).status).toBe(200);
    // Texts that do not repeat, so that neither PostgreSQL nor the service can share them.
    await database.query(`
      update anagrafe.users set attributes = (
        select jsonb_object_agg('name' || n, repeat(md5(users.id || '-' || n), 32)) from generate_series(1, 20) as n)`);
    await leaveUnread(
      child,
      database,
      (client) => headOf(child.url, path, { ...client, 'Content-Length': body.length }) + body,
    );
  },
);

/** Returns a GET request for a page of 1,000 results, or for all failed records. */
function getOf(url: string, path: string, client: Record<string, string>): string {
  const headers = { Host: new URL(url).host, Prefer: 'return=representation', ...client };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`GET /api/sync/v1/${path} HTTP/1.1`, ...lines, '', ''].join('\r\n');
}

it.each(['jobs/:id?pageSize=1000', 'jobs/:id/failed'])(
  `unread answers of four clients to %s fit into a heap of ${heapLimit} MB, and other clients are served`,
  async (path) => {
    const { settings, database } = await childStore();
    const child = await startChild({ ...settings, NODE_OPTIONS: `--max-old-space-size=${heapLimit}` });
    const [ID] = await newPrincipals(child, 1);
    const Users = range(1000).map((n) => importedUser(`user ${n}`));
    expect((await child.call('irs/update', [{ ID, Users }])).status).toBe(200);
    // A job with 1,000 applied records of 1,000 users each, and 1,000 failed records of 96 KB each.
    const id = randomUUID();
    await database.query(
      `insert into anagrafe.calls (id, operation, state, is_job, ended_at, records, users, records_done, records_failed)
       values ($1, 'update', 'completed', true, now(), 2000, 1000000, 2000, 1000)`,
      [id],
    );
    await database.query(
      `insert into anagrafe.outcomes (call_id, position, principal_id, users, applied)
       select $1, n, $2, 1000, (select jsonb_agg(jsonb_build_array(users.id, 'reset')) from anagrafe.users)
         from generate_series(0, 999) as n`,
      [id, ID],
    );
    await database.query(
      `insert into anagrafe.outcomes (call_id, position, principal_id, users, error, field_errors, record, failed_at)
       select $1, n, $2, 0, '{"code":"RECORD_FAILED"}', '[]', json_build_object('Denomination', repeat(md5(n::text), 3000)),
              now()
         from generate_series(1000, 1999) as n`,
      [id, ID],
    );
    await leaveUnread(child, database, (client) => getOf(child.url, path.replace(':id', id), client));
  },
);
