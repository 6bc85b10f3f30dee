import { adminOf, type Credential, credential, recordOf } from '@anagrafe/testing/admin';
import { allHashed } from '@anagrafe/testing/audit-chain';
import { stopClock } from '@anagrafe/testing/clock';
import { finished, importedUser, submit } from '@anagrafe/testing/jobs';
import { asUser, loginOf, registerUsers, rightPassword, signedIn } from '@anagrafe/testing/login';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

const figures = [
  'Calls',
  'Jobs',
  'RecordsFailed',
  'PrincipalsInserted',
  'UsersRegistered',
  'PasswordsReset',
] as const;
type Span = { readonly Start: string } & Record<(typeof figures)[number], number>;
interface Statistics {
  readonly Hours: Span[];
  readonly Days: Span[];
  readonly Sessions: number;
  readonly Hashing: { readonly HashesPerSecond: number; readonly Capacity: number };
}

let service: TestService;
let admin: ReturnType<typeof adminOf>;
let office: Credential;

/** Makes four calls and one job: four principals, three users, two resets and three failed records. */
beforeAll(async () => {
  service = await startTestService();
  admin = adminOf(service);
  await insertPrincipals(service, 3);
  const { principal, ids } = await registerUsers(service, 'mario', 'anna');
  await signedIn(service, 'mario');
  const missing = { ID: 999_999, Users: [importedUser('unknown')] };
  const passwords = { Password: rightPassword, ConfirmPassword: rightPassword };
  const resets = ids.map((ID) => ({ ID, ...passwords }));
  await service.call('irs/update', [{ ID: principal, Users: resets }, missing]);
  const records = [{ ID: principal, Users: [importedUser('luigi')] }, missing, missing];
  await finished(service, await submit(service, 'irs/update', records));
  office = await credential(service);
});

const done = [4, 1, 3, 4, 3, 2];
const read = async () => recordOf<Statistics>(await admin('GET statistics', office));
const sums = (spans: Span[]) => figures.map((name) => spans.reduce((total, span) => total + span[name], 0));

describe('statistics', () => {
  it('contain the numbers of principals, users and sessions and the state of the hash queue', async () => {
    expect(await read()).toMatchObject({
      Principals: 4,
      Users: 3,
      Sessions: expect.any(Number),
      PendingRows: expect.any(Number),
      JobsQueued: 0,
      JobsRunning: 0,
      Hashing: {
        WaitingInteractive: 0,
        WaitingBulk: 0,
        Running: 0,
        HashesPerSecond: expect.any(Number),
        Capacity: expect.any(Number),
      },
    });
  });

  it('count a refreshed session once, until its user signs out', async () => {
    const { Sessions: before } = await read();
    const first = await signedIn(service, 'anna');
    const refreshed = await service.call('login/refresh', { RefreshToken: first.RefreshToken });
    expect(refreshed.status).toBe(200);
    expect((await read()).Sessions).toBe(before + 1);
    const out = await service.call('logout', undefined, asUser(loginOf(refreshed.body)));
    expect(out.status).toBe(200);
    expect((await read()).Sessions).toBe(before);
  });

  it('contain the recent hash rate and the hash capacity', async () => {
    stopClock();
    await signedIn(service, 'mario');
    const { Hashing } = await read();
    expect(Hashing.HashesPerSecond).toBeGreaterThan(0);
    expect(Hashing.Capacity).toBeGreaterThan(0);
  });

  it('have all of the last 24 hours and 30 days, including those without a call', async () => {
    const before = Date.now();
    const { Hours, Days } = await read();
    const after = Date.now();
    const steps = (spans: Span[]) =>
      spans.slice(1).map(({ Start }, at) => Date.parse(Start) - Date.parse(spans[at]?.Start ?? ''));
    expect([Hours.length, Days.length]).toEqual([24, 30]);
    expect(new Set(steps(Hours))).toEqual(new Set([3_600_000]));
    expect(new Set(steps(Days))).toEqual(new Set([86_400_000]));
    expect(Days.every(({ Start }) => Start.endsWith('T00:00:00.000Z'))).toBe(true);
    expect(sums(Days.slice(0, 1))).toEqual([0, 0, 0, 0, 0, 0]);
    const hour = 3_600_000;
    const lastHour = Date.parse(Hours.at(-1)?.Start ?? '') / hour;
    expect(lastHour).toBeGreaterThanOrEqual(Math.floor(before / hour));
    expect(lastHour).toBeLessThanOrEqual(Math.floor(after / hour));
  });

  it('count an audit row once, before and after it gets its position in the hash chain', async () => {
    const atOnce = await read();
    await allHashed(service);
    const later = await read();
    for (const { Hours, Days } of [atOnce, later]) {
      expect(sums(Hours)).toEqual(done);
      // Only the last three days: another test adds a row that is three days old.
      expect(sums(Days.slice(-3))).toEqual(done);
    }
  });

  it('count an audit row on the day of its timestamp, and omit rows older than 30 days', async () => {
    const [inserted] = await service.database.query<{ at: Date }>(
      `insert into anagrafe.audit_log (at, actor, action, details)
       select now() - make_interval(days => days), 'client', 'call.completed', '{"recordsFailed": 7}'
         from unnest(array[3, 40]) as days returning at`,
    );
    const day = `${inserted?.at.toISOString().slice(0, 10)}T00:00:00.000Z`;
    for (let round = 1; round <= 2; round++) {
      const { Hours, Days } = await read();
      expect(sums(Hours)).toEqual(done);
      expect(Days.find(({ Start }) => Start === day)).toMatchObject({
        Calls: 1,
        Jobs: 0,
        RecordsFailed: 7,
        UsersRegistered: 0,
      });
      expect(sums(Days)[0]).toBe(5);
      await allHashed(service);
    }
  });
});
