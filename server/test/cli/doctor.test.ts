import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import {
  anagrafe,
  databaseSettings,
  dataFolder,
  inProcess,
  onTerminal,
  postmaster,
  serve,
  start,
} from '@anagrafe/testing/command';
import { startOutside } from '@anagrafe/testing/outside';
import { copyStore } from '@anagrafe/testing/store';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Finding as CheckFinding, FindingText } from '../../src/cli/doctor/findings.ts';
import { readConfig } from '../../src/settings/config.ts';
import { openStore } from '../../src/store.ts';

type Settings = Record<string, string>;
type Finding = CheckFinding & FindingText;

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
  for (const { check, code, severity, fields, found, todo } of findings) {
    expect(['ok', 'warning', 'error']).toContain(severity);
    expect(code).toMatch(/^[a-z_]+$/);
    expect(fields).toBeTypeOf('object');
    expect(found).not.toBe('');
    expect([check, todo === null]).toEqual([check, severity === 'ok']);
  }
  expect(code).toBe(findings.some(({ severity }) => severity === 'error') ? 1 : 0);
  return Object.fromEntries(findings.map((finding) => [finding.check, finding]));
}

const severityOf = (findings: Record<string, Finding>, check: string) => findings[check]?.severity;

describe('doctor without a database', () => {
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
        'PostgreSQL',
        'port',
        'network',
        'memory',
      ],
      ...['processors', 'hashing'],
    ]);
    expect(Object.values(findings).filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(findings['Node.js']?.found).toBe(process.versions.node);
    expect(findings.PostgreSQL).toMatchObject({
      code: 'embedded_postgres_new',
      fields: { major: '18' },
      found: expect.stringMatching(/Embedded version 18.*created at the first start/),
    });
    expect(findings.hashing?.found).toMatch(
      // On a machine on which a hash takes more than 0.5 s, doctor estimates the rate.
      /^[\d.]+ hashes per second( \(estimated\))?; 10,000 users take \d/,
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
      /^✘ settings +ANAGRAFE_LOG_LEVL is not a known setting → Did you mean ANAGRAFE_LOG_LEVEL\?$/m,
    );
    expect(stdout).toMatch(
      /^✘ settings +ANAGRAFE_HASH_PASSES is invalid: "many" → Expected a whole number from 2 to 100\.$/m,
    );
    expect(stdout).toMatch(/^✘ settings +ANAGRAFE_DATABASE_URL is invalid → Expected a URL/m);
    expect(stdout).not.toContain('hunter2');
    // doctor skips the checks that depend on an invalid setting, because their result would be meaningless.
    expect(stdout).not.toMatch(/^\S (hashing|PostgreSQL|data folder)/m);
    expect(stdout).toMatch(/^✔ port /m);
  });

  it('fails if the data folder is a file', async () => {
    const file = join(dataFolder(), 'file');
    writeFileSync(file, '');
    expect((await doctor({ ANAGRAFE_DATA: file }))['data folder']).toMatchObject({
      severity: 'error',
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
      severity: 'error',
      todo: expect.stringContaining('ANAGRAFE_HASH_MEMORY_KIB'),
    });
    expect(greedy.hashing).toBeUndefined();
    const slow = await doctor({
      ...settings,
      ANAGRAFE_HASH_PASSES: '100',
      ANAGRAFE_HASH_MEMORY_KIB: '200000',
    });
    expect(slow.hashing).toMatchObject({
      severity: 'warning',
      code: 'hashing_slow',
      fields: { measured: false },
      found: expect.stringContaining('estimated'),
    });
  });

  it('warns of more concurrent hashes than there are cores', async () => {
    const many = String(availableParallelism() + 1);
    const settings = { ANAGRAFE_DATA: join(dataFolder(), 'data'), ANAGRAFE_HASH_CONCURRENCY: many };
    expect((await doctor(settings)).processors).toMatchObject({
      severity: 'warning',
      todo: expect.stringContaining(`to ${availableParallelism()},`),
    });
  });

  it('warns of a public address without TLS, unless a trusted proxy is set', async () => {
    const settings = { ANAGRAFE_DATA: join(dataFolder(), 'data'), ANAGRAFE_HOST: '0.0.0.0' };
    expect((await doctor(settings)).network).toMatchObject({
      severity: 'warning',
      todo: expect.stringContaining('TLS'),
    });
    expect(severityOf(await doctor({ ...settings, ANAGRAFE_TRUST_PROXY: '10.0.0.1' }), 'network')).toBe('ok');
  });

  it('fails if another program uses the port', async () => {
    const other = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const port = String((other.address() as AddressInfo).port);
    const findings = await doctor({ ANAGRAFE_DATA: join(dataFolder(), 'data'), ANAGRAFE_PORT: port });
    expect(findings.port).toMatchObject({
      severity: 'error',
      code: 'port_used_by_other',
      fields: { url: `http://127.0.0.1:${port}` },
      found: `Another program is listening on http://127.0.0.1:${port}`,
      todo: expect.stringContaining('ANAGRAFE_PORT'),
    });
  });
});

describe('doctor on a database', () => {
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
    for (const check of ['clock', 'schema', 'master key']) expect(severityOf(findings, check)).toBe('ok');
    // A busy machine answers slowly.
    expect(['database_ready', 'database_slow']).toContain(findings.database?.code);
    expect(findings.PostgreSQL?.code).toBe('embedded_postgres_stopped');
    expect(findings.access).toMatchObject({
      severity: 'warning',
      todo: expect.stringContaining('client create'),
    });
    expect(seen()).toEqual(before);
    expect(postmaster(settings.ANAGRAFE_DATA)).toBeUndefined();
  });

  it('leaves no PostgreSQL running after Ctrl-C', async () => {
    const child = start(['doctor'], { ...settings, ANAGRAFE_PORT: '0' });
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('PostgreSQL')) child.kill('SIGINT');
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
      /^Anagrafe \d+\.\d+\.\d+ is running on http:\/\/127\.0\.0\.1:\d+ and ready$/,
    );
    expect(findings.PostgreSQL).toMatchObject({
      code: 'embedded_postgres_running',
      fields: { pid: expect.any(Number) },
    });
    expect(severityOf(findings, 'master key')).toBe('ok');
    await expect.poll(async () => (await fetch(`${service.url}/health/ready`)).status).toBe(200);
    expect((await service.end('SIGTERM')).code).toBe(0);
  });

  it('fails if the master key is not that of the store, without printing it', async () => {
    const key = randomBytes(32).toString('base64');
    const findings = await doctor({ ...(await databaseSettings()), ANAGRAFE_MASTER_KEY: key });
    expect(findings['master key']).toMatchObject({
      severity: 'error',
      code: 'master_key_wrong',
      found: expect.stringContaining('is not the master key'),
      todo: expect.stringContaining('backup'),
    });
    expect(JSON.stringify(findings)).not.toContain(key);
  });

  it('fails if a start on a public address would need an API client first', async () => {
    const open = { ...(await databaseSettings()), ANAGRAFE_HOST: '0.0.0.0' };
    expect((await doctor(open)).access).toMatchObject({
      severity: 'error',
      code: 'protected_mode_exposed',
      fields: { host: '0.0.0.0' },
    });
    await inProcess(['client', 'create', '--name', 'erp'], open);
    expect(severityOf(await doctor(open), 'access')).toBe('ok');
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
    expect(screen).toContain(`No errors, ${warnings} warning${warnings === 1 ? '' : 's'}.`);
  });
});

describe('doctor on an external database', () => {
  const key = randomBytes(32).toString('base64');

  it('checks the connection, the permissions, the schema and the master key', async () => {
    const outside = await startOutside();
    const settings = { ANAGRAFE_DATABASE_URL: outside.url, ANAGRAFE_MASTER_KEY: key };
    const fresh = await doctor(settings);
    expect(fresh.database).toMatchObject({
      severity: 'ok',
      found: expect.stringMatching(/^PostgreSQL 18.*, responds in [\d.]+ ms$/),
    });
    expect(fresh.schema).toMatchObject({
      severity: 'warning',
      todo: expect.stringContaining('anagrafe migrate'),
    });
    expect(fresh['data folder']).toBeUndefined();

    const query = async (sql: string) => {
      const store = await openStore(readConfig(settings), { mode: 'existing', log: () => {} });
      await store.database.query(sql).finally(store.close);
    };
    await query('create role limited');
    const limited = await doctor({
      ...settings,
      ANAGRAFE_DATABASE_URL: `${outside.url}&options=-crole%3Dlimited`,
    });
    expect(limited.schema).toMatchObject({
      severity: 'error',
      code: 'schema_not_permitted',
      fields: { role: 'limited', database: 'anagrafe' },
      todo: expect.stringContaining('GRANT CREATE ON DATABASE anagrafe TO limited'),
    });

    await inProcess(['migrate'], settings);
    const migrated = await doctor(settings);
    expect(severityOf(migrated, 'schema')).toBe('ok');
    expect(migrated['master key']?.code).toBe('master_key_unused');

    const { ANAGRAFE_DATABASE_URL } = settings;
    const without = await doctor({ ANAGRAFE_DATABASE_URL });
    expect(without['master key']).toMatchObject({
      severity: 'error',
      todo: expect.stringContaining('openssl rand'),
    });

    await query('alter role current_user set default_transaction_read_only = on');
    expect((await doctor(settings)).database).toMatchObject({
      severity: 'error',
      code: 'database_read_only',
    });

    await outside.stop();
    expect((await doctor(settings)).database).toMatchObject({
      severity: 'error',
      code: 'database_unreachable',
      found: expect.stringContaining('Cannot connect to the database'),
      todo: expect.stringContaining('ANAGRAFE_DATABASE_URL'),
    });
  });
});
