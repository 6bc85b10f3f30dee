import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Finding } from '../../src/cli/doctor/findings.ts';
import { readConfig } from '../../src/config.ts';
import { openStore } from '../../src/store.ts';
import { startOutside } from '../faults/outside.ts';
import { copyStore } from '../setup/store.ts';
import {
  anagrafe,
  databaseSettings,
  dataFolder,
  inProcess,
  onTerminal,
  postmaster,
  serve,
  start,
} from './command.ts';

type Settings = Record<string, string>;

/** A hash cost at which doctor only estimates the rate, because a measurement would take too long. */
const unmeasured = { ANAGRAFE_HASH_PASSES: '100' };

/** Runs the command and returns its findings by the name of the check; the last of several with the same name. */
async function doctor(settings: Settings, run = inProcess): Promise<Record<string, Finding>> {
  const { code, stdout, stderr } = await run(['doctor', '--json'], {
    ANAGRAFE_PORT: '0',
    ...unmeasured,
    ...settings,
  });
  expect(stderr).toBe('');
  const findings = JSON.parse(stdout) as Finding[];
  for (const { check, state, found, todo } of findings) {
    expect(['ok', 'warn', 'fail']).toContain(state);
    expect(found).not.toBe('');
    expect([check, todo === null]).toEqual([check, state === 'ok']);
  }
  expect(code).toBe(findings.some(({ state }) => state === 'fail') ? 1 : 0);
  return Object.fromEntries(findings.map((finding) => [finding.check, finding]));
}

const stateOf = (findings: Record<string, Finding>, check: string) => findings[check]?.state;

describe('doctor without a store', () => {
  it('finds no failure and creates no file', async () => {
    const folder = join(dataFolder(), 'data');
    const findings = await doctor({ ANAGRAFE_DATA: folder, ANAGRAFE_HASH_PASSES: '2' }, anagrafe);
    expect(Object.keys(findings)).toEqual([
      ...[
        'Node.js',
        'settings',
        'open files',
        'data folder',
        'disk space',
        'engine',
        'port',
        'network',
        'memory',
      ],
      ...['processors', 'hashing'],
    ]);
    expect(Object.values(findings).filter(({ state }) => state === 'fail')).toEqual([]);
    expect(findings['Node.js']?.found).toBe(process.versions.node);
    expect(findings.engine?.found).toMatch(/embedded PostgreSQL 18.*made by the first start/);
    expect(findings.hashing?.found).toMatch(
      // On a machine on which a hash takes more than 0.5 s, doctor estimates the rate.
      /^[\d.]+ hashes in a second(, by estimate)?; 10,000 users take \d/,
    );
    expect(existsSync(folder)).toBe(false);
  });

  it('reports every invalid setting with the values that it accepts', async () => {
    const { stdout, code } = await inProcess(['doctor'], {
      ANAGRAFE_DATA: join(dataFolder(), 'data'),
      ANAGRAFE_PORT: '0',
      ANAGRAFE_LOG_LEVL: 'debug',
      ANAGRAFE_HASH_PASSES: 'many',
      ANAGRAFE_DATABASE_URL: 'mysql://owner:hunter2@db',
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^✘ settings +ANAGRAFE_LOG_LEVL is not a setting → Did you mean ANAGRAFE_LOG_LEVEL\?$/m,
    );
    expect(stdout).toMatch(
      /^✘ settings +ANAGRAFE_HASH_PASSES is "many" → It takes a whole number from 2 to 100\.$/m,
    );
    expect(stdout).toMatch(/^✘ settings +ANAGRAFE_DATABASE_URL is not understood → It takes a URL/m);
    expect(stdout).not.toContain('hunter2');
    // doctor skips the checks that depend on an invalid setting, because their result would be meaningless.
    expect(stdout).not.toMatch(/^\S (hashing|engine|data folder)/m);
    expect(stdout).toMatch(/^✔ port /m);
  });

  it('fails if the data folder is a file', async () => {
    const file = join(dataFolder(), 'file');
    writeFileSync(file, '');
    expect((await doctor({ ANAGRAFE_DATA: file }))['data folder']).toMatchObject({
      state: 'fail',
      found: `${file} is not a folder`,
      todo: expect.stringContaining('ANAGRAFE_DATA'),
    });
  });

  it('does not compute hashes that would use all memory or take too long', async () => {
    const settings = { ANAGRAFE_DATA: join(dataFolder(), 'data') };
    const greedy = await doctor({
      ...settings,
      ANAGRAFE_HASH_MEMORY_KIB: '4194304',
      ANAGRAFE_HASH_CONCURRENCY: '1024',
    });
    expect(greedy.memory).toMatchObject({
      state: 'fail',
      todo: expect.stringContaining('ANAGRAFE_HASH_MEMORY_KIB'),
    });
    expect(greedy.hashing).toBeUndefined();
    const slow = await doctor({
      ...settings,
      ANAGRAFE_HASH_PASSES: '100',
      ANAGRAFE_HASH_MEMORY_KIB: '200000',
    });
    expect(slow.hashing).toMatchObject({ state: 'warn', found: expect.stringContaining('by estimate') });
  });

  it('warns of more concurrent hashes than there are cores', async () => {
    const many = String(availableParallelism() + 1);
    const settings = { ANAGRAFE_DATA: join(dataFolder(), 'data'), ANAGRAFE_HASH_CONCURRENCY: many };
    expect((await doctor(settings)).processors).toMatchObject({
      state: 'warn',
      todo: expect.stringContaining(`to ${availableParallelism()},`),
    });
  });

  it('warns of a public address without TLS, unless a trusted proxy is set', async () => {
    const settings = { ANAGRAFE_DATA: join(dataFolder(), 'data'), ANAGRAFE_HOST: '0.0.0.0' };
    expect((await doctor(settings)).network).toMatchObject({
      state: 'warn',
      todo: expect.stringContaining('TLS'),
    });
    expect(stateOf(await doctor({ ...settings, ANAGRAFE_TRUST_PROXY: '10.0.0.1' }), 'network')).toBe('ok');
  });

  it('fails if another program uses the port', async () => {
    const other = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const port = String((other.address() as AddressInfo).port);
    const findings = await doctor({ ANAGRAFE_DATA: join(dataFolder(), 'data'), ANAGRAFE_PORT: port });
    expect(findings.port).toMatchObject({
      state: 'fail',
      found: `another program has http://127.0.0.1:${port}`,
      todo: expect.stringContaining('ANAGRAFE_PORT'),
    });
  });
});

describe('doctor on a store', () => {
  const settings = { ANAGRAFE_DATA: dataFolder() };
  beforeAll(() => copyStore(settings.ANAGRAFE_DATA));

  it('checks the database while no service runs, and changes nothing', async () => {
    const seen = () =>
      ['', 'run', 'postgres'].flatMap((name) => {
        const folder = join(settings.ANAGRAFE_DATA, name);
        return readdirSync(folder).map((file) => [file, statSync(join(folder, file)).mode]);
      });
    const before = seen();
    const findings = await doctor(settings);
    for (const check of ['database', 'clock', 'schema', 'master key'])
      expect(stateOf(findings, check)).toBe('ok');
    expect(findings.engine?.found).toContain('it does not run now');
    expect(findings.access).toMatchObject({ state: 'warn', todo: expect.stringContaining('client create') });
    expect(seen()).toEqual(before);
    expect(postmaster(settings.ANAGRAFE_DATA)).toBeUndefined();
  });

  it('leaves no PostgreSQL running after Ctrl-C', async () => {
    const child = start(['doctor'], { ...settings, ANAGRAFE_PORT: '0' });
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('engine')) child.kill('SIGINT');
    });
    await once(child, 'close');
    expect(child.exitCode).toBe(130);
    expect(postmaster(settings.ANAGRAFE_DATA)).toBeUndefined();
  });

  it('recognises its running service and leaves it running', async () => {
    const service = await serve(settings);
    const { port } = new URL(service.url);
    const findings = await doctor({ ...settings, ANAGRAFE_PORT: port });
    expect(findings.port?.found).toMatch(
      /^Anagrafe \d+\.\d+\.\d+ answers on http:\/\/127\.0\.0\.1:\d+ and is ready$/,
    );
    expect(findings.engine?.found).toMatch(/it runs \(process \d+\)/);
    expect(stateOf(findings, 'master key')).toBe('ok');
    await expect.poll(async () => (await fetch(`${service.url}/health/ready`)).status).toBe(200);
    expect((await service.end('SIGTERM')).code).toBe(0);
  });

  it('fails if the master key is not that of the store, without printing it', async () => {
    const key = randomBytes(32).toString('base64');
    const findings = await doctor({ ...(await databaseSettings()), ANAGRAFE_MASTER_KEY: key });
    expect(findings['master key']).toMatchObject({
      state: 'fail',
      found: expect.stringContaining('is not the master key'),
      todo: expect.stringContaining('backup'),
    });
    expect(JSON.stringify(findings)).not.toContain(key);
  });

  it('fails if a start on a public address would need an API client first', async () => {
    const open = { ...(await databaseSettings()), ANAGRAFE_HOST: '0.0.0.0' };
    expect((await doctor(open)).access).toMatchObject({
      state: 'fail',
      found: expect.stringContaining('0.0.0.0'),
    });
    await inProcess(['client', 'create', '--name', 'erp'], open);
    expect(stateOf(await doctor(open), 'access')).toBe('ok');
  });

  it('prints coloured marks on a terminal, with the advice below each finding', async () => {
    const open = { ...(await databaseSettings()), ANAGRAFE_HOST: '0.0.0.0', ANAGRAFE_PORT: '0' };
    await inProcess(['client', 'create', '--name', 'erp'], open);
    const { screen, code } = await onTerminal(['doctor'], { ...open, ...unmeasured });
    expect(code).toBe(0);
    expect(screen).toContain('\u001b[32m✔\u001b[0m Node.js ');
    expect(screen).toMatch(/! *\S* network .*\n {10,}\S*→ Put a reverse proxy/);
    // A slow or small machine causes more warnings than the one about the network.
    const warnings = stripVTControlCharacters(screen).match(/^! /gm)?.length;
    expect(screen).toContain(`Nothing failed; ${warnings} warning${warnings === 1 ? '' : 's'}.`);
  });
});

describe('doctor on an external database', () => {
  const key = randomBytes(32).toString('base64');

  it('checks the connection, the permissions, the schema and the master key', async () => {
    const outside = await startOutside();
    const settings = { ANAGRAFE_DATABASE_URL: outside.url, ANAGRAFE_MASTER_KEY: key };
    const fresh = await doctor(settings);
    expect(fresh.database).toMatchObject({
      state: 'ok',
      found: expect.stringMatching(/^PostgreSQL 18.*, answers in [\d.]+ ms$/),
    });
    expect(fresh.schema).toMatchObject({ state: 'warn', todo: expect.stringContaining('anagrafe migrate') });
    expect(fresh['data folder']).toBeUndefined();

    const query = async (sql: string) => {
      const store = await openStore(readConfig(settings), { as: 'visitor', log: () => {} });
      await store.database.query(sql).finally(store.close);
    };
    await query('create role limited');
    const limited = await doctor({
      ...settings,
      ANAGRAFE_DATABASE_URL: `${outside.url}&options=-crole%3Dlimited`,
    });
    expect(limited.schema).toMatchObject({
      state: 'fail',
      found: 'the role limited may not create one',
      todo: expect.stringContaining('GRANT CREATE ON DATABASE anagrafe TO limited'),
    });

    await inProcess(['migrate'], settings);
    const migrated = await doctor(settings);
    expect(stateOf(migrated, 'schema')).toBe('ok');
    expect(migrated['master key']?.found).toBe('there, and yet to be used');

    const { ANAGRAFE_DATABASE_URL } = settings;
    const without = await doctor({ ANAGRAFE_DATABASE_URL });
    expect(without['master key']).toMatchObject({
      state: 'fail',
      todo: expect.stringContaining('openssl rand'),
    });

    await query('alter role current_user set default_transaction_read_only = on');
    expect((await doctor(settings)).database).toMatchObject({
      state: 'fail',
      found: expect.stringContaining('no writes'),
    });

    await outside.stop();
    expect((await doctor(settings)).database).toMatchObject({
      state: 'fail',
      found: expect.stringContaining('cannot be reached'),
      todo: 'Check ANAGRAFE_DATABASE_URL.',
    });
  });
});
