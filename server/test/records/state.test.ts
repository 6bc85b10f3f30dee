import { asUser, login, registerUsers, rightPassword, signedIn } from '@anagrafe/testing/login';
import { fieldCodes, representation } from '@anagrafe/testing/records';
import { newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let serial = 0;

beforeAll(async () => {
  service = await startTestService();
});

/** Registers two users under a new principal. */
async function two() {
  const names = [`first ${++serial}`, `second ${serial}`];
  const { principal, ids } = await registerUsers(service, ...names);
  return { principal, one: ids[0] ?? 0, other: ids[1] ?? 0, names };
}

const set = (...records: unknown[]) => service.call('irs/state', records);
const applied = (ID: number) => ({ Item1: ID, Item2: null, Item3: true, Item4: null, Item5: {}, Item6: {} });

async function statesOf(principal: number) {
  const { body } = await service.call<{ State: string; Users: { State: string }[] }>('irs/list', {
    ID: principal,
  });
  const [record] = body.result?.records ?? [];
  return [record?.State, ...(record?.Users ?? []).map(({ State }) => State)];
}

describe('a disabled user', () => {
  it('cannot sign in and loses its sessions until it is enabled, and other users keep theirs', async () => {
    const { principal, one, names } = await two();
    const [first = '', second = ''] = names;
    const gone = await signedIn(service, first);
    const stays = await signedIn(service, second);
    const { status, body } = await set({ ID: principal, Users: [{ ID: one, State: 'disabled' }] });
    expect([status, body.result?.records]).toEqual([200, [applied(principal)]]);
    expect(await statesOf(principal)).toEqual(['active', 'disabled', 'active']);
    expect((await login(service, first)).status).toBe(401);
    expect((await service.call('irs/list', {}, asUser(gone))).status).toBe(401);
    expect((await service.call('irs/list', {}, asUser(stays))).status).toBe(200);
    await set({ ID: principal, Users: [{ ID: one, State: 'active' }] });
    expect((await login(service, first)).status).toBe(200);
    expect((await service.call('irs/list', {}, asUser(gone))).status).toBe(401);
  });

  it('stays disabled after a password reset', async () => {
    const { principal, one, names } = await two();
    await set({ ID: principal, Users: [{ ID: one, State: 'disabled' }] });
    const Users = [{ ID: one, Password: 'a new long sentence', ConfirmPassword: 'a new long sentence' }];
    expect((await service.call('irs/update', [{ ID: principal, Users }])).status).toBe(200);
    expect((await login(service, names[0] ?? '', 'a new long sentence')).status).toBe(401);
    await set({ ID: principal, Users: [{ ID: one, State: 'active' }] });
    expect((await login(service, names[0] ?? '', 'a new long sentence')).status).toBe(200);
  });
});

describe('a disabled principal', () => {
  it('refuses sign-ins and registrations, and accepts password resets', async () => {
    const { principal, one, names } = await two();
    const session = await signedIn(service, names[0] ?? '');
    await set({ ID: principal, State: 'disabled' });
    expect(await statesOf(principal)).toEqual(['disabled', 'active', 'active']);
    for (const name of names) expect((await login(service, name)).status).toBe(401);
    expect((await service.call('irs/list', {}, asUser(session))).status).toBe(401);
    const reset = { ID: one, Password: rightPassword, ConfirmPassword: rightPassword };
    const registered = await service.call('irs/update', [
      { ID: principal, Users: [newUser(`new ${serial}`)] },
    ]);
    expect([registered.status, registered.body.errorCode]).toEqual([422, 'PRINCIPAL_DISABLED']);
    expect(registered.body.result?.records[0]).toMatchObject({ Item2: 'PRINCIPAL_DISABLED', Item3: false });
    const mixed = await service.call('irs/update', [
      { ID: principal, Users: [reset, newUser(`new ${serial}`)] },
    ]);
    expect(mixed.body.errorCode).toBe('PRINCIPAL_DISABLED');
    expect((await service.call('irs/update', [{ ID: principal, Users: [reset] }])).status).toBe(200);
    await set({ ID: principal, State: 'active' });
    expect((await login(service, names[0] ?? '')).status).toBe(200);
  });

  it('can have active and disabled users, whose states are set in one record', async () => {
    const { principal, one, other } = await two();
    const Users = [
      { ID: other, State: 'disabled' },
      { ID: one, State: 'active' },
    ];
    const { body } = await service.call(
      'irs/state',
      [{ ID: principal, State: 'disabled', Users }],
      representation,
    );
    expect(body.result?.records[0]?.Item6.Users?.map(({ ID, Operation }) => [ID, Operation])).toEqual([
      [other, 'state'],
      [one, 'state'],
    ]);
    expect(await statesOf(principal)).toEqual(['disabled', 'active', 'disabled']);
  });
});

describe('a record of irs/state', () => {
  it('is refused as a whole, with all of its field errors', async () => {
    const { principal, one } = await two();
    const otherPrincipal = await two();
    const { status, body } = await set(
      {
        ID: principal,
        Users: [
          { ID: one, State: 'disabled' },
          { ID: otherPrincipal.one, State: 'disabled' },
        ],
      },
      { ID: principal, State: 'gone' },
      { ID: principal },
      { ID: 999_999, State: 'disabled' },
      {
        ID: principal,
        Users: [{ ID: one, State: 'active' }, { ID: one, State: 'disabled' }, { ID: 'x' }, 7],
      },
      { State: 'disabled', Extra: 1 },
      { ID: principal, Users: {} },
    );
    expect(status).toBe(422);
    expect(body.result?.records.map(fieldCodes)).toEqual([
      { 'Users[1].ID': ['USER_NOT_FOUND'] },
      { State: ['INVALID_STATE'] },
      { State: ['REQUIRED'] },
      { ID: ['PRINCIPAL_NOT_FOUND'] },
      {
        'Users[1].ID': ['DUPLICATE_USER'],
        'Users[2].ID': ['INVALID_ID'],
        'Users[2].State': ['REQUIRED'],
        'Users[3]': ['WRONG_TYPE'],
      },
      { ID: ['REQUIRED'], Extra: ['UNKNOWN_FIELD'] },
      { Users: ['WRONG_TYPE'], State: ['REQUIRED'] },
    ]);
    expect(await statesOf(principal)).toEqual(['active', 'active', 'active']);
  });

  it('can name its principal by the external key, and its users by their usernames', async () => {
    const { principal, one, other, names } = await two();
    const ExternalKey = `state ${serial}`;
    await service.call('irs/update', [{ ID: principal, NewExternalKey: ExternalKey }]);
    const Users = [
      { Username: names[1], State: 'disabled' },
      { ID: one, State: 'disabled' },
    ];
    const { status, body } = await service.call(
      'irs/state',
      [{ ExternalKey, State: 'disabled', Users }],
      representation,
    );
    expect([status, body.result?.records[0]?.Item1]).toEqual([200, principal]);
    expect(body.result?.records[0]?.Item6).toEqual({
      Users: [other, one].map((ID, n) => ({
        ID,
        Username: names[1 - n],
        Email: null,
        Operation: 'state',
      })),
    });
    expect(await statesOf(principal)).toEqual(['disabled', 'disabled', 'disabled']);
  });

  it('is refused if it names a principal or a user twice or not at all', async () => {
    const { principal, one, names } = await two();
    const State = 'disabled';
    const { body } = await set(
      { ID: principal, ExternalKey: 'x', State },
      { ExternalKey: 'unknown', State },
      {
        ID: principal,
        Users: [
          { ID: one, State },
          { Username: names[0], State },
          { ID: one, Username: names[0], State },
          { Username: 'unknown', State },
        ],
      },
    );
    const codes = body.result?.records.map(({ Item5, Item6 }) => [
      Object.fromEntries(Object.entries(Item5).map(([place, [error]]) => [place, error?.code])),
      Item6,
    ]);
    expect(codes).toEqual([
      [{ ID: 'AMBIGUOUS_PRINCIPAL' }, {}],
      [{ ExternalKey: 'PRINCIPAL_NOT_FOUND' }, { ExternalKey: 'unknown' }],
      [
        {
          'Users[1].Username': 'DUPLICATE_USER',
          'Users[2]': 'AMBIGUOUS_USER',
          'Users[3].Username': 'USER_NOT_FOUND',
        },
        {},
      ],
    ]);
  });

  it('writes no audit row and no new UpdatedAt if every state is already set', async () => {
    const { principal, one } = await two();
    const rows = () =>
      service.database.query<object>(
        `select id, updated_at, (select count(*) from anagrafe.audit_log where principal_id = $1) as rows
           from anagrafe.principals where id = $1`,
        [principal],
      );
    const before = await rows();
    const { status } = await set({ ID: principal, State: 'active', Users: [{ ID: one, State: 'active' }] });
    expect([status, await rows()]).toEqual([200, before]);
  });

  it('can be sent as a dry run, with an idempotency key, or as a job', async () => {
    const { principal } = await two();
    const record = [{ ID: principal, State: 'disabled' }];
    expect((await service.call('irs/state?dryRun=true', record)).status).toBe(200);
    expect(await statesOf(principal)).toEqual(['active', 'active', 'active']);
    const headers = { 'idempotency-key': 'states' };
    expect((await service.call('irs/state', record, { headers })).status).toBe(200);
    const again = await service.call('irs/state', record, { headers });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const job = await service.call('irs/state', [{ ID: principal, State: 'active' }], {
      headers: { prefer: 'respond-async' },
    });
    expect(job.status).toBe(202);
    await expect.poll(() => statesOf(principal)).toEqual(['active', 'active', 'active']);
  });
});
