import { randomUUID } from 'node:crypto';
import { asUser, type Login, loginOf, registerUsers, signedIn } from '@anagrafe/testing/login';
import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

interface Session {
  readonly ID: string;
  readonly Current: boolean;
}

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await registerUsers(service, 'lists', 'refreshes', 'ends.one', 'ends.all', 'other', 'attacker');
});

const send = (methodAndPath: string, who: Login) => {
  const [method = '', path = ''] = methodAndPath.split(' ');
  return service.call<Session>(path, undefined, { method, ...asUser(who) });
};
const sessionsOf = async (who: Login) => (await send('GET sessions', who)).body.result?.records ?? [];

describe('the sessions of a signed-in user', () => {
  it('are its own, and the one of the call is the current one', async () => {
    const first = await signedIn(service, 'lists');
    const second = await signedIn(service, 'lists');
    await signedIn(service, 'other');
    const seen = await sessionsOf(second);
    expect(seen.map(({ Current }) => Current)).toEqual([true, false]);
    expect((await sessionsOf(first)).map(({ ID, Current }) => [ID, Current])).toEqual(
      seen.map(({ ID, Current }) => [ID, !Current]),
    );
    const { body } = await send('GET sessions?pageSize=1&page=2', first);
    expect(body.result).toMatchObject({ totalCount: 2, count: 1, records: [{ Current: true }] });
    expect(JSON.stringify(seen)).not.toMatch(/ag[tr]_/);
  });

  it('have the same current session after a refresh', async () => {
    const { RefreshToken } = await signedIn(service, 'refreshes');
    const refreshed = loginOf((await service.call('login/refresh', { RefreshToken })).body);
    expect((await sessionsOf(refreshed)).map(({ Current }) => Current)).toEqual([true]);
  });

  it('can be ended one by one', async () => {
    const lost = await signedIn(service, 'ends.one');
    const kept = await signedIn(service, 'ends.one');
    const [, { ID } = { ID: '' }] = await sessionsOf(kept);
    expect((await send(`DELETE sessions/${ID}`, kept)).status).toBe(200);
    expect((await send('GET sessions', lost)).status).toBe(401);
    expect(await sessionsOf(kept)).toHaveLength(1);
    expect((await send(`DELETE sessions/${ID}`, kept)).body.errorCode).toBe('SESSION_NOT_FOUND');
  });

  it('can be ended all at once, with the one of the call', async () => {
    const other = await signedIn(service, 'ends.all');
    const own = await signedIn(service, 'ends.all');
    const { status, body } = await send('DELETE sessions', own);
    expect([status, body.result?.record]).toEqual([200, { Ended: 2 }]);
    for (const ended of [own, other]) expect((await send('GET sessions', ended)).status).toBe(401);
  });

  it('cannot be ended by another user', async () => {
    const attacker = await signedIn(service, 'attacker');
    const victim = await signedIn(service, 'other');
    const [{ ID } = { ID: '' }] = await sessionsOf(victim);
    for (const id of [ID, randomUUID()])
      expect((await send(`DELETE sessions/${id}`, attacker)).status).toBe(404);
    await send('DELETE sessions', attacker);
    expect((await send('GET sessions', victim)).status).toBe(200);
  });

  it('are not for a user that must change its password, and not for callers that are no users', async () => {
    const [ID] = await insertPrincipals(service, 1);
    await service.call('irs/update', [{ ID, Users: [newUser('temporary', { MustChangePassword: true })] }]);
    const temporary = await signedIn(service, 'temporary');
    for (const call of ['GET sessions', 'DELETE sessions'])
      expect((await send(call, temporary)).body.errorCode).toBe('FORBIDDEN');
    for (const method of ['GET', 'DELETE'])
      expect((await service.call('sessions', undefined, { method })).status).toBe(401);
  });
});
