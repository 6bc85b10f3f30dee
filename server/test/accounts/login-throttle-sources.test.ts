import { type Credential, credential } from '@anagrafe/testing/admin';
import { importedUser } from '@anagrafe/testing/jobs';
import { lengthenWaits, rightPassword } from '@anagrafe/testing/login';
import { range } from '@anagrafe/testing/records';
import { removeAllExpired } from '@anagrafe/testing/retention';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

/**
 * The test process is a trusted proxy, so that `X-Forwarded-For` sets the address of each attempt. On a slow machine more
 * than a hundred attempts at once take longer than the default wait.
 */
const settings = { ANAGRAFE_TRUST_PROXY: '127.0.0.1', ANAGRAFE_MAX_WAIT_SECONDS: '600' };

let service: TestService;
let portal: Credential;

beforeAll(async () => {
  service = await startTestService(settings);
  await lengthenWaits(service);
  portal = await credential(service, { name: 'portal', scopes: ['sync:write'] });
});

/** Inserts a principal with these users, whose password is `rightPassword`. Each test uses new users and addresses. */
async function register(...names: string[]): Promise<void> {
  const Users = names.map((name) => importedUser(name));
  const records = [{ Denomination: 'Rossi Srl', Users }];
  const { status, text } = await service.call('irs/insert', records, { headers: portal });
  expect(status, text).toBe(200);
}

const otherAddress = (n: number) => `203.0.113.${n}`;

async function attempt(Username: string, Password: string, address: string): Promise<number> {
  const headers = { 'x-forwarded-for': address };
  return (await service.call('login', { Username, Password }, { headers })).status;
}

const guess = (name: string, address: string) => attempt(name, 'a wrong guess', address);
const signIn = (name: string, address: string) => attempt(name, rightPassword, address);

/** Sends `count` concurrent guesses, each from its own address. Returns the number of guesses that were verified. */
async function guessFromEverywhere(name: string, count: number): Promise<number> {
  const statuses = await Promise.all(range(count).map((n) => guess(name, otherAddress(n))));
  expect(statuses.filter((status) => status !== 401 && status !== 429)).toEqual([]);
  return statuses.filter((status) => status === 401).length;
}

/** Keeps the counter of guesses at an account above its limit. It decays by one guess per minute, and a test may be slow. */
async function holdAccountCounter(name: string): Promise<void> {
  await service.database.query(
    `update anagrafe.throttles set failures = 1000
      where failures > 90 and user_id = (select id from anagrafe.users where username = $1)`,
    [name],
  );
}

describe('the right password', () => {
  it('is accepted from any other address while one address guesses', async () => {
    await register('mario.one');
    const statuses = await Promise.all(range(13).map(() => guess('mario.one', '198.51.100.66')));
    expect(statuses).toContain(429);
    expect(await signIn('mario.one', '198.51.100.66')).toBe(429);
    expect(await signIn('mario.one', '198.51.100.7')).toBe(200);
  });

  it('is accepted from an earlier sign-in address while many addresses guess at the account', async () => {
    await register('mario.two');
    expect(await signIn('mario.two', '198.51.101.7')).toBe(200);
    const verified = await guessFromEverywhere('mario.two', 140);
    expect(verified).toBeGreaterThanOrEqual(100);
    expect(verified).toBeLessThan(140);
    await holdAccountCounter('mario.two');
    // The addresses that have guessed before are throttled as well.
    expect(await guessFromEverywhere('mario.two', 140)).toBe(0);
    expect(await signIn('mario.two', '198.51.101.7')).toBe(200);
  });

  it('has to wait at most a minute from a new address while many guess, and others cannot extend the wait', async () => {
    await register('mario.three');
    await guessFromEverywhere('mario.three', 130);
    await holdAccountCounter('mario.three');
    const headers = { 'x-forwarded-for': '198.51.102.7' };
    const body = { Username: 'mario.three', Password: rightPassword };
    const first = await service.call('login', body, { headers });
    expect(first.status).toBe(429);
    expect(Number(first.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    const waits = () =>
      service.database.query(
        `select key, waits_until::text from anagrafe.throttles
          where user_id = (select id from anagrafe.users where username = 'mario.three') order by key`,
      );
    const before = await waits();
    // Neither a retry during the wait nor guesses from other addresses change its end.
    for (const _ of range(3)) expect((await service.call('login', body, { headers })).status).toBe(429);
    expect(await waits()).toEqual(before);
    for (const n of range(3)) expect(await guess('mario.three', otherAddress(200 + n))).toBe(429);
    expect(await waits()).toEqual(expect.arrayContaining(before));
    await service.database.query('update anagrafe.throttles set waits_until = now()');
    expect((await service.call('login', body, { headers })).status).toBe(200);
  });

  it('is accepted from an earlier sign-in address after many guesses at other accounts from there', async () => {
    await register('mario.four', 'anna.four');
    expect(await signIn('mario.four', '198.51.103.7')).toBe(200);
    const statuses = await Promise.all(range(90).map((n) => guess(`four ${n}`, '198.51.103.7')));
    expect(statuses).toContain(429);
    expect(await signIn('anna.four', '198.51.103.7')).toBe(429);
    expect(await signIn('mario.four', '198.51.103.7')).toBe(200);
  });
});

describe('an address from which a user has signed in', () => {
  it('has to wait at most a minute after wrong guesses at that user', async () => {
    await register('mario.known');
    expect(await signIn('mario.known', '198.51.121.7')).toBe(200);
    for (const _ of range(15)) {
      expect(await guess('mario.known', '198.51.121.7')).toBe(401);
      await service.database.query('update anagrafe.throttles set waits_until = now()');
    }
    const waits = await service.database.query<{ seconds: number }>(
      `select seconds from chosen_waits
        where user_id = (select id from anagrafe.users where username = 'mario.known') order by id`,
    );
    expect(waits.map(({ seconds }) => seconds)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60]);
  });

  it('is deleted by a password reset', async () => {
    await register('mario.reset');
    expect(await signIn('mario.reset', '198.51.124.7')).toBe(200);
    const [user] = await service.database.query<{ id: number; principal: number }>(
      `select id, principal_id as principal from anagrafe.users where username = 'mario.reset'`,
    );
    const sources = () =>
      service.database.query('select from anagrafe.sign_in_sources where user_id = $1', [user?.id]);
    expect(await sources()).toHaveLength(1);
    const passwords = { Password: rightPassword, ConfirmPassword: rightPassword };
    const records = [{ ID: user?.principal, Users: [{ ID: user?.id, ...passwords }] }];
    expect((await service.call('irs/update', records, { headers: portal })).status).toBe(200);
    expect(await sources()).toEqual([]);
  });

  it('is deleted after 90 days without a sign-in', async () => {
    await register('mario.old');
    expect(await signIn('mario.old', '198.51.120.7')).toBe(200);
    const age = (days: number) =>
      service.database.query(
        `update anagrafe.sign_in_sources set used_at = now() - make_interval(days => $1)
          where user_id = (select id from anagrafe.users where username = 'mario.old') returning 1`,
        [days],
      );
    const sweep = () => removeAllExpired(service.database);
    await age(89);
    await sweep();
    expect(await age(91)).toHaveLength(1);
    await sweep();
    expect(await age(0)).toEqual([]);
  });
});

describe('a throttled attempt', () => {
  it('stores no row if its address is throttled', async () => {
    const statuses = await Promise.all(range(90).map((n) => guess(`row ${n}`, '198.51.123.7')));
    expect(statuses).toContain(429);
    const rows = async () => (await service.database.query('select from anagrafe.throttles')).length;
    const before = await rows();
    for (const n of range(20)) expect(await guess(`further row ${n}`, '198.51.123.7')).toBe(429);
    expect(await rows()).toBe(before);
  });

  it('does not count as a failure of its address', async () => {
    await register('mario.five', 'anna.five');
    for (const _ of range(5)) expect(await guess('mario.five', '198.51.104.66')).toBe(401);
    const refused = await Promise.all(range(100).map(() => guess('mario.five', '198.51.104.66')));
    expect(refused.filter((status) => status === 429).length).toBeGreaterThan(90);
    expect(await signIn('anna.five', '198.51.104.66')).toBe(200);
  });

  it('is accepted after a password reset, even if its counter is older than the account', async () => {
    for (const _ of range(6)) await guess('early.six', '198.51.122.7');
    await register('early.six');
    expect(await signIn('early.six', '198.51.122.7')).toBe(429);
    await service.database.query('update anagrafe.throttles set waits_until = now()');
    expect(await guess('early.six', '198.51.122.7')).toBe(401);
    expect(await signIn('early.six', '198.51.122.7')).toBe(429);
    const [user] = await service.database.query<{ id: number; principal: number }>(
      `select id, principal_id as principal from anagrafe.users where username = 'early.six'`,
    );
    const passwords = { Password: rightPassword, ConfirmPassword: rightPassword };
    const records = [{ ID: user?.principal, Users: [{ ID: user?.id, ...passwords }] }];
    expect((await service.call('irs/update', records, { headers: portal })).status).toBe(200);
    expect(await signIn('early.six', '198.51.122.7')).toBe(200);
  });

  it('has to wait in the same way before and after the account exists', async () => {
    for (const _ of range(5)) expect(await guess('late.six', '198.51.105.66')).toBe(401);
    expect(await guess('late.six', '198.51.105.66')).toBe(429);
    await register('late.six');
    expect(await guess('late.six', '198.51.105.66')).toBe(429);
  });
});

describe('an API client that signs users in', () => {
  const through = async (Username: string, Password: string, more: object = {}) =>
    (await service.call('login', { Username, Password, ...more }, { headers: portal })).status;

  it('passes on the address of each user, whose guesses do not throttle other users of the client', async () => {
    await register('mario.seven', 'anna.seven');
    const guesses = range(90).map((n) =>
      through(`seven ${n}`, 'a wrong guess', { Address: '198.51.106.66' }),
    );
    expect(await Promise.all(guesses)).toContain(429);
    expect(await through('mario.seven', rightPassword, { Address: '198.51.106.66' })).toBe(429);
    expect(await through('mario.seven', rightPassword, { Address: '198.51.106.7' })).toBe(200);
    expect(await through('anna.seven', rightPassword, { Address: '2001:db8::7' })).toBe(200);
    expect(await through('anna.seven', rightPassword)).toBe(200);
  });

  it('causes audit rows with the address of the user', async () => {
    await register('mario.eight');
    await through('mario.eight', 'a wrong guess', { Address: '198.51.107.7' });
    const rows = await service.database.query(
      `select host(address) as address from anagrafe.audit_log where action = 'login.failed' and client_id is not null
          and host(address) like '%.7'`,
    );
    expect(rows).toEqual([{ address: '198.51.107.7' }]);
  });

  it('gets 400 for an invalid address', async () => {
    await register('mario.nine');
    for (const Address of ['mario.nine', '198.51.108.7:80', 7, '10.0.0.0/8', '', 'a'.repeat(5000)]) {
      const { status, body } = await service.call(
        'login',
        { Username: 'mario.nine', Password: rightPassword, Address },
        { headers: portal },
      );
      expect([status, body.errorCode]).toEqual([400, 'INVALID_PARAMETER']);
    }
  });

  it('needs the scope sync:write to pass on an address', async () => {
    await register('mario.eleven');
    const reader = await credential(service, { name: 'reader', scopes: ['sync:read'] });
    const body = { Username: 'mario.eleven', Password: rightPassword };
    const passedOn = { ...body, Address: '198.51.125.7' };
    expect((await service.call('login', passedOn, { headers: reader })).status).toBe(403);
    expect((await service.call('login', body, { headers: reader })).status).toBe(200);
  });

  it('is the only caller that may pass on an address', async () => {
    await register('mario.ten');
    const body = { Username: 'mario.ten', Password: rightPassword, Address: '198.51.109.7' };
    const { status, text } = await service.call('login', body);
    expect(status).toBe(403);
    expect(text).toContain('Only an API client can send');
  });
});
