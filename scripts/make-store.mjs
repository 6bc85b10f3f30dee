// Makes a store of the version that is built, for the test that later versions open it:
//   node scripts/make-store.mjs 0.1.0 postgres://postgres@127.0.0.1:5432 [path of bin/anagrafe.cjs]
// It creates a database on that server, fills it through the API and the command line, and writes it to
// `server/test/upgrade/stores/` with pg_dump, which must be of the same major version. With the path of the program of
// another work tree, it makes a store of that version.
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const [
  version = '',
  server = '',
  program = fileURLToPath(new URL('../server/bin/anagrafe.cjs', import.meta.url)),
] = process.argv.slice(2);
const database = `store_${randomBytes(4).toString('hex')}`;
const url = `${server}/${database}`;
const folder = mkdtempSync(join(tmpdir(), 'anagrafe-store-'));
const settings = {
  ANAGRAFE_DATABASE_URL: url,
  ANAGRAFE_DATA: folder,
  ANAGRAFE_MASTER_KEY: randomBytes(32).toString('base64'),
  ANAGRAFE_PORT: '0',
  ANAGRAFE_HASH_CONCURRENCY: '1',
  ANAGRAFE_LOG_LEVEL: 'warn',
};
const env = { PATH: process.env.PATH, ...settings };
/** @param {string[]} args */
const anagrafe = (...args) => execFileSync(process.execPath, [program, ...args], { env, encoding: 'utf8' });

/** @type {import('node:child_process').ChildProcess | undefined} */
let running;
async function start() {
  const service = spawn(process.execPath, [program, 'serve'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  running = service;
  const found = await new Promise((resolve, reject) => {
    service.once('exit', () => reject(new Error('the service did not start')));
    createInterface({ input: service.stderr }).on('line', (line) => {
      const [, address] = /API\s+(http:\/\/[^/\s]+)/.exec(line) ?? [];
      if (address) resolve(address);
    });
  });
  return { service, api: `${found}/api/sync/v1` };
}

/** @type {Record<string, string>} */
let headers = { 'content-type': 'application/json' };
/**
 * @param {string} address
 * @param {unknown} body
 * @param {Record<string, string>} more
 */
async function call(address, body, more = {}) {
  const answer = await fetch(address, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { ...headers, ...more },
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${address}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

/** @param {string} Username */
const user = (Username, Password = `password of ${Username}`) => ({
  Username,
  Password,
  ConfirmPassword: Password,
});
/** @param {(number: number) => object} make */
const ten = (make) => Array.from({ length: 10 }, (_, index) => make(index + 1));

execFileSync('psql', ['-qc', `create database ${database}`, `${server}/postgres`]);
try {
  const { service, api } = await start();
  const client = JSON.parse(anagrafe('client', 'create', '--name', 'erp', '--scope', 'admin', '--json'));
  headers = {
    ...headers,
    SyncPublicKey: client.client?.publicKey ?? client.publicKey,
    SyncSecretKey: client.secret,
  };
  anagrafe('webhook', 'create', 'https://example.com/hooks');
  const { result } = await call(
    `${api}/irs/insert`,
    ten((n) => ({
      ...{ ID: null, Denomination: `Company ${n}`, ExternalKey: `C${n}`, Vatnumber: `IT0000000000${n}` },
      Users: [user(`first ${n}`), user(`second ${n}`)],
    })),
  );
  const [ID] = result.records.map((/** @type {{ Item1: number }} */ { Item1 }) => Item1);
  const retried = { key: 'before-the-upgrade', body: [{ ID, Users: [user('sent twice')] }] };
  const { result: answered } = await call(`${api}/irs/update`, retried.body, {
    'idempotency-key': retried.key,
  });
  const edit = { Operation: 'edit', Username: 'first 1', FirstName: 'Anna' };
  await call(`${api}/irs/update`, [{ ID, Denomination: 'Renamed', Users: [edit] }]);
  await call(`${api}/irs/state`, [{ ID, State: 'disabled' }]);
  const { result: signedIn } = await call(`${api}/login`, {
    Username: 'first 2',
    Password: 'password of first 2',
  });
  // The job is long enough to wait when the service stops.
  const waiting = ten((n) => ({ ID: ID + 1, Users: ten((m) => user(`of the job ${n} ${m}`)) }));
  const { result: job } = await call(`${api}/irs/update`, waiting, { prefer: 'respond-async' });
  service.kill('SIGTERM');
  await new Promise((resolve) => service.once('exit', resolve));
  const end = anagrafe('audit', 'verify').trim();
  const dump = execFileSync(
    'pg_dump',
    ['--no-owner', '--inserts', '--rows-per-insert=500', '-n', 'anagrafe*', url],
    { encoding: 'utf8', maxBuffer: 1e8 },
  );
  const about = {
    masterKey: settings.ANAGRAFE_MASTER_KEY,
    headers,
    auditEnd: end,
    retried: { ...retried, records: answered.records },
    refreshToken: signedIn.record.RefreshToken,
    job: { id: job.record.ID, users: 100 },
    principals: 10,
    users: 21,
  };
  const path = (/** @type {string} */ name) =>
    fileURLToPath(new URL(`../server/test/upgrade/stores/${version}${name}`, import.meta.url));
  // Commands of psql, and the search path, which would last longer than the file.
  const sql = dump.replace(/^\\.*\n/gm, '').replace(/^SELECT pg_catalog.set_config\('search_path'.*\n/m, '');
  writeFileSync(path('.sql.gz'), gzipSync(sql, { level: 9 }));
  writeFileSync(path('.json'), `${JSON.stringify(about, null, 2)}\n`);
} finally {
  running?.kill('SIGKILL');
  execFileSync('psql', ['-qc', `drop database ${database} with (force)`, `${server}/postgres`]);
  rmSync(folder, { recursive: true, force: true });
}
