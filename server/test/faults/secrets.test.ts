import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { headOf, openWire } from '@anagrafe/testing/wire';
import { beforeAll, describe, expect, it } from 'vitest';
import { operatorActor } from '../../src/audit/audit-log.ts';
import { openClientStore } from '../../src/clients/clients.store.ts';
import { createClient } from '../../src/clients/clients.ts';

/** Every secret of the test begins with this text, and no other text contains it. */
const canary = 'canary7Qx';
const firstClient = `first-public.${canary}-first-client-secret-0123456789`;
/** A text that is not secret: a search that works finds it. */
const visible = 'visible9Zk';

let service: TestService;
const answers: string[] = [];
const secrets: string[] = [];

function secret(kind: string): string {
  const text = `${canary} ${kind} ${secrets.length}`;
  secrets.push(text);
  return text;
}

function secretUser(Username: string, kind: string, more: Record<string, unknown> = {}) {
  const Password = secret(kind);
  return { Username, Password, ConfirmPassword: Password, ...more };
}

async function send(path: string, body: string, headers: Record<string, string> = {}): Promise<number> {
  const answer = await fetch(`${service.url}/api/sync/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${firstClient}`, ...headers },
    body,
  });
  answers.push(await answer.text(), JSON.stringify([...answer.headers]));
  return answer.status;
}

const update = (records: unknown, headers: Record<string, string> = {}) =>
  send('irs/update', JSON.stringify(records), { prefer: 'return=representation', ...headers });

/** Sends passwords and secrets in every way that the API accepts, and in invalid ways. */
beforeAll(async () => {
  const settings = {
    ANAGRAFE_LOG_LEVEL: 'trace',
    ANAGRAFE_FIRST_CLIENT: firstClient,
    ANAGRAFE_MAX_BODY_BYTES: '1000000',
    ANAGRAFE_MAX_WAIT_SECONDS: '600',
    ANAGRAFE_HASH_MEMORY_KIB: '19456',
    ANAGRAFE_HASH_PASSES: '2',
  };
  service = await startTestService(settings, { embedded: true });
  expect(
    await send(
      'irs/insert',
      JSON.stringify([{ Denomination: visible, Users: [secretUser('inserted', 'insert')] }]),
    ),
  ).toBe(200);
  const [first] = await service.database.query<{ id: number }>('select id from anagrafe.principals');
  const [user] = await service.database.query<{ id: number }>('select id from anagrafe.users');
  const ID = first?.id;
  const userId = user?.id;

  expect(await update([{ ID, Users: [secretUser(`${visible} user`, 'registered')] }])).toBe(200);
  const again = secret('reset');
  expect(await update([{ ID, Users: [{ ID: userId, Password: again, ConfirmPassword: again }] }])).toBe(200);

  const refused = [
    { ...secretUser('x1', 'mismatch'), ConfirmPassword: secret('mismatch') },
    secretUser('x2', 'wrong field', { Passwort: secret('misspelt'), password: secret('lower case') }),
    secretUser('x3', `${'long '.repeat(200)}`),
    secretUser('x4', 'control \u0000'),
    { Username: 'x5', Password: { nested: secret('object') }, ConfirmPassword: [secret('array')] },
    { Username: `${canary} as name`, Password: `${canary} as name`, ConfirmPassword: `${canary} as name` },
    secretUser('inserted', 'taken'),
    secretUser('x8', 'no email', { Email: secret('email') }),
    { ID: 987654, Password: secret('no user'), ConfirmPassword: secret('no user') },
    { Password: secret('no one'), ConfirmPassword: secret('no one') },
  ];
  for (const item of refused) expect(await update([{ ID, Users: [item] }])).toBe(422);
  expect(await update([{ ID: 987654, Users: [secretUser('x9', 'no principal')] }])).toBe(422);
  expect(
    await update([
      { ID, Users: [secretUser('x10', 'good')] },
      { ID, Users: refused },
    ]),
  ).toBe(207);

  const whole = JSON.stringify([{ ID, Users: [secretUser('x11', 'broken')] }]);
  expect(await send('irs/update', whole.slice(0, -20))).toBe(400);
  expect(await send('irs/update', whole.replace('"Username"', '"Password":"x","Username"'))).toBe(400);
  expect(await send('irs/update', whole.replace(canary, `${canary}\\ud800`))).toBe(400);
  expect(await send('irs/update', whole.replace(canary, `${canary}\u0001`))).toBe(400);
  expect(await send('irs/update', JSON.stringify(secret('no array')))).toBe(400);
  expect(await send('irs/update', whole + ' '.repeat(1_000_000))).toBe(413);
  expect(await send('irs/update', whole, { 'content-type': 'text/plain' })).toBe(415);
  expect(await send(`irs/update?Password=${encodeURIComponent(secret('query'))}`, whole)).toBe(400);
  expect(await send('irs/nothing', whole)).toBe(404);
  expect(await send('irs/list', JSON.stringify({ Page: secret('parameter') }))).toBe(400);

  const wrong = `${canary}-wrong-secret-0123456789-0123456789`;
  expect(await send('irs/list', '{}', { authorization: `Bearer first-public.${wrong}` })).toBe(401);
  expect(await send('irs/list', '{}', { authorization: `Basic ${wrong}` })).toBe(401);
  expect(
    await send('irs/list', '{}', { authorization: '', syncpublickey: 'first-public', syncsecretkey: wrong }),
  ).toBe(401);
  expect(await send('irs/list', '{}', { authorization: '', accesstoken: wrong })).toBe(401);
  expect(await send('irs/list', '{}')).toBe(200);
  expect(await send('irs/list?debug=true', '{}')).toBe(200);

  // Concurrent calls that register the same username cause a database error.
  const racers = Array.from({ length: 20 }, (_, n) =>
    update([{ ID, Users: [secretUser(`race ${n % 2}`, 'race')] }]),
  );
  expect((await Promise.all(racers)).filter((status) => status === 200)).toHaveLength(2);

  const cut = await openWire(service.url);
  const head = headOf(service.url, 'irs/update', {
    Authorization: `Bearer ${firstClient}`,
    'Content-Length': 5000,
  });
  cut.socket.end(head + whole);
  answers.push((await cut.answer())?.text ?? '');
  const broken = await openWire(service.url);
  broken.socket.write(
    `POST /api/sync/v1/irs/update HTTP/1.1\r\nSyncSecretKey ${secret('header')}\r\n\r\n${whole}`,
  );
  answers.push((await broken.answer())?.text ?? '');

  const { secret: made } = await createClient(
    { name: 'made', scopes: ['sync:write'], networks: [], knownByAddress: false },
    openClientStore(service.database),
    operatorActor,
  );
  secrets.push(made);
  expect(
    await update([{ ID, Users: [secretUser('x12', 'by another client')] }], {
      authorization: `Bearer x.${made}`,
    }),
  ).toBe(401);

  // The service logs a failed write with its reason, which must not contain the written values.
  await service.database.query(`alter table anagrafe.users add constraint closed check (username <> 'x13')`);
  expect(await update([{ ID, Users: [secretUser('x13', 'failed write')] }])).toBe(500);
  expect(service.log.join('\n')).toContain('unexpected error while processing records');
  for (const path of ['/metrics', '/health/ready', '/openapi.json']) {
    const answer = await fetch(service.url + path, { headers: { authorization: `Bearer ${firstClient}` } });
    answers.push(await answer.text());
  }
});

/** Returns the secrets that a text contains, plain or encoded; the canary represents all that begin with it. */
function traces(text: string): string[] {
  const hashes = [...text.matchAll(/\$argon2/g)].map(() => 'a hash');
  const found = [canary, ...secrets.filter((one) => !one.startsWith(canary))].filter((one) =>
    text.includes(one),
  );
  const hex = Buffer.from(canary).toString('hex');
  const base64 = [0, 1, 2].map((shift) =>
    Buffer.from('x'.repeat(shift) + canary)
      .toString('base64')
      .slice(shift === 0 ? 0 : 4, -4),
  );
  const coded = [hex, ...base64, canary.split('').reverse().join('')].filter((one) => text.includes(one));
  return [...hashes, ...found, ...coded];
}

describe('after calls with secrets of every kind', () => {
  it('no answer contains a secret or a hash', () => {
    expect(answers.join('\n')).toContain(visible);
    expect(answers.filter((text) => traces(text).length > 0)).toEqual([]);
  });

  it('the log contains no secret and no hash at the level trace', () => {
    expect(service.log.length).toBeGreaterThan(40);
    expect(service.log.filter((line) => traces(line).length > 0)).toEqual([]);
  });

  it('no table contains a secret, and passwords are stored only as hashes', async () => {
    const { database } = service;
    const tables = await database.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    expect(tables.map(({ name }) => name)).toContain('anagrafe.users');
    const rows: string[] = [];
    for (const { name } of tables) {
      const found = await database.query<{ text: string }>(
        `select stored::text as text from ${name} as stored`,
      );
      rows.push(...found.map((row) => row.text));
    }
    expect(rows.join('\n')).toContain(visible);
    expect(rows.filter((row) => traces(row).some((trace) => trace !== 'a hash'))).toEqual([]);
    const wrong = `select from anagrafe.users where password_hash !~ '^\\$argon2id\\$v=19\\$m=19456,t=2,p=1\\$'`;
    expect(await database.query(wrong)).toEqual([]);
  });

  it('the files of PostgreSQL and its log contain no secret', async () => {
    await service.database.query('checkpoint');
    const folder = service.config.DATA;
    const holders: string[] = [];
    const visibleIn: string[] = [];
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      // PostgreSQL may delete a file meanwhile, such as `pg_internal.init`.
      const text = await readFile(path, 'latin1').catch((error) => {
        if (error.code !== 'ENOENT') throw error;
        return '';
      });
      if (text.includes(visible)) visibleIn.push(path);
      if (traces(text).some((trace) => trace !== 'a hash')) holders.push(path);
    }
    // The same search finds the text that is not secret, in the tables and in the write-ahead log.
    expect(visibleIn.some((path) => path.includes('/base/'))).toBe(true);
    expect(visibleIn.some((path) => path.includes('/pg_wal/'))).toBe(true);
    expect(holders).toEqual([]);
    const log = await readFile(join(folder, 'postgres.log'), 'utf8');
    expect(log).toContain('closed');
    expect(log).not.toContain(visible);
    expect(traces(log)).toEqual([]);
  });
});
