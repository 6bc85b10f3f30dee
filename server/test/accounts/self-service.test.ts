import { holding } from '@anagrafe/testing/jobs';
import { asUser, type Login, login, registerUsers, rightPassword, signedIn } from '@anagrafe/testing/login';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let principal: number;
let ids: number[];
let otherPrincipal: { principal: number; ids: number[] };
let me: Login;

beforeAll(async () => {
  service = await startTestService();
  ({ principal, ids } = await registerUsers(service, 'me', 'colleague'));
  otherPrincipal = await registerUsers(service, 'other');
  me = await signedIn(service, 'me');
});

const newPassword = 'a new long sentence';
const item = (more: Record<string, unknown> = {}) => ({
  ID: ids[0],
  Password: newPassword,
  ConfirmPassword: newPassword,
  CurrentPassword: rightPassword,
  ...more,
});
const update = (body: unknown, init: { headers?: Record<string, string> } = {}, path = 'irs/update') =>
  service.call(path, body, { headers: { ...asUser(me).headers, ...init.headers } });

describe('a signed-in user', () => {
  it('may only read its own record and change its own password', async () => {
    const bodies = [
      [{ ID: principal, Users: [item({ ID: ids[1] })] }],
      [{ ID: otherPrincipal.principal, Users: [item({ ID: otherPrincipal.ids[0] })] }],
      [{ ID: otherPrincipal.principal, Users: [item()] }],
      [{ ID: principal, Users: [item(), item({ ID: ids[1] })] }],
      [
        { ID: principal, Users: [item()] },
        { ID: principal, Users: [item()] },
      ],
      [{ ID: principal, Users: [{ Username: 'new', Password: newPassword, ConfirmPassword: newPassword }] }],
      [{ ID: principal, Users: [item({ Username: 'me' })] }],
      [{ ID: principal, Users: [item({ Operation: 'edit', Email: 'new@example.com' })] }],
      [{ ID: principal, Users: [{ Operation: 'edit', ID: ids[0], State: 'active' }] }],
      [{ ID: principal, Users: [{ Operation: 'delete', ID: ids[0] }] }],
      [{ ID: principal, Users: [{ Operation: 'reset', ID: ids[0], PasswordHash: 'x' }] }],
      [{ ID: principal, Denomination: 'Mine', Users: [item()] }],
      [{ ID: principal, NewExternalKey: 'mine', Users: [item()] }],
      [{ ID: principal, State: 'disabled', Users: [item()] }],
      [{ ID: principal, ExternalKey: 'mine', Users: [item()] }],
      [{ ID: principal, AddedLater: true, Users: [item()] }],
      [{ ID: principal, Users: [item({ PasswordHash: 'x' })] }],
      [{ ID: principal, Users: [item({ Email: 'new@example.com' })] }],
      [{ ID: principal, Users: [item({ AddedLater: true })] }],
      [{ ID: principal, Users: [] }],
      [1],
      {},
    ];
    for (const body of bodies) {
      const { status, body: envelope } = await update(body);
      expect([status, envelope.errorCode]).toEqual([403, 'FORBIDDEN']);
    }
    const record = [{ ID: principal, Users: [item()] }];
    const others = [
      update(record, { headers: { 'idempotency-key': 'k' } }),
      update(record, { headers: { prefer: 'respond-async' } }),
      update(record, {}, 'irs/update?dryRun=true'),
      update([{ Denomination: 'x' }], {}, 'irs/insert'),
      update([{ ID: principal, State: 'disabled' }], {}, 'irs/state'),
      update([{ ID: principal }], {}, 'irs/delete'),
      update({}, {}, 'irs/users'),
    ];
    for (const { status, body } of await Promise.all(others))
      expect([status, body.errorCode]).toEqual([403, 'FORBIDDEN']);
    for (const path of ['jobs', 'events']) {
      const response = await fetch(`${service.url}/api/sync/v1/${path}`, asUser(me));
      expect(response.status).toBe(403);
    }
    expect((await login(service, 'me')).status).toBe(200);
    expect((await login(service, 'colleague')).status).toBe(200);
  });

  it('sees only its own principal, and only itself among the users', async () => {
    const list = (body: unknown) =>
      service.call<{ ID: number; Users: { Username: string }[] }>('irs/list', body, asUser(me));
    const { status, body } = await list({});
    expect(status).toBe(200);
    expect(body.result).toMatchObject({ totalCount: 1, count: 1 });
    expect(body.result?.records.map(({ ID }) => ID)).toEqual([principal]);
    expect(body.result?.records[0]?.Users.map(({ Username }) => Username)).toEqual(['me']);
    expect(body.result?.records[0]).toMatchObject({ UsersCount: 1 });
    for (const other of [{ ID: otherPrincipal.principal }, { Page: 2 }])
      expect((await list(other)).body.result?.records).toEqual([]);
    // A search would reveal how the usernames of other users of the principal begin.
    expect((await list({ Search: 'c' })).status).toBe(403);
  });

  it('needs its current password to change it', async () => {
    for (const [CurrentPassword, code] of [
      [undefined, 'REQUIRED'],
      [null, 'REQUIRED'],
      [7, 'WRONG_TYPE'],
      ['not the one', 'CURRENT_PASSWORD_WRONG'],
    ]) {
      const { status, body } = await update([{ ID: principal, Users: [item({ CurrentPassword })] }]);
      expect(status).toBe(422);
      expect(body.result?.records[0]?.Item5).toEqual({
        'Users[0].CurrentPassword': [{ code, message: expect.any(String) }],
      });
    }
    const short = await update([{ ID: principal, Users: [item({ Password: 'x', ConfirmPassword: 'x' })] }]);
    expect(Object.keys(short.body.result?.records[0]?.Item5 ?? {})).toEqual(['Users[0].Password']);
    expect((await login(service, 'me')).status).toBe(200);
  });

  it('does not overwrite a reset that is committed during its own password change', async () => {
    const colleague = await signedIn(service, 'colleague');
    const [stored] = await service.database.query<{ hash: string }>(
      'select password_hash as hash from anagrafe.users where id = $1',
      [ids[0]],
    );
    const lock = [
      'update anagrafe.users set password_hash = $2 where id = $1',
      ids[1],
      stored?.hash,
    ] as const;
    const own = await holding(service, lock, async ({ blocked }) => {
      const call = service.call(
        'irs/update',
        [{ ID: principal, Users: [item({ ID: ids[1] })] }],
        asUser(colleague),
      );
      // The call has verified the current password against the committed hash, and waits for the row lock.
      await blocked(1);
      return { call };
    });
    expect((await own.call).status).toBe(503);
    const [after] = await service.database.query<{ hash: string }>(
      'select password_hash as hash from anagrafe.users where id = $1',
      [ids[1]],
    );
    expect(after?.hash).toBe(stored?.hash);
  });

  it('gets the documented answer for a new password, and all of its sessions end', async () => {
    const own = await registerUsers(service, 'changing');
    const [one, other] = [await signedIn(service, 'changing'), await signedIn(service, 'changing')];
    const { status, body } = await service.call(
      'irs/update',
      [{ ID: own.principal, Users: [item({ ID: own.ids[0] })] }],
      asUser(one),
    );
    expect(status).toBe(200);
    expect(body.result?.records).toEqual([
      { Item1: own.principal, Item2: null, Item3: true, Item4: null, Item5: {}, Item6: {} },
    ]);
    for (const login of [one, other])
      expect((await service.call('irs/list', {}, asUser(login))).status).toBe(401);
    expect((await login(service, 'changing')).status).toBe(401);
    expect((await login(service, 'changing', newPassword)).status).toBe(200);
  });
});

describe('the field CurrentPassword', () => {
  it('is unknown in a reset by an API client', async () => {
    const { body } = await service.call('irs/update', [{ ID: principal, Users: [item()] }]);
    expect(body.result?.records[0]?.Item5['Users[0].CurrentPassword']?.[0]?.code).toBe('UNKNOWN_FIELD');
  });
});
