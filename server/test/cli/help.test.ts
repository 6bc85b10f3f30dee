import { spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { anagrafe, dataFolder, inProcess } from '@anagrafe/testing/command';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../../src/cli/output/output.ts';
import { program } from '../../src/cli/program.ts';
import { newSecret } from '../../src/lib/secrets.ts';
import { settings } from '../../src/settings/config.ts';

describe('the help', () => {
  it.each(['', 'import', 'client create'])('is printed with --help: anagrafe %s', async (command) => {
    const { code, stdout, stderr } = await inProcess([...command.split(' ').filter(Boolean), '--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`^Usage: ${`anagrafe ${command}`.trim()} `));
    expect(stdout.split('\n').every((line) => line.length <= 120)).toBe(true);
  });

  it('names every command, and the options of client create with an example', async () => {
    const { stdout: all } = await inProcess(['--help']);
    for (const command of program.commands) expect(all).toMatch(new RegExp(`^ +${command.name()}\\b`, 'm'));
    const { stdout: create } = await inProcess(['client', 'create', '--help']);
    for (const option of ['--name', '--scope', '--network', '--known-by-address', '--json'])
      expect(create).toContain(option);
    expect(create).toContain('Example:');
  });

  it('explains the exit codes', async () => {
    const { code: ended, stdout } = await anagrafe(['--help']);
    expect(ended).toBe(0);
    for (const code of Object.values(exitCodes)) expect(stdout).toMatch(new RegExp(`^ +${code} +\\w`, 'm'));
  });

  it('is printed if no command is given', async () => {
    const { code, stdout, stderr } = await anagrafe([]);
    expect(code).toBe(2);
    expect(stdout + stderr).toMatch(/^Usage: anagrafe /);
  });

  it('is mentioned in the error for an unknown command', async () => {
    const { code, stdout, stderr } = await anagrafe(['sevre']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^anagrafe: unknown command 'sevre'/);
    expect(stderr).toContain('anagrafe --help');
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it.each([
    [['help', 'impor'], "unknown command 'impor'", 'import'],
    [['client', 'help', 'creat'], "unknown command 'creat'", 'create'],
    [['help', 'client', 'creat'], "unknown command 'creat'", 'create'],
    [['delete', '1'], "unknown command 'delete'", 'webhook delete, user delete, principal delete'],
    [['create'], "unknown command 'create'", '.*principal create.*'],
  ])('suggests a command for a misspelt name: %j', async (args, error, meant) => {
    const { code, stdout, stderr } = await inProcess(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(new RegExp(`^anagrafe: ${error}\\n\\(Did you mean ${meant}\\?\\)\\n`));
  });

  it.each([
    [['help'], 'anagrafe'],
    [['help', 'import'], 'anagrafe import'],
    [['help', 'client', 'create'], 'anagrafe client create'],
  ])('is printed by the help command: %j', async (args, command) => {
    const { code, stdout } = await inProcess(args);
    expect([code, stdout.startsWith(`Usage: ${command} `)]).toEqual([0, true]);
  });

  it('marks required options, and names no options for a command that has none', async () => {
    expect((await inProcess(['client', 'create', '--help'])).stdout).toMatch(/--name <name> [^-]*; required/);
    expect((await inProcess(['client', '--help'])).stdout).toMatch(/^Usage: anagrafe client \[command\]\n/);
    expect((await inProcess(['reset', '--help'])).stdout).not.toContain('import');
  });

  it('is accompanied by --version, which prints the version', async () => {
    expect((await inProcess(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('a hint with a command', () => {
  const unknown: NodeJS.ProcessEnv = { ...process.env, ANAGRAFE_QQQQQQQQ: '1' };
  const hintOf = (path: string, env: NodeJS.ProcessEnv) =>
    spawnSync(process.execPath, [path, 'list'], { env, encoding: 'utf8' }).stderr;

  it('has the plain name only if the program was started by that name', () => {
    const program = fileURLToPath(new URL('../../bin/anagrafe.cjs', import.meta.url));
    const installed = join(dataFolder(), 'anagrafe');
    symlinkSync(program, installed);
    const { npm_command: _, ...env } = unknown;
    expect(hintOf(installed, env)).toContain('run: anagrafe config');
    expect(hintOf(installed, { ...env, npm_command: 'exec' })).toContain('run: npx --no -- anagrafe config');
    expect(hintOf(program, env)).toContain('run: npx --no -- anagrafe config');
  });
});

describe('config', () => {
  it('prints every effective setting with a description', async () => {
    const { code, stdout, stderr } = await anagrafe(['config'], { ANAGRAFE_PORT: '9000' });
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(Object.keys(settings).length);
    for (const name of Object.keys(settings)) {
      expect(lines.some((line) => line.startsWith(`ANAGRAFE_${name}=`) && / {2}# \w/.test(line))).toBe(true);
    }
    expect(stdout).toMatch(/^ANAGRAFE_PORT=9000 /m);
  });

  it('masks secrets in the text and in the JSON output', async () => {
    const secret = newSecret();
    const given = {
      ANAGRAFE_FIRST_CLIENT: `deployment.${secret}`,
      ANAGRAFE_DATABASE_URL: 'postgres://owner:hunter2@db.example.com/anagrafe',
    };
    for (const options of [[], ['--json']]) {
      const { code, stdout } = await inProcess(['config', ...options], given);
      expect(code).toBe(0);
      expect(stdout).toContain('deployment.********');
      expect(stdout).toContain('postgres://owner:********@db.example.com/anagrafe');
      expect(stdout).not.toContain(secret);
      expect(stdout).not.toContain('hunter2');
    }
  });

  it('prints an array of settings with --json', async () => {
    const { stdout } = await inProcess(['config', '--json'], { ANAGRAFE_REQUIRE_EMAIL: 'true' });
    const rows = JSON.parse(stdout);
    expect(rows.map((row: { name: string }) => row.name)).toEqual(
      Object.keys(settings).map((name) => `ANAGRAFE_${name}`),
    );
    expect(rows.find((row: { name: string }) => row.name === 'ANAGRAFE_REQUIRE_EMAIL')).toEqual({
      name: 'ANAGRAFE_REQUIRE_EMAIL',
      value: 'true',
      source: 'environment',
      about: expect.any(String),
      takes: 'true or false',
    });
  });

  it('lists the settings even if one is misspelt', async () => {
    const refused = await inProcess(['serve'], { ANAGRAFE_PROT: '80' });
    expect(refused.stderr).toMatch(/^anagrafe: ANAGRAFE_PROT is not a known setting/);
    const { stdout, stderr } = await inProcess(['config'], { ANAGRAFE_PROT: '80' });
    expect(stderr).toContain('ANAGRAFE_PROT is not a known setting');
    expect(stdout).toMatch(/^ANAGRAFE_PORT=/m);
  });
});
