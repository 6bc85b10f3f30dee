import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import {
  anagrafe,
  databaseSettings,
  dataFolder,
  expectOneLine,
  inProcess,
  postmaster,
  serve,
  start,
  usedFolder,
} from '@anagrafe/testing/command';
import { masterKey } from '@anagrafe/testing/store';
import { until } from '@anagrafe/testing/until';
import { describe, expect, it } from 'vitest';
import { newSecret } from '../../src/lib/secrets.ts';
import { readConfig } from '../../src/settings/config.ts';
import { openStore } from '../../src/store.ts';

const on = (folder: string) => ({ folder, settings: { ANAGRAFE_DATA: folder, ANAGRAFE_PORT: '0' } });
const fresh = () => on(dataFolder());
const used = async () => on(await usedFolder());

/** `serve` installs signal handlers once its settings are valid, so it needs a child process. */
const runnerOf = ([command]: readonly string[]) => (command === 'serve' ? anagrafe : inProcess);

const firstClient = `deployment.${newSecret()}`;

describe('serve', () => {
  it('prints two curl commands that work when pasted into a shell', async () => {
    const { folder, settings } = await used();
    const service = await serve(settings);
    const banner = service.stderr();
    expect(banner).toContain('Anagrafe 0.');
    expect(banner).toContain(`data in ${folder}`);
    const curls = [...banner.matchAll(/^ *curl (?:.*\\\n)*.*$/gm)].map(([command]) => command);
    expect(curls).toHaveLength(2);
    for (const command of curls) {
      const answer = execFileSync('sh', ['-c', `${command} -s -w '\\n%{http_code}'`], { encoding: 'utf8' });
      expect(answer.split('\n').at(-1)).toBe('200');
      expect(JSON.parse(answer.split('\n')[0] ?? '')).toMatchObject({ statusCode: 200, errorCode: null });
    }
    for (const [, path = ''] of banner.matchAll(/(?:Docs|Console)\s+(\S+)/g)) {
      expect([path, (await fetch(path)).status]).toEqual([path, 200]);
    }
    expect(banner).toContain('npx --no -- anagrafe client create --name erp');
    await service.end('SIGTERM');
  });

  it('prints a curl command that works with the key of a client if there is one', async () => {
    const settings = await databaseSettings();
    const service = await serve({ ...settings, ANAGRAFE_FIRST_CLIENT: firstClient });
    const banner = service.stderr();
    expect(banner).not.toContain('Protected mode');
    expect(banner).not.toContain(firstClient.split('.')[1]);
    const [command = ''] = /^ *curl (?:.*\\\n)*.*$/m.exec(banner) ?? [];
    const variable = /\$(\w+)/.exec(command)?.[1] ?? '';
    const env = { ...process.env, [variable]: firstClient };
    const answer = execFileSync('sh', ['-c', `${command} -s -w '\\n%{http_code}'`], {
      encoding: 'utf8',
      env,
    });
    expect(answer.split('\n').at(-1)).toBe('200');

    // A reader of the banner may export that variable, so every command must accept it.
    const list = await inProcess(['client', 'list'], { ...settings, [variable]: firstClient });
    expect([list.code, list.stderr]).toEqual([0, '']);
    await service.end('SIGTERM');
  });

  it('writes its log as JSON lines to standard output, separate from its messages', async () => {
    const service = await serve(await databaseSettings());
    await fetch(`${service.url}/api/sync/v1/none`);
    const { stdout, stderr } = await service.end('SIGTERM');
    const entries = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(entries.map((entry) => entry.msg)).toEqual(expect.arrayContaining(['listening', 'call']));
    expect(entries.at(-1)).toMatchObject({ level: 'info', msg: 'stopped' });
    expect(stderr).not.toContain('anagrafe:');
  });

  it('leaves no PostgreSQL running when it is stopped during its start', async () => {
    const { folder, settings } = fresh();
    const child = start(['serve'], settings);
    const ended = once(child, 'exit');
    await until(() => postmaster(folder) !== undefined || child.exitCode !== null);
    child.kill('SIGTERM');
    await ended;
    await expect.poll(() => postmaster(folder)).toBeUndefined();
  });
});

describe('serve that cannot start', () => {
  it.each<[string, Record<string, string>, RegExp]>([
    [
      'an invalid port',
      { ANAGRAFE_PORT: 'http' },
      /^anagrafe: ANAGRAFE_PORT is invalid: "http"\. Expected a whole number from 0 to 65535\.$/,
    ],
    ['an unknown setting', { ANAGRAFE_PROT: '80' }, /^anagrafe: ANAGRAFE_PROT is not a known setting\. /],
    [
      'an invalid first client',
      { ANAGRAFE_FIRST_CLIENT: 'a.hunter2' },
      /^anagrafe: ANAGRAFE_FIRST_CLIENT is invalid\. Expected (?!.*hunter2)/,
    ],
    [
      'a database that is not a URL',
      { ANAGRAFE_DATABASE_URL: 'hunter2' },
      /^anagrafe: ANAGRAFE_DATABASE_URL is invalid\. Expected (?!.*hunter2)/,
    ],
    [
      'a trusted proxy that covers every address',
      { ANAGRAFE_TRUST_PROXY: '0.0.0.0/0' },
      /^anagrafe: ANAGRAFE_TRUST_PROXY /,
    ],
  ])('reports an invalid setting in one line: %s', async (_, wrong, line) => {
    expectOneLine(await inProcess(['serve'], { ANAGRAFE_DATA: dataFolder(), ...wrong }), line);
  });

  it.each<[string, Record<string, string>, RegExp]>([
    [
      'every address while no client exists',
      { ANAGRAFE_HOST: '0.0.0.0' },
      /^anagrafe: ANAGRAFE_HOST is 0\.0\.0\.0, but there is no API client .*npx --no -- anagrafe client create --name erp/,
    ],
    [
      'an address of another machine',
      { ANAGRAFE_HOST: '203.0.113.1', ANAGRAFE_FIRST_CLIENT: firstClient },
      /^anagrafe: 203\.0\.113\.1 is not an address of this machine\. Set ANAGRAFE_HOST /,
    ],
    [
      'an unknown host name',
      { ANAGRAFE_HOST: 'no-such-host.invalid', ANAGRAFE_FIRST_CLIENT: firstClient },
      /^anagrafe: (?=.*no-such-host\.invalid).*ANAGRAFE_HOST/,
    ],
  ])('reports in one line why it cannot listen, and exits: %s', async (_, wrong, line) => {
    const settings = { ...(await databaseSettings()), ANAGRAFE_PORT: '0' };
    expectOneLine(await anagrafe(['serve'], { ...settings, ...wrong }), line);
  });

  it('creates no file if a setting is invalid', async () => {
    const { folder, settings } = fresh();
    expectOneLine(
      await anagrafe(['serve'], { ...settings, ANAGRAFE_PORT: 'http' }),
      /^anagrafe: ANAGRAFE_PORT /,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('reports that the port is in use, and stops the PostgreSQL that it has started', async () => {
    const { folder, settings } = await used();
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    expectOneLine(
      await anagrafe(['serve'], { ...settings, ANAGRAFE_PORT: String(port) }),
      new RegExp(`^anagrafe: Port ${port} on 127\\.0\\.0\\.1 is already in use\\. .*ANAGRAFE_PORT`),
    );
    expect(postmaster(folder)).toBeUndefined();
    taken.close();
  });

  it('reports that another service runs on the data folder, which keeps running', async () => {
    const { settings } = await used();
    const first = await serve(settings);
    expectOneLine(
      await anagrafe(['serve'], settings),
      /^anagrafe: Another Anagrafe service \(process \d+\) is using .*ANAGRAFE_DATA/,
    );
    await expect.poll(async () => (await fetch(`${first.url}/health/ready`)).status).toBe(200);
    expect((await first.end('SIGTERM')).code).toBe(0);
  });

  it.each([
    'postgres://owner:hunter2@127.0.0.1:1/anagrafe',
    'postgres://owner:hunter2@localhost:1/anagrafe',
    'postgres://owner:hunter2@no-such-host.invalid/anagrafe',
    'postgres:///anagrafe?host=/no/such/folder&user=owner&password=hunter2',
  ])('reports that the database cannot be reached, without its password: %s', async (url) => {
    for (const command of [['serve'], ['migrate'], ['client', 'list']]) {
      const settings = { ANAGRAFE_DATABASE_URL: url, ANAGRAFE_MASTER_KEY: masterKey, ANAGRAFE_PORT: '0' };
      const outcome = await runnerOf(command)(command, settings);
      expectOneLine(
        outcome,
        /^anagrafe: Cannot connect to the database \([^()]*\S[^()]*\)\. Check .*ANAGRAFE_DATABASE_URL/,
      );
      expect(outcome.stdout + outcome.stderr).not.toContain('hunter2');
    }
  });

  it('reports that the database is newer than this version', async () => {
    const settings = { ...(await databaseSettings()), ANAGRAFE_PORT: '0' };
    const store = await openStore(readConfig(settings), { mode: 'existing', log: () => {} });
    await store.database.query(
      "insert into anagrafe.migrations (version, name, checksum) values (9999, '9999_future', '')",
    );
    await store.close();
    for (const command of [['serve'], ['migrate'], ['client', 'list']]) {
      expectOneLine(
        await runnerOf(command)(command, settings),
        /^anagrafe: the database has migration 9999_future, .*\. Upgrade the service$/,
      );
    }
  });
});

describe('migrate', () => {
  it('migrates an empty database once, and does nothing on a migrated one, with or without a running service', async () => {
    const { folder, settings } = fresh();
    const first = await anagrafe(['migrate'], settings);
    expect(first.code).toBe(0);
    expect(first.stdout).toMatch(/^(Applied migration \d{4}_[a-z0-9_]+\n)+$/);
    const second = await inProcess(['migrate'], settings);
    expect([second.code, second.stdout]).toEqual([0, 'The schema is up to date.\n']);
    expect(postmaster(folder)).toBeUndefined();

    const service = await serve(settings);
    const beside = await inProcess(['migrate'], settings);
    expect([beside.code, beside.stdout]).toEqual([0, 'The schema is up to date.\n']);
    await expect.poll(async () => (await fetch(`${service.url}/health/ready`)).status).toBe(200);
    expect((await service.end('SIGTERM')).code).toBe(0);
  });
});
