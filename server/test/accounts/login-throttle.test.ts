import {
  asUser,
  lengthenWaits,
  login,
  registerUsers,
  rightPassword,
  signedIn,
} from '@anagrafe/testing/login';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let principal: number;
let ids: number[];

beforeAll(async () => {
  service = await startTestService();
  await lengthenWaits(service);
  ({ principal, ids } = await registerUsers(
    service,
    'many',
    'slow',
    'cleared',
    'forgiven',
    'own',
    'other',
    'later',
  ));
});

const forgetSource = () => service.database.query('delete from anagrafe.throttles where user_id is null');
const guess = (name: string) => login(service, name, 'a wrong guess');

describe('guesses at one account', () => {
  it('are counted one by one when sent concurrently: five are verified, the others get 429', async () => {
    await forgetSource();
    const answers = await Promise.all(Array.from({ length: 45 }, () => guess('many')));
    const tried = answers.filter(({ status }) => status === 401);
    const refused = answers.filter(({ status }) => status === 429);
    expect([tried.length, refused.length]).toEqual([5, 40]);
    for (const { headers, body } of refused) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(body).toMatchObject({
        statusCode: 429,
        errorCode: 'RATE_LIMITED',
        message: expect.stringMatching(/^Too many wrong passwords/),
      });
    }
    // The right password is throttled as well: a different answer would reveal that it is right.
    expect((await login(service, 'MANY')).status).toBe(429);
    expect((await login(service, 'other')).status).toBe(200);
  });

  it('have to wait twice as long each time, up to 15 minutes', async () => {
    await forgetSource();
    for (let n = 0; n < 5; n++) expect((await guess('slow')).status).toBe(401);
    for (let n = 0; n < 14; n++) {
      const { status, headers } = await guess('slow');
      expect(status).toBe(429);
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      await service.database.query('update anagrafe.throttles set waits_until = now()');
      expect((await guess('slow')).status).toBe(401);
    }
    const chosen = await service.database.query<{ seconds: number }>(
      'select seconds from chosen_waits where user_id = $1 order by id',
      [ids[1]],
    );
    const doubled = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
    expect(chosen.map(({ seconds }) => seconds)).toEqual([...doubled, ...Array(5).fill(900)]);
    await service.database.query('update anagrafe.throttles set waits_until = now()');
    expect((await login(service, 'slow')).status).toBe(200);
    expect((await guess('slow')).status).toBe(401);
  });

  it('are no longer counted after a successful login or a password reset', async () => {
    await forgetSource();
    for (let n = 0; n < 4; n++) await guess('forgiven');
    expect((await login(service, 'forgiven')).status).toBe(200);
    for (let n = 0; n < 4; n++) expect((await guess('forgiven')).status).toBe(401);

    for (let n = 0; n < 6; n++) await guess('cleared');
    expect((await login(service, 'cleared')).status).toBe(429);
    const Users = [{ ID: ids[2], Password: rightPassword, ConfirmPassword: rightPassword }];
    expect((await service.call('irs/update', [{ ID: principal, Users }])).status).toBe(200);
    expect((await login(service, 'cleared')).status).toBe(200);
  });

  it('are throttled in the same way for an unknown username', async () => {
    await forgetSource();
    for (let n = 0; n < 5; n++) expect((await guess('unknown')).status).toBe(401);
    expect((await guess('Unknown')).status).toBe(429);
  });

  it('include wrong CurrentPassword values of a signed-in user', async () => {
    await forgetSource();
    const own = await signedIn(service, 'own');
    const attempt = (CurrentPassword: string) =>
      service.call(
        'irs/update',
        [
          {
            ID: principal,
            Users: [
              {
                ID: own.UserID,
                Password: 'a new long sentence',
                ConfirmPassword: 'a new long sentence',
                CurrentPassword,
              },
            ],
          },
        ],
        asUser(own),
      );
    for (let n = 0; n < 5; n++) expect((await attempt('a wrong one')).status).toBe(422);
    expect((await attempt('a wrong one')).status).toBe(429);
    expect((await attempt(rightPassword)).status).toBe(429);
  });
});

describe('guesses from one address', () => {
  it('are throttled across accounts, without throttling the accounts', async () => {
    await forgetSource();
    await service.database.query('delete from anagrafe.throttles');
    expect((await login(service, 'other')).status).toBe(200);
    const answers = await Promise.all(Array.from({ length: 80 }, (_, n) => guess(`someone ${n}`)));
    // The throttle allows 50 failures, and its counter decays every second, so that a slow machine tries a few more.
    const tried = answers.filter(({ status }) => status === 401).length;
    expect(tried).toBeGreaterThanOrEqual(50);
    expect(tried).toBeLessThan(80);
    expect((await login(service, 'later')).status).toBe(429);
    // This user has signed in from this address before.
    expect((await login(service, 'other')).status).toBe(200);
    const counted = await service.database.query(
      'select failures from anagrafe.throttles where failures > 1',
    );
    expect(counted).toHaveLength(1);
    await forgetSource();
    expect((await login(service, 'later')).status).toBe(200);
  });

  it('are stored without the username that was typed', async () => {
    await forgetSource();
    expect((await login(service, 'my secret password', 'x')).status).toBe(401);
    const rows = await service.database.query<{ row: string }>(
      'select t::text as row from anagrafe.throttles as t',
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(Buffer.from('secret').toString('hex'));
    expect(JSON.stringify(rows)).not.toContain('secret');
  });
});
