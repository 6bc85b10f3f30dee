import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { verify } from '@node-rs/argon2';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let principal: number;

beforeAll(async () => {
  service = await startTestService();
  [principal = 0] = await insertPrincipals(service, 1);
});

const withPassword = (Password: unknown) => ({ Password, ConfirmPassword: Password });

async function update(...users: unknown[]) {
  const { text, status, body } = await service.call('irs/update', [{ ID: principal, Users: users }]);
  return { text, status, errors: body.result?.records[0]?.Item5 ?? {} };
}

async function register(username: string, password: string, more: Record<string, unknown> = {}) {
  const { status, errors } = await update({ Username: username, ...withPassword(password), ...more });
  return { status, codes: (errors['Users[0].Password'] ?? []).map(({ code }) => code) };
}

async function stored(username: string, { database } = service) {
  const [user] = await database.query<{ id: number; hash: string; row: string }>(
    `select id, password_hash as hash, users::text as row from anagrafe.users where username = $1`,
    [username],
  );
  return user ?? { id: 0, hash: '', row: '' };
}

it('a password that is common and equal to the username gets both errors', async () => {
  expect((await register('Password123', 'password123')).codes).toEqual([
    'PASSWORD_COMMON',
    'PASSWORD_IS_USERNAME',
  ]);
});

describe('a stored password', () => {
  it('is an argon2id hash with a unique salt, and nothing else', async () => {
    const password = 'Tr0ub4dor and a stapler';
    const costly = await startTestService({ ANAGRAFE_HASH_PASSES: '2' });
    const records = ['hash.1', 'hash.2'].map((Username) => ({
      Name: Username,
      Users: [{ Username, ...withPassword(password) }],
    }));
    expect((await costly.call('irs/insert', records)).status).toBe(200);
    const users = [await stored('hash.1', costly), await stored('hash.2', costly)];
    for (const { hash, row } of users) {
      expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
      expect(await verify(hash, password)).toBe(true);
      expect(await verify(hash, 'Tr0ub4dor and a stapleR')).toBe(false);
      expect(row.toLowerCase()).not.toContain('stapler');
    }
    expect(users[0]?.hash).not.toBe(users[1]?.hash);
  });

  it('is the hash of the normalised form: composed letters, ASCII spaces', async () => {
    await update({ Username: 'form', ...withPassword('perche\u0301\u00a0no, davvero') });
    expect(await verify((await stored('form')).hash, 'perch\u00e9 no, davvero')).toBe(true);
  });

  it('preserves case, width and outer spaces, and is never truncated', async () => {
    const password = `  Ｗｉｄｅ ${'x'.repeat(119)}  `;
    expect([...password]).toHaveLength(128);
    await update({ Username: 'kept', ...withPassword(password) });
    const { hash } = await stored('kept');
    expect(await verify(hash, password)).toBe(true);
    expect(await verify(hash, password.trim())).toBe(false);
    expect(await verify(hash, password.slice(0, 127))).toBe(false);
  });
});

describe('the length of a password', () => {
  it.each([
    ['7 letters', 'kzqwvxj', 'PASSWORD_TOO_SHORT'],
    ['no characters', '', 'PASSWORD_TOO_SHORT'],
    ['7 characters of two units each', '🦊🐻🐼🐨🐯🦁🐮', 'PASSWORD_TOO_SHORT'],
    ['7 letters and a combining accent', 'kzqwvxe\u0301', 'PASSWORD_TOO_SHORT'],
    ['129 letters', `${'kz'.repeat(64)}q`, 'PASSWORD_TOO_LONG'],
    ['a hundred thousand letters', 'k'.repeat(100_000), 'PASSWORD_TOO_LONG'],
  ])('is refused with %s', async (_, password, code) => {
    expect((await register('length.no', password)).codes).toEqual([code]);
  });

  it.each([
    ['eight', 'kzqwvxjy'],
    ['128', 'kz'.repeat(64)],
    ['eight.pairs', '🦊🐻🐼🐨🐯🦁🐮🐷'],
    ['128.pairs', '🦊🐻'.repeat(64)],
  ])('is accepted with %s characters', async (name, password) => {
    expect((await register(`length.${name}`, password)).status).toBe(200);
  });
});

describe('a guessable password', () => {
  it.each(['password1', 'PASSWORD1', '12345678', 'qwertyuiop', 'iloveyou', 'Football', 'sunshine'])(
    'is refused if it is one of the most common: %s',
    async (password) => {
      expect((await register('guess.common', password)).codes).toEqual(['PASSWORD_COMMON']);
    },
  );

  it.each(['aaaaaaaa', '        ', 'ｐａｓｓｗｏｒｄ', 'password '])(
    'is refused if it is a variant of a common one: "%s"',
    async (password) => {
      expect((await register('guess.common', password)).codes).toEqual(['PASSWORD_COMMON']);
    },
  );

  it.each([
    ['the username', 'verdi.giuseppe', 'verdi.giuseppe', undefined, 'PASSWORD_IS_USERNAME'],
    ['the username in another case', 'Verdi.Giuseppe', 'vERDI.gIUSEPPE', undefined, 'PASSWORD_IS_USERNAME'],
    [
      'a wide username as sent',
      'Ｇｉｕｓｅｐｐｅ．Ｖ',
      'Ｇｉｕｓｅｐｐｅ．Ｖ',
      undefined,
      'PASSWORD_IS_USERNAME',
    ],
    ['the username in another width', 'verdi.gius', 'ｖｅｒｄｉ.ｇｉｕｓ', undefined, 'PASSWORD_IS_USERNAME'],
    ['the email', 'verdi', 'Giuseppe@Verdi.example', 'giuseppe@verdi.example', 'PASSWORD_IS_EMAIL'],
    ['the local part of the email', 'verdi', 'GIUSEPPE.V', 'giuseppe.v@example.com', 'PASSWORD_IS_EMAIL'],
  ])('is refused if it equals %s', async (_, username, password, Email, code) => {
    expect((await register(username, password, { Email })).codes).toEqual([code]);
  });

  it('is refused in a reset by comparison with the stored username and email', async () => {
    await update(newUser('Puccini.Giacomo', { Email: 'g.puccini@lucca.example' }));
    const { id } = await stored('Puccini.Giacomo');
    const codes = async (password: string) =>
      (await update({ ID: id, ...withPassword(password) })).errors['Users[0].Password']?.map(
        ({ code }) => code,
      );
    expect(await codes('puccini.giacomo')).toEqual(['PASSWORD_IS_USERNAME']);
    expect(await codes('ｐｕｃｃｉｎｉ.ｇｉａｃｏｍｏ')).toEqual(['PASSWORD_IS_USERNAME']);
    expect(await codes('G.Puccini@Lucca.Example')).toEqual(['PASSWORD_IS_EMAIL']);
    expect(await codes('G.PUCCINI')).toEqual(['PASSWORD_IS_EMAIL']);
    expect(await codes('password1')).toEqual(['PASSWORD_COMMON']);
    expect(await codes('puccini.giacomo 1858')).toBeUndefined();
  });
});

describe('ConfirmPassword', () => {
  it('is required and must equal the password exactly', async () => {
    const confirm = async (ConfirmPassword: unknown) =>
      (await update(newUser('confirm', { ConfirmPassword }))).errors['Users[0].ConfirmPassword']?.[0]?.code;
    expect(await confirm('Correct horse battery')).toBe('PASSWORD_MISMATCH');
    expect(await confirm('correct horse battery ')).toBe('PASSWORD_MISMATCH');
    expect(await confirm('')).toBe('PASSWORD_MISMATCH');
    expect(await confirm(null)).toBe('REQUIRED');
    expect(await confirm(1)).toBe('WRONG_TYPE');
  });
});

describe('a refused record', () => {
  async function hashes(): Promise<number> {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    const counts = [...text.matchAll(/^anagrafe_hash_duration_seconds_count\S* (\d+)/gm)].map((match) =>
      Number(match[1]),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  it('causes no password hashing, neither for its invalid users nor for its valid ones', async () => {
    await update(newUser('costs'));
    const before = await hashes();
    expect(before).toBeGreaterThan(0);
    await service.call('irs/update', [
      {
        ID: principal,
        Users: [newUser('good.1'), newUser('good.2'), { Username: 'bad', ...withPassword('x') }],
      },
      { ID: 999_999, Users: [newUser('good.3')] },
      { ID: principal, Users: [newUser('costs')] },
      { ID: principal, Users: [{ ID: 999_999, ...withPassword('a long sentence') }] },
    ]);
    expect(await hashes()).toBe(before);
    await service.call('irs/update', [
      { ID: 999_999, Users: [newUser('x')] },
      { ID: principal, Users: [newUser('y')] },
    ]);
    expect(await hashes()).toBe(before + 1);
  });
});

describe('a password', () => {
  it('is refused if it contains a control character', async () => {
    expect((await register('control', 'bell\u0007 and whistles')).codes).toEqual(['PASSWORD_CHARACTERS']);
    expect((await register('nul', 'zero\u0000terminated')).codes).toEqual(['PASSWORD_CHARACTERS']);
  });

  it('never appears in an answer or in the log', async () => {
    const marks = [
      'Zyx',
      'zyxwvut',
      'zyxwvut-secret-phrase',
      `zyxwvut${'z'.repeat(200)}`,
      'zyxwvut\u0001zyxwvut',
    ];
    const answers = await Promise.all([
      ...marks.map((mark) => update({ Username: 'echo', Password: mark, ConfirmPassword: `${mark}!` })),
      ...marks.map((mark) => update({ ID: 1, Password: mark, ConfirmPassword: `${mark}!` })),
      update({ Username: 'echo.ok', ...withPassword('zyxwvut-secret-phrase') }),
      update({ Username: 'zyxwvut\u0002', ...withPassword('zyxwvut-secret-phrase') }),
      update({ Password: ['zyxwvut'], ConfirmPassword: { zyxwvut: 'zyxwvut' } }),
    ]);
    for (const { text } of answers) expect(text.toLowerCase()).not.toContain('zyx');
    const torn = await fetch(`${service.url}/api/sync/v1/irs/update`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `[{"ID":${principal},"Users":[{"Username":"echo","Password":"zyxwvut-secret`,
    });
    expect(torn.status).toBe(400);
    expect((await torn.text()).toLowerCase()).not.toContain('zyx');
    expect(service.log.join('\n').toLowerCase()).not.toContain('zyx');
  });
});
