import { done } from '@anagrafe/testing/jobs';
import { ownHash } from '@anagrafe/testing/login';
import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { verifyPassword } from '@anagrafe/testing/verify-password';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let principal: number;
let serial = 0;

beforeAll(async () => {
  service = await startTestService();
  [principal = 0] = await insertPrincipals(service, 1);
});

const sentence = 'correct horse battery';
/** Hashes of `sentence` in every supported format. */
const hashes = {
  argon2id:
    '$argon2id$v=19$m=4096,t=1,p=1$ABEiM0RVZneImaq7zN3u/w$aRfxV/z/PUcQTza43CDqD/zKMUv5my86yjbzPVvYvDs',
  argon2i: '$argon2i$v=19$m=4096,t=3,p=1$ABEiM0RVZneImaq7zN3u/w$K6SRHOAdFE+BokArrLQRB7CwWLdHplZxkQ6+ISV2abQ',
  bcrypt: '$2y$08$./CgKyPTXlcGkYo5xL1s9uYOhbMFXy.1HbNgbljVPN7I4Ax4mSRbi',
  'PBKDF2 as PHC':
    '$pbkdf2-sha256$i=10000,l=32$ABEiM0RVZneImaq7zN3u/w$0i75DFX/ljSwdoWubgvMAUg1txXQKK0dBfy8LcAPgyc',
  'PBKDF2 by passlib':
    '$pbkdf2-sha512$10000$ABEiM0RVZneImaq7zN3u/w$CV9/02LgVEIc93DMybplqdun6YLeOf1D28CdAGsNZwb9wOHsiEyv0cQZMVlHpRD6weeW6AOkkcttym9kTOl52w',
  'PBKDF2 by Django': 'pbkdf2_sha256$10000$seasalt2$uyeefYrli+rXPOIOe4EY3w3Xnt0SFLZD+g0YcsGytx4=',
  'ASP.NET Identity v2': 'AAARIjNEVWZ3iJmqu8zd7v8EMLWmEoubqVfLwSvfUc1myNWQ0mO7HKttEMQw/1xAyg==',
  'ASP.NET Core Identity v3':
    'AQAAAAIAACcQAAAAEAARIjNEVWZ3iJmqu8zd7v8JX3/TYuBUQhz3cMzJumWp26fpgt45/UPbwJ0Aaw1nBg==',
};
const { argon2id, bcrypt } = hashes;

async function storedHash(username: string): Promise<string> {
  const [user] = await service.database.query<{ hash: string }>(
    'select password_hash as hash from anagrafe.users where username = $1',
    [username],
  );
  return user?.hash ?? '';
}

/** Sends a record with this user. Returns the error codes by place, and the text of the answer. */
async function fieldErrorsOf(user: Record<string, unknown>, path = 'irs/update') {
  const record = path === 'irs/update' ? { ID: principal } : { Name: 'Owner' };
  const { body, text } = await service.call(path, [{ ...record, Users: [user] }]);
  const places = Object.entries(body.result?.records[0]?.Item5 ?? {});
  return {
    errors: Object.fromEntries(places.map(([at, found]) => [at, found.map(({ code }) => code)])),
    text,
  };
}

async function hashCounts(): Promise<string[] | null> {
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  return metrics.match(/^anagrafe_hash_duration_seconds_count.*$/gm);
}

describe('a registration with a PasswordHash', () => {
  it.each(Object.entries(hashes))(
    'stores the hash as sent, and the password verifies: %s',
    async (form, PasswordHash) => {
      const users = [{ Username: form, Email: 'moved@example.com', PasswordHash }];
      const { status, body } = await service.call('irs/update', [{ ID: principal, Users: users }], {
        headers: { prefer: 'return=representation' },
      });
      expect(status).toBe(200);
      expect(body.result?.records[0]?.Item6.Users).toEqual([
        { ID: expect.any(Number), Username: form, Email: 'moved@example.com', Operation: 'register' },
      ]);
      const stored = await storedHash(form);
      expect(stored).toBe(PasswordHash);
      expect(await verifyPassword(sentence, stored)).toBe(true);
      expect(await verifyPassword(`${sentence} `, stored)).toBe(false);
    },
  );

  it('may be mixed with registrations with a password, in irs/insert and in a job', async () => {
    const mixed = [
      { Username: 'moved in', PasswordHash: bcrypt, Password: null, ConfirmPassword: null },
      newUser('newly made', { PasswordHash: null }),
    ];
    const inserted = await service.call('irs/insert', [{ Name: 'New', Users: mixed }]);
    expect(inserted.status).toBe(200);
    expect(await storedHash('moved in')).toBe(bcrypt);
    expect(await storedHash('newly made')).toMatch(ownHash(service));
    const users = [{ Username: 'moved by a job', PasswordHash: argon2id }, newUser('made by a job')];
    const tuples = await done(service, 'irs/update', [{ ID: principal, Users: users }]);
    expect(tuples.map((tuple) => tuple.Item3)).toEqual([true]);
    expect(await storedHash('moved by a job')).toBe(argon2id);
    expect(await verifyPassword(sentence, await storedHash('made by a job'))).toBe(true);
  });

  it('causes no password hashing', async () => {
    const before = await hashCounts();
    const users = Array.from({ length: 30 }, () => ({ Username: `cheap ${++serial}`, PasswordHash: bcrypt }));
    expect((await service.call('irs/update', [{ ID: principal, Users: users }])).status).toBe(200);
    expect((await service.call('irs/update', [{ ID: principal, Users: users.slice(0, 1) }])).status).toBe(
      422,
    );
    expect(await hashCounts()).toEqual(before);
  });

  it('never returns the hash in an answer', async () => {
    const user = { Username: 'never shown', PasswordHash: argon2id };
    const init = { headers: { prefer: 'return=representation' } };
    const answers = [
      await service.call('irs/update', [{ ID: principal, Users: [user] }], init),
      await service.call('irs/update', [{ ID: principal, Users: [user] }], init),
      await service.call('irs/users', { Username: 'never shown' }),
      await service.call('irs/list', { ID: principal }),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([200, 422, 200, 200]);
    for (const { text } of answers) expect(text).not.toContain('$argon2');
  });
});

describe('a PasswordHash', () => {
  it.each([
    ['Password', ['Password']],
    ['ConfirmPassword', ['ConfirmPassword']],
    ['both', ['Password', 'ConfirmPassword']],
  ])('is refused together with %s', async (_, names) => {
    const user = {
      Username: `beside ${names.length}`,
      PasswordHash: bcrypt,
      ...Object.fromEntries(names.map((name) => [name, sentence])),
    };
    const { errors } = await fieldErrorsOf(user);
    expect(errors).toEqual(
      Object.fromEntries(names.map((name) => [`Users[0].${name}`, ['PASSWORD_BESIDE_HASH']])),
    );
    expect((await fieldErrorsOf(user, 'irs/insert')).errors).toEqual(errors);
  });

  it('is refused as an unknown field of a reset', async () => {
    const registered = { Username: 'with a hash already', PasswordHash: bcrypt };
    await service.call('irs/update', [{ ID: principal, Users: [registered] }]);
    const [user] = await service.database.query<{ id: number }>(
      'select id from anagrafe.users where username = $1',
      [registered.Username],
    );
    const before = await service.database.query('select password_hash from anagrafe.users order by id');
    const { errors } = await fieldErrorsOf({ ID: user?.id, PasswordHash: bcrypt });
    expect(errors).toEqual({
      'Users[0].PasswordHash': ['UNKNOWN_FIELD'],
      'Users[0].Password': ['REQUIRED'],
      'Users[0].ConfirmPassword': ['REQUIRED'],
    });
    const beside = { ID: user?.id, PasswordHash: bcrypt, Password: sentence, ConfirmPassword: sentence };
    expect((await fieldErrorsOf(beside)).errors).toEqual({ 'Users[0].PasswordHash': ['UNKNOWN_FIELD'] });
    expect(await service.database.query('select password_hash from anagrafe.users order by id')).toEqual(
      before,
    );
  });

  it.each([
    ['is not a hash', 'hunter2hunter2', 'PASSWORD_HASH_INVALID'],
    ['is the password', sentence, 'PASSWORD_HASH_INVALID'],
    ['is empty', '', 'PASSWORD_HASH_INVALID'],
    ['has an unsupported format', '5f4dcc3b5aa765d61d8327deb882cf99', 'PASSWORD_HASH_INVALID'],
    ['is truncated', bcrypt.slice(0, -1), 'PASSWORD_HASH_INVALID'],
    ['is not a string', 7, 'WRONG_TYPE'],
    ['is an object', { hash: bcrypt }, 'WRONG_TYPE'],
    ['has too low a cost', bcrypt.replace('$08$', '$07$'), 'PASSWORD_HASH_COST'],
    ['has too high a cost', bcrypt.replace('$08$', '$15$'), 'PASSWORD_HASH_COST'],
    ['has too little memory', argon2id.replace('m=4096', 'm=4095'), 'PASSWORD_HASH_COST'],
    ['has too much memory', argon2id.replace('m=4096', 'm=1048576'), 'PASSWORD_HASH_COST'],
    ['has too many passes', argon2id.replace('t=1', 't=1000000'), 'PASSWORD_HASH_COST'],
    ['has too few iterations', hashes['PBKDF2 as PHC'].replace('i=10000', 'i=9999'), 'PASSWORD_HASH_COST'],
  ])('that %s is refused, and the answer does not contain it', async (about, PasswordHash, code) => {
    const { errors, text } = await fieldErrorsOf({ Username: `one that ${about}`, PasswordHash });
    expect(errors).toEqual({ 'Users[0].PasswordHash': [code] });
    if (typeof PasswordHash === 'string' && PasswordHash !== '') expect(text).not.toContain(PasswordHash);
    expect(await storedHash(`one that ${about}`)).toBe('');
  });

  it('with a cost out of bounds is refused with the cost and the bounds', async () => {
    const { text } = await fieldErrorsOf({
      Username: 'too dear',
      PasswordHash: bcrypt.replace('$08$', '$15$'),
    });
    expect(text).toContain('This bcrypt hash has a cost of 15. Allowed: 8 to 14.');
  });

  it('that is invalid causes the refusal of its record only', async () => {
    const { status, body } = await service.call('irs/update', [
      { ID: principal, Users: [newUser('with a bad one'), { Username: 'bad one', PasswordHash: 'x' }] },
      { ID: principal, Users: [{ Username: 'good one', PasswordHash: bcrypt }] },
    ]);
    expect([status, body.result?.records.map((tuple) => tuple.Item2)]).toEqual([
      207,
      ['INVALID_USERS', null],
    ]);
    expect(await storedHash('with a bad one')).toBe('');
  });
});
