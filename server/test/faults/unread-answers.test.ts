import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { operatorActor } from '../../src/audit/audit-log.ts';
import { openClientStore } from '../../src/clients/clients.store.ts';
import { createClient } from '../../src/clients/clients.ts';
import type { Database } from '../../src/db/database.ts';
import { afterTest } from '../setup/endings.ts';
import { importedUser } from '../setup/jobs.ts';
import { range } from '../setup/records.ts';
import { headOf } from '../setup/wire.ts';
import { childStore, startChild } from './child.ts';
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

/** Sends a call, and reads nothing but the first piece of its answer. */
function sendUnread(url: string, path: string, body: string, headers: Record<string, string>) {
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
  socket.write(headOf(url, path, { ...headers, 'Content-Length': body.length }) + body);
  return answer;
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
    const attackers = await Promise.all(range(4).map(() => newClient(database)));
    const other = await newClient(database);
    const unread = attackers.flatMap((attacker) =>
      range(15).map(() => sendUnread(child.url, path, body, attacker)),
    );
    const begun = () => unread.filter(({ status }) => status === '200').length;
    await expect.poll(begun).toBe(attackers.length * places);
    const answer = await child.call('irs/users', { PageSize: 10 }, other);
    expect([answer.status, child.process.exitCode]).toEqual([200, null]);
    // The places are free again when the answers are given up.
    for (const { socket } of unread) socket.destroy();
    expect((await child.call('irs/users', { PageSize: 10 }, attackers[0])).status).toBe(200);
  },
);
