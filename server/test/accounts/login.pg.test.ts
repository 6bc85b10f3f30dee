import { userFields } from '@anagrafe/client';
import { holding } from '@anagrafe/testing/jobs';
import {
  asUser,
  login,
  loginOf,
  ownHash,
  registerUsers,
  rightPassword,
  signedIn,
} from '@anagrafe/testing/login';
import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { hash as bcrypt } from '@node-rs/bcrypt';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { countHashProfiles } from '../../src/accounts/decoy-hashes.store.ts';
import { graceSeconds } from '../../src/accounts/sessions.store.ts';
import { answerLimitMs } from '../../src/db/database.ts';
import { HashThread } from '../../src/passwords/hash-thread.ts';

let service: TestService;
let principal: number;
let mario: number;

beforeAll(async () => {
  service = await startTestService();
  const made = await registerUsers(service, 'Mario.Rossi', 'anna', 'disabled.one');
  principal = made.principal;
  mario = made.ids[0] ?? 0;
  await lengthenGraceTime();
  await service.call('irs/state', [{ ID: principal, Users: [{ ID: made.ids[2] ?? 0, State: 'disabled' }] }]);
});

/** Makes the time in which a refresh can be repeated an hour longer, so that it does not end while a slow test runs. */
async function lengthenGraceTime(): Promise<void> {
  await service.database.query(`create function lengthen_grace_time() returns trigger language plpgsql as $body$
    begin
      new.spent_at := new.spent_at + interval '1 hour';
      return new;
    end $body$`);
  await service.database.query(
    `create trigger lengthen_grace_time before update on anagrafe.sessions for each row
       when (old.spent_at is null and new.spent_at is not null) execute function lengthen_grace_time()`,
  );
}

const refreshed = (RefreshToken: string) => service.call('login/refresh', { RefreshToken });
const ownList = (token: string, init = {}) =>
  service.call<{ ID: number; Users: { ID: number }[] }>(
    'irs/list',
    {},
    { headers: { AccessToken: token }, ...init },
  );

describe('a login', () => {
  it('returns the user, two opaque tokens and the expiry of the access token', async () => {
    const before = Date.now();
    const { status, body, headers } = await login(service, 'MARIO.ROSSI');
    expect(status).toBe(200);
    expect(body).toEqual({
      statusCode: 200,
      errorCode: null,
      message: null,
      result: {
        totalCount: 0,
        totalPages: 0,
        page: 1,
        count: 0,
        records: [],
        record: {
          IRID: principal,
          UserID: mario,
          Username: 'Mario.Rossi',
          Denomination: 'Principal 1',
          Surname: null,
          Name: null,
          ...Object.fromEntries(Object.keys(userFields).map((name) => [name, null])),
          Token: expect.stringMatching(/^agt_[0-9A-Za-z]{49}$/),
          RefreshToken: expect.stringMatching(/^agr_[0-9A-Za-z]{49}$/),
          TokenExpiration: expect.any(String),
        },
      },
      debug: null,
    });
    expect(headers.get('cache-control')).toBe('no-store');
    const { TokenExpiration } = loginOf(body);
    const lifetime = 15 * 60_000;
    expect(Date.parse(TokenExpiration)).toBeGreaterThanOrEqual(before - 1 + lifetime);
    expect(Date.parse(TokenExpiration)).toBeLessThanOrEqual(Date.now() + lifetime);
  });

  it('gets the same answer for an unknown user, a wrong password and a disabled user', async () => {
    const answers = await Promise.all([
      login(service, 'nobody.at.all'),
      login(service, 'anna', 'not the password'),
      login(service, 'disabled.one'),
      login(service, 'not\u0000a username'),
    ]);
    for (const { status, text } of answers) {
      expect(status).toBe(401);
      expect(text).toBe(answers[0]?.text);
    }
    expect(answers[0]?.body).toMatchObject({ errorCode: 'UNAUTHENTICATED', result: null });
  });

  it('sets LastLoginAt of the user, and does not change UpdatedAt', async () => {
    const before = Date.now();
    const { RefreshToken: _, ...record } = await signedIn(service, 'anna');
    const { body } = await service.call<{ LastLoginAt: string | null; UpdatedAt: string; CreatedAt: string }>(
      'irs/users',
      { Username: 'anna' },
    );
    const [user] = body.result?.records ?? [];
    expect(Date.parse(user?.LastLoginAt ?? '')).toBeGreaterThanOrEqual(before - 1);
    expect(user?.UpdatedAt).toBe(user?.CreatedAt);
    expect(record.UserID).toBeGreaterThan(0);
  });

  it.each([
    [{ Username: 'anna' }, 'INVALID_PARAMETER'],
    [{ Username: 'anna', Password: '' }, 'INVALID_PARAMETER'],
    [{ Username: 'anna', Password: 7 }, 'INVALID_PARAMETER'],
    [{ username: 'anna', Password: 'x' }, 'INVALID_PARAMETER'],
    [{ Username: 'anna', Password: 'x', More: 1 }, 'INVALID_PARAMETER'],
    [[], 'INVALID_BODY'],
  ])('is refused with an invalid body: %j', async (body, code) => {
    const answer = await service.call('login', body);
    expect([answer.status, answer.body.errorCode]).toEqual([400, code]);
  });

  it('replaces an imported hash by one of the service', async () => {
    const PasswordHash = await bcrypt('the old password', 10);
    const record = { ID: principal, Users: [{ Username: 'imported', PasswordHash }] };
    expect((await service.call('irs/update', [record])).status).toBe(200);
    expect((await login(service, 'imported', 'wrong')).status).toBe(401);
    expect(await storedHash('imported')).toBe(PasswordHash);
    expect((await login(service, 'imported', 'the old password')).status).toBe(200);
    expect(await storedHash('imported')).toMatch(ownHash(service));
    expect((await login(service, 'imported', 'the old password')).status).toBe(200);
  });
});

describe('the password of an unknown user', () => {
  /** Returns the hash that the service verifies at a login, with its first parameters. */
  async function verifiedHash(at: TestService, username: string): Promise<string> {
    const run = vi.spyOn(HashThread.prototype, 'run');
    expect((await login(at, username, 'wrong')).status).toBe(401);
    const hashes = run.mock.calls.flatMap(([work]) => ('hash' in work ? [work.hash] : [work.kind]));
    run.mockRestore();
    return hashes.join();
  }

  it('is verified against hashes of the formats and costs that are stored, as often as these', async () => {
    const own = await startTestService();
    const [ID = 0] = await insertPrincipals(own, 1);
    const identityV2 = Buffer.alloc(49, 7).fill(0, 0, 1).toString('base64');
    const passlib = `$pbkdf2-sha256$29000$${'a'.repeat(21)}A$${'a'.repeat(42)}A`;
    const hashes = [`$2a$08$${'e'.repeat(53)}`, identityV2, passlib];
    const Users = Array.from({ length: 30 }, (_, n) => ({
      Username: `imported.${n}`,
      PasswordHash: hashes[n % 3],
    }));
    expect((await own.call('irs/insert', [{ Denomination: 'Rossi Srl', Users }])).status).toBe(200);
    expect((await own.call('irs/update', [{ ID, Users: [newUser('own')] }])).status).toBe(200);
    expect(await countHashProfiles(own.database)).toEqual([
      { example: hashes[0], count: 10 },
      { example: expect.stringMatching(ownHash(own)), count: 1 },
      { example: hashes[2], count: 10 },
      { example: identityV2, count: 10 },
    ]);
    // The service counts the stored hashes when it starts.
    const restarted = await startTestService({ ANAGRAFE_DATABASE_URL: own.config.DATABASE_URL ?? '' });
    const verified = [];
    for (let n = 0; n < 24; n++) verified.push(await verifiedHash(restarted, `unknown.${n}`));
    for (const kind of [/^\$2b\$08\$/, /^verify pbkdf2$/])
      expect(verified.filter((hash) => kind.test(hash)).length).toBeGreaterThan(2);
    expect(await verifiedHash(restarted, 'unknown.0')).toBe(verified[0]);
    expect(await verifiedHash(restarted, 'imported.0')).toBe(hashes[0]);
  });
});

async function storedHash(username: string): Promise<string | undefined> {
  const [row] = await service.database.query<{ hash: string }>(
    'select password_hash as hash from anagrafe.users where username_key = $1',
    [username],
  );
  return row?.hash;
}

describe('the tokens of a session', () => {
  it('are stored only as digests', async () => {
    const { Token, RefreshToken } = await signedIn(service, 'anna');
    const rows = await service.database.query('select sessions::text as row from anagrafe.sessions');
    const text = JSON.stringify(rows);
    for (const secret of [Token, RefreshToken]) expect(text).not.toContain(secret.slice(4, 40));
    expect(JSON.stringify(service.log)).not.toContain(Token.slice(4, 40));
  });

  it('appear in the log with the ID of the user, never with the username', async () => {
    const { Token } = await signedIn(service, 'Mario.Rossi');
    await ownList(Token);
    await expect.poll(() => service.log.join('')).toContain(`"client":"user ${mario}"`);
    expect(service.log.join('').toLowerCase()).not.toContain('mario.rossi');
  });

  it('are accepted in AccessToken and as a bearer token, and any other value is refused', async () => {
    const { Token } = await signedIn(service, 'anna');
    expect((await ownList(Token)).status).toBe(200);
    expect((await ownList('', { headers: { authorization: `Bearer ${Token}` } })).status).toBe(200);
    for (const wrong of [`${Token}x`, Token.slice(0, -1), 'agt_x', '']) {
      const { status, body } = await ownList(wrong);
      expect([status, body.errorCode]).toEqual([401, 'UNAUTHENTICATED']);
    }
  });

  it('are refused after they expire', async () => {
    const { Token, RefreshToken } = await signedIn(service, 'anna');
    await service.database.query(
      `update anagrafe.sessions set token_expires_at = now() where user_id = (select id from anagrafe.users where username_key = 'anna')`,
    );
    expect((await ownList(Token)).status).toBe(401);
    expect((await refreshed(RefreshToken)).status).toBe(200);
    await service.database.query('update anagrafe.sessions set refresh_expires_at = now()');
    expect((await refreshed(RefreshToken)).status).toBe(401);
  });

  /** Ends the time in which a refresh can be repeated. */
  const endGraceTime = () =>
    service.database.query(
      `update anagrafe.sessions set spent_at = now() - interval '${graceSeconds} seconds' where spent_at is not null`,
    );

  it('can be refreshed once; a later use of the refresh token ends all sessions of that login', async () => {
    const first = await signedIn(service, 'anna');
    const second = loginOf((await refreshed(first.RefreshToken)).body);
    expect(second.Token).not.toBe(first.Token);
    expect((await ownList(second.Token)).status).toBe(200);
    const other = await signedIn(service, 'anna');
    await endGraceTime();
    const again = await refreshed(first.RefreshToken);
    expect([again.status, again.body.errorCode]).toEqual([401, 'UNAUTHENTICATED']);
    expect((await ownList(second.Token)).status).toBe(401);
    expect((await refreshed(second.RefreshToken)).status).toBe(401);
    expect((await ownList(other.Token)).status).toBe(200);
  });

  it('can be refreshed once more within seconds, because the answer may have been lost', async () => {
    const { RefreshToken } = await signedIn(service, 'anna');
    expect((await refreshed(RefreshToken)).status).toBe(200);
    const repeated = loginOf((await refreshed(RefreshToken)).body);
    expect((await ownList(repeated.Token)).status).toBe(200);
    await endGraceTime();
    const next = await refreshed(repeated.RefreshToken);
    expect(next.status).toBe(200);
    expect((await ownList(loginOf(next.body).Token)).status).toBe(200);
  });

  it('can be refreshed once more after the time in which the service notices that the database hangs', async () => {
    const { RefreshToken } = await signedIn(service, 'anna');
    expect((await refreshed(RefreshToken)).status).toBe(200);
    // A statement that takes longer than the limit, and so the whole test, would fail by itself.
    await service.database.query(
      `update anagrafe.sessions set spent_at = now() - make_interval(secs => $1) where spent_at is not null`,
      [answerLimitMs / 1000],
    );
    expect((await refreshed(RefreshToken)).status).toBe(200);
    expect((await refreshed(RefreshToken)).status).toBe(401);
  });

  it('end after a repeated refresh if the first pair of tokens is used, which somebody has received', async () => {
    const { RefreshToken } = await signedIn(service, 'anna');
    const received = loginOf((await refreshed(RefreshToken)).body);
    const repeated = loginOf((await refreshed(RefreshToken)).body);
    expect((await refreshed(received.RefreshToken)).status).toBe(401);
    for (const { Token } of [received, repeated]) expect((await ownList(Token)).status).toBe(401);
    expect((await refreshed(repeated.RefreshToken)).status).toBe(401);
  });

  it('end if a refresh is repeated after the next one', async () => {
    const { RefreshToken } = await signedIn(service, 'anna');
    const second = loginOf((await refreshed(RefreshToken)).body);
    const third = loginOf((await refreshed(second.RefreshToken)).body);
    expect((await refreshed(RefreshToken)).status).toBe(401);
    expect((await ownList(third.Token)).status).toBe(401);
  });

  it('are refreshed by two of many concurrent requests, and then all of them are invalid', async () => {
    const { RefreshToken } = await signedIn(service, 'anna');
    const answers = await Promise.all(Array.from({ length: 8 }, () => refreshed(RefreshToken)));
    const good = answers.filter(({ status }) => status === 200);
    expect(good).toHaveLength(2);
    for (const { body } of good) expect((await ownList(loginOf(body).Token)).status).toBe(401);
  });

  it('are invalid after a logout, and those of another login stay valid', async () => {
    const one = await signedIn(service, 'anna');
    const other = await signedIn(service, 'anna');
    const out = await service.call('logout', undefined, asUser(one));
    expect([out.status, out.body.result?.record]).toEqual([200, null]);
    expect((await ownList(one.Token)).status).toBe(401);
    expect((await refreshed(one.RefreshToken)).status).toBe(401);
    expect((await ownList(other.Token)).status).toBe(200);
    expect((await service.call('logout', {}, {})).status).toBe(401);
  });

  it('are invalid if the user is reset or disabled while they are being created', async () => {
    const { principal, ids } = await registerUsers(service, 'raced');
    const racedUser = ids[0];
    const changes = [
      ['irs/update', [{ ID: racedUser, Password: rightPassword, ConfirmPassword: rightPassword }]],
      ['irs/state', [{ ID: racedUser, State: 'disabled' }]],
    ] as const;
    for (const [path, Users] of changes) {
      await signedIn(service, 'raced');
      const raced = `agt_${path}`;
      const opening = [
        `insert into anagrafe.sessions (user_id, family, user_epoch, principal_epoch, token_digest, refresh_digest,
                                        token_expires_at, refresh_expires_at)
         select user_id, family, user_epoch, principal_epoch, sha256($1), sha256($2), token_expires_at, refresh_expires_at
           from anagrafe.sessions where user_id = $3 limit 1`,
        Buffer.from(raced),
        Buffer.from(`agr_${path}`),
        racedUser,
      ] as const;
      await holding(service, opening, async () => {
        expect((await service.call(path, [{ ID: principal, Users }])).status).toBe(200);
      });
      await service.call('irs/state', [{ ID: principal, Users: [{ ID: racedUser, State: 'active' }] }]);
      expect((await ownList(raced)).status).toBe(401);
      expect((await refreshed(`agr_${path}`)).status).toBe(401);
    }
  });

  it('are all invalid after a password reset of their user', async () => {
    const { principal, ids } = await registerUsers(service, 'reset.later');
    const one = await signedIn(service, 'reset.later');
    const other = await signedIn(service, 'reset.later');
    const anna = await signedIn(service, 'anna');
    const Users = [{ ID: ids[0], Password: 'a new long sentence', ConfirmPassword: 'a new long sentence' }];
    expect((await service.call('irs/update', [{ ID: principal, Users }])).status).toBe(200);
    for (const { Token, RefreshToken } of [one, other]) {
      expect((await ownList(Token)).status).toBe(401);
      expect((await refreshed(RefreshToken)).status).toBe(401);
    }
    expect((await ownList(anna.Token)).status).toBe(200);
    expect((await login(service, 'reset.later', rightPassword)).status).toBe(401);
    expect((await login(service, 'reset.later', 'a new long sentence')).status).toBe(200);
  });
});
