import { randomUUID } from 'node:crypto';
import { adminOf, type Credential, credential, recordOf } from '@anagrafe/testing/admin';
import { asUser, loginOf, registerUsers, signedIn } from '@anagrafe/testing/login';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

interface Session {
  readonly ID: string;
  readonly SignedInAt: string;
  readonly RefreshedAt: string;
  readonly ExpiresAt: string;
}

let service: TestService;
let admin: ReturnType<typeof adminOf>;
let office: Credential;
let principal: number;
let mario: number;
let ids: ReadonlyMap<string, number>;
const names = ['mario', 'anna', 'pages', 'one.by.one', 'all.at.once', 'soon.disabled'];
const idOf = (name: string) => ids.get(name) ?? 0;

beforeAll(async () => {
  service = await startTestService();
  // In protected mode, which ends with the first API client.
  const made = await registerUsers(service, ...names);
  principal = made.principal;
  ids = new Map(names.map((name, index) => [name, made.ids[index] ?? 0]));
  mario = idOf('mario');
  admin = adminOf(service);
  office = await credential(service);
});

async function sessionsOf(user: number, query = ''): Promise<Session[]> {
  const { status, body } = await admin<Session>(`GET users/${user}/sessions${query}`, office);
  expect(status).toBe(200);
  return body.result?.records ?? [];
}

const isValid = async (Token: string) =>
  (await service.call('irs/list', {}, { headers: { AccessToken: Token } })).status === 200;
const endedRows = (user: number) =>
  service.database.query<{ principal_id: number; details: unknown; actor: string }>(
    `select principal_id, details, actor from anagrafe.audit_log
      where action = 'sessions.ended' and details ->> 'user' = $1 order by id`,
    [String(user)],
  );

describe('the sessions of a user', () => {
  it('are listed without tokens, the most recently used first, and stay the same after a refresh', async () => {
    const first = await signedIn(service, 'mario');
    const second = await signedIn(service, 'mario');
    await signedIn(service, 'anna');
    const before = await sessionsOf(mario);
    expect(before).toHaveLength(2);
    const refreshed = loginOf(
      (await service.call('login/refresh', { RefreshToken: first.RefreshToken })).body,
    );
    const after = await sessionsOf(mario);
    expect(after.map(({ ID }) => ID)).toEqual([before[1]?.ID, before[0]?.ID]);
    expect(after[0]?.SignedInAt).toBe(before[1]?.SignedInAt);
    expect(Date.parse(after[0]?.RefreshedAt ?? '')).toBeGreaterThan(Date.parse(after[0]?.SignedInAt ?? ''));
    const { text } = await admin(`GET users/${mario}/sessions`, office);
    for (const { Token, RefreshToken } of [first, second, refreshed])
      for (const token of [Token, RefreshToken]) expect(text).not.toContain(token);
    expect(Object.keys(after[0] ?? {})).toEqual(['ID', 'SignedInAt', 'RefreshedAt', 'ExpiresAt']);
  });

  it('are listed in pages', async () => {
    const user = idOf('pages');
    for (let count = 0; count < 3; count++) await signedIn(service, 'pages');
    const all = await sessionsOf(user);
    expect(all).toHaveLength(3);
    expect(await sessionsOf(user, '?pageSize=2&page=2')).toEqual(all.slice(2));
    const { body } = await admin(`GET users/${user}/sessions?pageSize=2`, office);
    expect(body.result).toMatchObject({ totalCount: 3, totalPages: 2, count: 2 });
  });

  it('can be ended one by one, and the audit log has the actor who ended them', async () => {
    const user = idOf('one.by.one');
    const kept = await signedIn(service, 'one.by.one');
    const ended = await signedIn(service, 'one.by.one');
    const [newest] = await sessionsOf(user);
    expect((await admin(`DELETE users/${user}/sessions/${newest?.ID}`, office)).status).toBe(200);
    expect([await isValid(kept.Token), await isValid(ended.Token)]).toEqual([true, false]);
    const refused = await service.call('login/refresh', { RefreshToken: ended.RefreshToken });
    expect(refused.status).toBe(401);
    expect(await sessionsOf(user)).toHaveLength(1);
    const again = await admin(`DELETE users/${user}/sessions/${newest?.ID}`, office);
    expect([again.status, again.body.errorCode]).toEqual([404, 'SESSION_NOT_FOUND']);
    expect(await endedRows(user)).toEqual([
      { principal_id: expect.any(Number), details: { user, sessions: 1 }, actor: 'client' },
    ]);
  });

  it('can be ended all at once, and the user can sign in again', async () => {
    const user = idOf('all.at.once');
    const logins = [await signedIn(service, 'all.at.once'), await signedIn(service, 'all.at.once')];
    const { status, ...answer } = await admin(`DELETE users/${user}/sessions`, office);
    expect([status, recordOf(answer as never)]).toEqual([200, { Ended: 2 }]);
    for (const { Token, RefreshToken } of logins) {
      expect(await isValid(Token)).toBe(false);
      expect((await service.call('login/refresh', { RefreshToken })).status).toBe(401);
    }
    expect(await sessionsOf(user)).toEqual([]);
    const next = await signedIn(service, 'all.at.once');
    expect(await isValid(next.Token)).toBe(true);
    expect((await endedRows(user)).map(({ details }) => details)).toEqual([{ user, sessions: 2 }]);
  });

  it('cannot be ended through the ID of another user', async () => {
    const { Token } = await signedIn(service, 'anna');
    const [session] = await sessionsOf(idOf('anna'));
    const { status } = await admin(`DELETE users/${mario}/sessions/${session?.ID}`, office);
    expect([status, await isValid(Token)]).toEqual([404, true]);
  });

  it('are not listed after the user is disabled', async () => {
    const user = idOf('soon.disabled');
    await signedIn(service, 'soon.disabled');
    const Users = [{ ID: user, State: 'disabled' }];
    await service.call('irs/state', [{ ID: principal, Users }], { headers: office });
    expect(await sessionsOf(user)).toEqual([]);
  });

  it.each([
    'GET users/999999/sessions',
    'DELETE users/999999/sessions',
    `DELETE users/1/sessions/${randomUUID()}`,
    'GET users/zero/sessions',
    'DELETE users/1/sessions/one',
  ])('get 404 if the user or session does not exist: %s', async (call) => {
    const { status, body } = await admin(call, office);
    expect([status, body.errorCode]).toEqual([404, 'SESSION_NOT_FOUND']);
  });

  it('can be ended without a new UpdatedAt of the principal or the user', async () => {
    const version = () =>
      service.database.query(
        'select principals.updated_at, users.updated_at as of_user from anagrafe.principals join anagrafe.users on principal_id = principals.id where users.id = $1',
        [mario],
      );
    const before = await version();
    const login = await signedIn(service, 'mario');
    await admin(`DELETE users/${mario}/sessions`, office);
    expect(await version()).toEqual(before);
    expect((await service.call('irs/list', { ID: principal }, asUser(login))).status).toBe(401);
  });
});
