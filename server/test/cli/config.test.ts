import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credential } from '@anagrafe/testing/admin';
import {
  anagrafe,
  databaseSettings,
  dataFolder,
  expectOneLine,
  inProcess,
  serve,
} from '@anagrafe/testing/command';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { settings } from '../../src/settings/config.ts';

interface Row {
  readonly name: string;
  readonly value: string;
  readonly source: string;
}

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'anagrafe-config-'));
  path = join(folder, 'anagrafe.env');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

function write(text: string, mode = 0o600): { ANAGRAFE_DATA: string } {
  writeFileSync(path, text, { mode });
  return { ANAGRAFE_DATA: folder };
}

describe('config with a settings file', () => {
  it('shows where each value comes from', async () => {
    const given = { ...write('ANAGRAFE_PORT=9000\nANAGRAFE_HOST=::1\n'), ANAGRAFE_HOST: '127.0.0.2' };
    const { code, stdout } = await inProcess(['config', '--json'], given);
    expect(code).toBe(0);
    const rows = JSON.parse(stdout) as Row[];
    const found = (name: string) => rows.find((row) => row.name === `ANAGRAFE_${name}`);
    expect(found('PORT')).toMatchObject({ value: '9000', source: 'file' });
    expect(found('HOST')).toMatchObject({ value: '127.0.0.2', source: 'environment' });
    expect(found('LOG_LEVEL')).toMatchObject({ value: 'info', source: 'default' });
    const text = await inProcess(['config'], given);
    expect(text.stdout).toMatch(/^ANAGRAFE_PORT=9000 +# file +port to listen on/m);
    expect(text.stderr).toBe(`Settings file: ${path}\n`);
  });

  it('masks its secrets, and warns if other users can read them', async () => {
    const given = write('ANAGRAFE_KEY=agp_one.hunter2\n', 0o644);
    for (const args of [['config'], ['config', '--json']]) {
      const { code, stdout, stderr } = await inProcess(args, given);
      expect(code).toBe(0);
      expect(stdout).toContain('agp_one.********');
      expect(stderr).toContain(`anagrafe: warning: Other users of this machine can read or change ${path}`);
      expect(stdout + stderr).not.toContain('hunter2');
    }
  });

  it('lists the settings even if a name in the file is unknown', async () => {
    const { code, stdout, stderr } = await inProcess(['config'], write('ANAGRAFE_PROT=80\n'));
    expect(code).toBe(1);
    expect(stdout).toMatch(/^ANAGRAFE_PORT=8420/m);
    expect(stderr).toContain('Did you mean ANAGRAFE_PORT?');
  });
});

describe('every command', () => {
  it.each([['list'], ['client', 'list'], ['serve'], ['audit', 'verify'], ['webhook', 'list'], ['migrate']])(
    'refuses an unknown name in the settings file: %s %s',
    async (...command) => {
      const args = command.filter(Boolean);
      const line =
        /^anagrafe: ANAGRAFE_PROT is not a known setting \(line 1 of .*\. Did you mean ANAGRAFE_PORT\?$/;
      expectOneLine(await inProcess(args, write('ANAGRAFE_PROT=80\n')), line);
      expectOneLine(await inProcess([...args, '--config', path]), line);
      expectOneLine(await inProcess(args, { ANAGRAFE_CONFIG: path }), line);
    },
  );

  it('reports a file of --config that does not exist', async () => {
    expectOneLine(
      await inProcess(['list', '--config', join(folder, 'none.env')]),
      /^anagrafe: Cannot read the settings file .*none\.env: file not found$/,
    );
  });

  it('reads the URL and the key of the service from the settings file', async () => {
    const service = await startTestService();
    const { SyncPublicKey, SyncSecretKey } = await credential(service, { scopes: ['sync:read'] });
    await service.database.query('select 1');
    write(`ANAGRAFE_URL=${service.url}\nANAGRAFE_KEY=${SyncPublicKey}.${SyncSecretKey}\n`);
    const { code, stderr } = await inProcess(['list', '--config', path]);
    expect([code, stderr]).toEqual([0, 'No results.\n']);
  });

  it('works with the settings file beside the data, as the service does', async () => {
    const data = dataFolder();
    const store = await databaseSettings();
    const lines = Object.entries({ ...store, ANAGRAFE_PORT: '0', ANAGRAFE_LOG_LEVEL: 'silent' });
    writeFileSync(join(data, 'anagrafe.env'), lines.map(([name, value]) => `${name}="${value}"\n`).join(''), {
      mode: 0o600,
    });
    const running = await serve({ ANAGRAFE_DATA: data });
    expect(running.stderr()).toContain('database of ANAGRAFE_DATABASE_URL');
    const listed = await anagrafe(['client', 'list', '--json'], { ANAGRAFE_DATA: data });
    expect([listed.code, listed.stdout]).toEqual([0, '[]\n']);
    expect((await running.end('SIGTERM')).code).toBe(0);
  });
});

describe('config --running', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService({ ANAGRAFE_PASSWORD_MIN: '12', ANAGRAFE_TOKEN_MINUTES: '5' });
  });

  it('shows the settings of the service, marks those that differ, and masks secrets', async () => {
    const here = { ANAGRAFE_URL: service.url, ANAGRAFE_TOKEN_MINUTES: '5' };
    const { code, stdout, stderr } = await inProcess(['config', '--running'], here);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ANAGRAFE_PASSWORD_MIN=12 +# differs; here: 8$/m);
    expect(stdout).toMatch(/^ANAGRAFE_TOKEN_MINUTES=5$/m);
    expect(stdout).toMatch(/^ANAGRAFE_MASTER_KEY=\*{8} +# differs; here: \(not set\)$/m);
    expect(stdout).not.toMatch(/^ANAGRAFE_(URL|KEY)=/m);
    expect(stdout).not.toContain(String(service.config.MASTER_KEY));
    expect(stderr).toMatch(
      new RegExp(`^Settings of ${service.url}\\. \\d+ differ from the settings here\\.\n$`),
    );

    const rows = JSON.parse((await inProcess(['config', '--running', '--json'], here)).stdout) as Row[];
    expect(rows).toHaveLength(Object.keys(settings).length - 2);
    expect(rows.find(({ name }) => name === 'ANAGRAFE_PASSWORD_MIN')).toEqual({
      name: 'ANAGRAFE_PASSWORD_MIN',
      value: '12',
      here: '8',
      differs: true,
    });
  });

  it('needs an API client with the scope admin', async () => {
    const other = await startTestService();
    const { SyncPublicKey, SyncSecretKey } = await credential(other, { scopes: ['sync:read'] });
    const given = { ANAGRAFE_URL: other.url, ANAGRAFE_KEY: `${SyncPublicKey}.${SyncSecretKey}` };
    expectOneLine(await inProcess(['config', '--running'], given), /^anagrafe: .*scope admin/);
  });
});
