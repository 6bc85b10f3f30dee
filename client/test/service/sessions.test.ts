import { startGateway } from '@anagrafe/testing/gateway';
import { lengthenWaits, registerUsers, rightPassword } from '@anagrafe/testing/login';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import { Anagrafe } from '../../src/index.ts';

let service: TestService;
let anagrafe: Anagrafe;

beforeAll(async () => {
  service = await startTestService();
  anagrafe = new Anagrafe({ url: service.url });
  await lengthenWaits(service);
  await registerUsers(service, 'mario', 'luigi', 'peach');
});

const signIn = (Username: string, Password = rightPassword) => anagrafe.login({ Username, Password });

describe('a signed-in user', () => {
  it('reads itself, refreshes its tokens and signs out', async () => {
    const login = await signIn('mario');
    expect(login).toMatchObject({ Username: 'mario', Token: expect.stringMatching(/^agt_/) });
    const mario = anagrafe.as(login);
    const { records } = await mario.list().page();
    expect(records).toMatchObject([{ ID: login.IRID, Users: [{ ID: login.UserID, Username: 'mario' }] }]);
    const next = await mario.refresh(login.RefreshToken);
    expect(next.Token).not.toBe(login.Token);
    await anagrafe.as(next).logout();
    await expect(anagrafe.as(next).list().page()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    await expect(mario.users().page()).rejects.toMatchObject({ status: 401 });
  });

  it('can refresh its tokens after the access token has expired', async () => {
    const login = await signIn('mario');
    const late = anagrafe.as({ Token: `agt_${'x'.repeat(43)}` });
    await expect(late.list().page()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(await late.refresh(login.RefreshToken)).toMatchObject({ UserID: login.UserID });
  });

  it('can change its password only with the current one', async () => {
    const login = await signIn('luigi');
    const luigi = anagrafe.as(login);
    await expect(luigi.changePassword(login, 'not this one', 'a new sentence')).rejects.toMatchObject({
      name: 'RecordError',
      fieldErrors: { 'Users[0].CurrentPassword': [{ code: 'CURRENT_PASSWORD_WRONG' }] },
    });
    await luigi.changePassword(login, rightPassword, 'a new sentence');
    await expect(signIn('luigi')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(await signIn('luigi', 'a new sentence')).toMatchObject({ UserID: login.UserID });
  });

  it('sends a password change, a refresh and a login only once, even if the answer is lost', async () => {
    const gateway = await startGateway(service.url);
    const through = new Anagrafe({ url: gateway.url });
    const login = await signIn('peach');
    gateway.networkFaults = ['lost answer', 'lost answer', 'lost answer'];
    const peach = through.as(login);
    for (const work of [
      () => peach.refresh(login.RefreshToken),
      () => peach.changePassword(login, rightPassword, 'a new sentence'),
      () => through.login({ Username: 'peach', Password: rightPassword }),
    ]) {
      await expect(work()).rejects.toMatchObject({ code: 'CONNECTION_FAILED', idempotencyKey: null });
    }
    expect(gateway.seen.map(({ path, headers }) => [path, headers['idempotency-key']])).toEqual([
      ['/api/sync/v1/login/refresh', undefined],
      ['/api/sync/v1/irs/update', undefined],
      ['/api/sync/v1/login', undefined],
    ]);
  });

  it('gets RATE_LIMITED with retryAfter after too many wrong passwords, without a retry', async () => {
    await registerUsers(service, 'toad');
    for (let guess = 0; guess < 5; guess++) {
      await expect(signIn('toad', 'a wrong guess')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    }
    await expect(signIn('toad')).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      status: 429,
      retryAfter: expect.any(Number),
    });
  });
});
