import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import {
  anagrafe,
  dataFolder,
  expectOneLine,
  expectWrongUsage,
  inProcess,
  onTerminal,
} from '@anagrafe/testing/command';
import { afterTest } from '@anagrafe/testing/endings';
import { importedUser } from '@anagrafe/testing/jobs';
import { startTestService } from '@anagrafe/testing/service';
import { masterKey } from '@anagrafe/testing/store';
import { beforeAll, describe, expect, it } from 'vitest';

const settings = { ANAGRAFE_URL: '' };
/** Both numbers need more than one page. */
const principals = 150;
const users = 1010;

beforeAll(async () => {
  const service = await startTestService({ ANAGRAFE_MAX_USERS: '2000' });
  settings.ANAGRAFE_URL = service.url;
  const others = Array.from({ length: principals - 1 }, (_, n) => ({ Denomination: `Ditta ${n + 2}` }));
  const first = { Denomination: 'Rossi Srl', ExternalKey: 'ERP-1', Email: 'info@example.com' };
  await service.call('irs/insert', [first, ...others]);
  const many = Array.from({ length: users }, (_, n) => importedUser(`mario.${n + 1}`));
  Object.assign(many[4] ?? {}, { Email: 'Fifth@example.com', FirstName: 'Mario', LastName: 'Quinto' });
  const { status } = await service.call('irs/update', [{ ID: 1, Users: many }]);
  expect(status).toBe(200);
});

const run = (...args: string[]) => inProcess(['list', ...args], settings);
const lines = (text: string) => text.trimEnd().split('\n');

describe('the list command', () => {
  it('prints the first 100 principals separated by tabs, and the total', async () => {
    const { code, stdout, stderr } = await anagrafe(['list'], settings);
    expect(code).toBe(0);
    expect(lines(stdout)).toHaveLength(100);
    expect(lines(stdout)[0]).toMatch(
      /^1\tRossi Srl\t1010\tactive\tERP-1\tinfo@example\.com\t\d{4}-\d\d-\d\dT[\d:.]+Z\t$/,
    );
    expect(lines(stdout)[1]).toMatch(/^2\tDitta 2\t0\tactive\t\t\t\d{4}-/);
    expect(stderr).toBe('Showing 100 of 150. Use --all to show all.\n');
  });

  it('reads all pages with --all, and as many rows as --limit allows', async () => {
    const ids = (text: string) => lines(text).map((line) => Number(line.split('\t')[0]));
    const all = await run('--all');
    expect(ids(all.stdout)).toEqual(Array.from({ length: principals }, (_, n) => n + 1));
    expect(all.stderr).toBe('');
    expect(ids((await run('--limit', '120')).stdout)).toHaveLength(120);
    expect(ids((await run('--users', '--all')).stdout)).toEqual(
      Array.from({ length: users }, (_, n) => n + 1),
    );
  });

  it('filters by search text, ID, external key, username and date', async () => {
    const first = async (...args: string[]) => (await run(...args)).stdout.split('\t').slice(0, 3);
    expect(await first('--search', 'ross')).toEqual(['1', 'Rossi Srl', '1010']);
    expect(await first('--id', '7')).toEqual(['7', 'Ditta 7', '0']);
    expect(await first('--external-key', 'ERP-1')).toEqual(['1', 'Rossi Srl', '1010']);
    expect(await first('--users', '--username', 'Mario.3')).toEqual(['3', '1', 'mario.3']);
    expect(lines((await run('--users', '--search', 'mario.100')).stdout)).toHaveLength(11);
    const none = await run('--since', '2999-01-01');
    expect([none.code, none.stdout, none.stderr]).toEqual([0, '', 'No results.\n']);
  });

  it('filters users by email, name, state and sign-in', async () => {
    const ids = async (...args: string[]) =>
      lines((await run('--users', ...args)).stdout).map((line) => line.split('\t')[0]);
    expect(await ids('--email', 'fifth@EXAMPLE.com')).toEqual(['5']);
    expect(await ids('--name', 'quint')).toEqual(['5']);
    expect(await ids('--state', 'disabled')).toEqual(['']);
    expect(await ids('--state', 'active', '--never-signed-in', '--limit', '3')).toEqual(['1', '2', '3']);
    const { stdout } = await run('--users', '--email', 'fifth@example.com');
    expect(stdout).toBe('5\t1\tmario.5\tactive\tFifth@example.com\tMario Quinto\tRossi Srl\t\n');
  });

  it('prints all fields as NDJSON with --json', async () => {
    const { code, stdout, stderr } = await run('--all', '--json');
    expect([code, stderr]).toEqual([0, '']);
    const found = lines(stdout).map((line) => JSON.parse(line));
    expect(found).toHaveLength(principals);
    expect(found[0]).toMatchObject({
      ID: 1,
      Denomination: 'Rossi Srl',
      UsersCount: users,
      ExternalKey: 'ERP-1',
    });
    const [user] = lines((await run('--users', '--limit', '1', '--json')).stdout).map((line) =>
      JSON.parse(line),
    );
    expect(user).toMatchObject({ ID: 1, IRID: 1, Username: 'mario.1', State: 'active', LastLoginAt: null });
    expect((await run('--id', '999', '--json')).stdout).toBe('');
  });

  it.each([
    { columns: 100, colours: true, more: {} },
    { columns: 60, colours: false, more: { NO_COLOR: '1' } },
    { columns: 40, colours: false, more: { TERM: 'dumb' } },
  ])(
    'prints a table that fits a terminal of $columns columns; with colours: $colours',
    async ({ columns, colours, more }) => {
      const { screen, code } = await onTerminal(['list', '--limit', '5'], { ...settings, ...more }, columns);
      expect(screen.includes('\u001b[')).toBe(colours);
      const [head = '', ...rows] = lines(stripVTControlCharacters(screen)).slice(0, 6);
      expect([code, head.split(/ {2,}/).slice(0, 2)]).toEqual([0, ['ID', 'Name']]);
      expect(rows).toHaveLength(5);
      expect([head, ...rows].every((line) => line.length <= columns)).toBe(true);
    },
  );

  it('prints no colours if the output is not a terminal', async () => {
    expect((await anagrafe(['list', '--limit', '1'], settings)).stdout).not.toContain('\u001b');
  });

  it('prints a one-line error for invalid options, an unreachable service and a wrong key', async () => {
    expectWrongUsage(await run('--username', 'mario'), /^anagrafe: .*--username.*--users/);
    expectWrongUsage(await run('--never-signed-in'), /^anagrafe: .*--never-signed-in.*--users/);
    expectWrongUsage(await run('--users', '--state', 'deleted'), /^anagrafe: .*--state.*active, disabled/);
    expectWrongUsage(await run('--limit', '0'), /^anagrafe: .*--limit.*whole number/);
    expectWrongUsage(await run('--all', '--limit', '5'), /^anagrafe: .*--all.*--limit/);
    expectWrongUsage(await run('--since', 'monday'), /^anagrafe: .*--since.*2026-01-31/);
    expectWrongUsage(
      await run('--url', 'ftp://owner:hunter2@x'),
      /^anagrafe: --url is invalid: "ftp:\/\/\*+@x"\. Expected an http or https URL/,
    );
    expectOneLine(
      await run('--key-file', '/nowhere'),
      /^anagrafe: Cannot read the key file \/nowhere: file not found\. .*--key-file/,
    );
    const readme = fileURLToPath(new URL('../../../README.md', import.meta.url));
    expectOneLine(
      await run('--key-file', readme),
      /^anagrafe: .*README\.md does not contain the keys of an API client\. Expected <public>\.<secret>/,
    );
    expectOneLine(
      await inProcess(['list'], { ANAGRAFE_PORT: '9' }),
      /^anagrafe: Cannot reach the service at http:\/\/127\.0\.0\.1:9 .*ANAGRAFE_PORT.*ANAGRAFE_URL/,
    );
    const unreachable = await run('--url', 'http://127.0.0.1:9');
    expectOneLine(
      unreachable,
      /^anagrafe: Cannot reach the service at http:\/\/127\.0\.0\.1:9 .*ANAGRAFE_URL/,
    );
    const wrong = await inProcess(['list'], { ...settings, ANAGRAFE_KEY: `agp_x.${'s'.repeat(40)}` });
    expectOneLine(wrong, /^anagrafe: .*ANAGRAFE_KEY/);
  });

  it('fails if its connection is closed at once, as by a load balancer without a running node', async () => {
    const server = createServer((socket) => socket.on('error', () => {}).end());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    afterTest(() => {
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
    expectOneLine(
      await anagrafe(['list'], { ANAGRAFE_URL: url }),
      /^anagrafe: Cannot reach the service at http:.* Check that it is running/,
    );
  });
});

it('--key-file accepts the output of client create', async () => {
  const { url, config } = await startTestService();
  const store = { ANAGRAFE_DATABASE_URL: config.DATABASE_URL ?? '', ANAGRAFE_MASTER_KEY: masterKey };
  const { stdout } = await inProcess(['client', 'create', '--name', 'lister'], store);
  const file = join(dataFolder(), 'lister.key');
  writeFileSync(file, stdout);
  const list = (...options: string[]) => inProcess(['list', ...options], { ANAGRAFE_URL: url });
  expectOneLine(
    await list(),
    /^anagrafe: The service requires the keys of an API client\. Set ANAGRAFE_KEY or --key-file\.$/,
  );
  expect((await list('--key-file', file)).code).toBe(0);
});
