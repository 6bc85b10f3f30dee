import { spawn } from 'node:child_process';
import {
  expectOneLine,
  expectWrongUsage,
  inProcess,
  onTerminal,
  programPath,
} from '@anagrafe/testing/command';
import { environment, listen, outcomeOf } from '@anagrafe/testing/heard';
import { importedUser } from '@anagrafe/testing/jobs';
import { login, signedIn } from '@anagrafe/testing/login';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

const settings = { ANAGRAFE_URL: '' };
let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  settings.ANAGRAFE_URL = service.url;
});

const run = (...args: (string | number)[]) => inProcess(['user', ...args.map(String)], settings);

/** Runs the program with a line on standard input. */
async function piped(args: readonly string[], input: string) {
  const child = spawn(process.execPath, [programPath, ...args], {
    env: environment(settings),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input);
  return outcomeOf(listen(child));
}

let names = 0;
/** Inserts a principal with one user. */
async function newUser(more: object = {}) {
  const username = `user.${++names}`;
  const key = `K-${names}`;
  const record = {
    ExternalKey: key,
    Denomination: 'Rossi Srl',
    Users: [{ ...importedUser(username), ...more }],
  };
  const { body } = await service.call('irs/insert', [record], {
    headers: { prefer: 'return=representation' },
  });
  const { Item1: principal = 0, Item6 } = body.result?.records[0] ?? {};
  return { principal: principal ?? 0, key, username, id: Item6?.Users?.[0]?.ID ?? 0 };
}

async function shown(user: string | number): Promise<Record<string, unknown>> {
  return JSON.parse(
    (await run('show', user, '--by', typeof user === 'number' ? 'id' : 'username', '--json')).stdout,
  );
}

describe('user show', () => {
  it('finds a user by username, email address and ID', async () => {
    const { username, id, principal } = await newUser({ Email: 'Some.One@example.com' });
    for (const name of [username, 'some.one@EXAMPLE.com', id]) {
      const { code, stdout, stderr } = await run('show', name);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(new RegExp(`^ID +${id}\nPrincipal +${principal}\n`));
      expect(stdout).toMatch(new RegExp(`^Username +${username}$`, 'm'));
    }
    expect(await shown(id)).toMatchObject({ ID: id, IRID: principal, Username: username, State: 'active' });
  });

  it('reports that no user matches', async () => {
    expectOneLine(
      await run('show', 'unknown.user'),
      /^anagrafe: There is no user with the ID, username or email address unknown\.user$/,
    );
    expectOneLine(
      await run('show', '999999', '--by', 'id'),
      /^anagrafe: There is no user with the id 999999$/,
    );
  });

  it('refuses to choose between several users with one email address', async () => {
    const one = await newUser({ Email: 'shared@example.com' });
    const other = await newUser({ Email: 'shared@example.com' });
    expectOneLine(
      await run('show', 'shared@example.com'),
      new RegExp(
        `^anagrafe: Several users match shared@example\\.com: ${one.id} \\(.*, ${other.id} \\(.*--by id`,
      ),
    );
  });

  it('refuses to choose between a username and the ID of another user, unless --by says which', async () => {
    const { id } = await newUser();
    const record = { Denomination: 'Numbers', Users: [importedUser(String(id))] };
    await service.call('irs/insert', [record]);
    expectOneLine(await run('show', id), new RegExp(`^anagrafe: Several users match ${id}: `));
    const byName = JSON.parse((await run('show', id, '--by', 'username', '--json')).stdout);
    expect([byName.Username, byName.ID === id]).toEqual([String(id), false]);
  });
});

describe('user register', () => {
  it('reads the password from standard input and registers the user', async () => {
    const { key, principal } = await newUser();
    const args = ['user', 'register', 'new.one', '--principal', key, '--email', 'new@example.com'];
    const { code, stdout, stderr } = await piped([...args, '--first-name', 'Nuovo'], 'una frase lunga\n');
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(
      new RegExp(`^User \\d+ \\(new\\.one\\) is registered under principal ${principal}\\.\n$`),
    );
    expect(await shown('new.one')).toMatchObject({ Email: 'new@example.com', FirstName: 'Nuovo' });
    expect((await login(service, 'new.one', 'una frase lunga')).status).toBe(200);
  });

  it('takes no password as an argument, and reports an empty input', async () => {
    const { key } = await newUser();
    const args = ['user', 'register', 'without', '--principal', key];
    expectOneLine(await piped(args, ''), /^anagrafe: There is no password on standard input\./);
    expectWrongUsage(
      await run('register', 'without', '--principal', key, '--password', 'x'),
      /unknown option '--password'/,
    );
  });

  it('reports the errors of the fields', async () => {
    const { key } = await newUser();
    const args = ['user', 'register', 'wrong', '--principal', key, '--email', 'nothing'];
    const outcome = await piped(args, 'short\n');
    expectOneLine(
      outcome,
      /^anagrafe: (?=.*Email: .*\(EMAIL_INVALID\))(?=.*Password: .*\(PASSWORD_TOO_SHORT\))/,
    );
  });

  it('asks twice on a terminal and does not show the password', async () => {
    const { key } = await newUser();
    const line = `user register at.terminal --principal ${key}`;
    const secret = 'una frase segreta';
    const args = [...line.split(' ')];
    const { screen, code } = await onTerminal(args, settings, 80, [secret, secret]);
    expect(code).toBe(0);
    expect(screen).toContain('New password: ');
    expect(screen).not.toContain(secret);
    expect((await login(service, 'at.terminal', secret)).status).toBe(200);
    const differing = await onTerminal([...args, '--json'], settings, 80, [secret, `${secret}!`]);
    expect(differing.screen).toContain('The two passwords differ');
  });
});

describe('user reset', () => {
  it('sets the password and ends the sessions', async () => {
    const { username, principal } = await newUser();
    await piped(['user', 'reset', username], 'prima frase lunga\n');
    const { Token } = loginRecord(await login(service, username, 'prima frase lunga'));
    const { code, stderr } = await piped(['user', 'reset', username], 'seconda frase lunga\n');
    expect([code, stderr]).toEqual([0, expect.stringContaining('Its sessions have ended.')]);
    const list = await service.call('irs/list', { ID: principal }, { headers: { AccessToken: Token } });
    expect(list.status).toBe(401);
    expect((await login(service, username, 'seconda frase lunga')).status).toBe(200);
  });
});

describe('user edit', () => {
  it('changes the given fields, clears those that are empty, and keeps the others', async () => {
    const { username, id } = await newUser({ Email: 'old@example.com', Phone: '1' });
    const { code, stdout } = await run(
      'edit',
      username,
      '--email',
      'new@example.com',
      '--phone',
      '',
      '--language',
      'it',
      '--json',
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ID: id,
      Email: 'new@example.com',
      Phone: null,
      Language: 'it',
    });
    await run('edit', id, '--by', 'id', '--username', `${username}.renamed`);
    expect(await shown(id)).toMatchObject({ Username: `${username}.renamed`, Email: 'new@example.com' });
  });

  it('adds, changes and removes single attributes', async () => {
    const { id } = await newUser({ Attributes: { role: 'buyer', room: '12' } });
    await run(
      'edit',
      id,
      '--by',
      'id',
      '--attribute',
      'role=seller',
      '--attribute',
      'room=',
      '--attribute',
      'desk=a=b',
    );
    expect((await shown(id)).Attributes).toEqual({ role: 'seller', desk: 'a=b' });
  });

  it('reports an invalid value, and that there is nothing to change', async () => {
    const { username } = await newUser();
    expectOneLine(
      await run('edit', username, '--email', 'nothing'),
      /^anagrafe: Email: .*\(EMAIL_INVALID\)$/,
    );
    expectOneLine(await run('edit', username), /^anagrafe: Nothing to change\. Options: --username, --email/);
    expectWrongUsage(
      await run('edit', username, '--attribute', 'role'),
      /--attribute.*Expected <name>=<value>/,
    );
  });
});

describe('user disable and enable', () => {
  it('change the state', async () => {
    const { username, id } = await newUser();
    expect((await run('disable', username)).stdout).toMatch(/^State +disabled$/m);
    expect(await shown(id)).toMatchObject({ State: 'disabled' });
    expect((await run('enable', username)).stdout).toMatch(/^State +active$/m);
  });
});

describe('user delete', () => {
  it('asks for confirmation, which needs a terminal or --yes', async () => {
    const { username, id } = await newUser();
    expectOneLine(
      await piped(['user', 'delete', username], ''),
      new RegExp(`^anagrafe: Delete user ${id} \\(${username}\\) of principal \\d+\\? .*Use --yes`),
    );
    const declined = await onTerminal(['user', 'delete', username], settings, 80, ['n']);
    expect(declined.screen).toContain('Nothing was deleted.');
    expect(await shown(id)).toMatchObject({ ID: id });
    const deleted = await onTerminal(['user', 'delete', username], settings, 80, ['y']);
    expect(deleted.screen).toContain(`User ${id} (${username}) is deleted.`);
    expectOneLine(await run('show', username), /There is no user/);
  });

  it('deletes without asking with --yes', async () => {
    const { username, id, principal } = await newUser();
    const { code, stdout } = await run('delete', username, '--yes', '--json');
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { ID: id, IRID: principal, Username: username, deleted: true },
    ]);
  });
});

describe('user sessions', () => {
  it('lists the sessions, and ends one or all of them', async () => {
    const { username, id } = await newUser();
    await piped(['user', 'reset', username], 'correct horse battery\n');
    for (let count = 0; count < 3; count++) await signedIn(service, username);
    const listed = await run('sessions', username);
    const lines = listed.stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    const session = lines[0]?.split('\t')[0] ?? '';
    expect((await run('sessions', username, '--end', session)).stderr).toBe(
      `Ended 1 session of user ${id} (${username}).\n`,
    );
    expectOneLine(
      await run('sessions', username, '--end', session),
      /^anagrafe: There is no user with this ID, or the session has ended/,
    );
    expect(JSON.parse((await run('sessions', username, '--end-all', '--json')).stdout)).toEqual({
      ID: id,
      ended: 2,
    });
    expect((await run('sessions', username)).stderr).toBe('No results.\n');
  });
});

function loginRecord({ body }: Awaited<ReturnType<typeof login>>) {
  return body.result?.record as { Token: string };
}
