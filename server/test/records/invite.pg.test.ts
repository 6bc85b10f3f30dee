import { finished, importedUser, submit } from '@anagrafe/testing/jobs';
import { login, rightPassword } from '@anagrafe/testing/login';
import { fieldCodesOf, insertPrincipal, range, representation, unique } from '@anagrafe/testing/records';
import { type Answer, getText, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import { codeDigest } from '../../src/passwords/password-code.ts';

interface User {
  readonly ID: number;
  readonly Username: string;
  readonly State: string;
  readonly PasswordChangedAt: string | null;
}

interface InvitedUser {
  readonly ID: number;
  readonly Operation: string;
  readonly Invite?: string;
  readonly Code?: string | null;
  readonly URL?: string | null;
  readonly IssuedAt?: string | null;
  readonly ExpiresAt?: string | null;
}

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ ANAGRAFE_PUBLIC_URL: 'https://anagrafe.example.com' });
});

const invited = (name = unique('invited')) => ({ Username: name, Invite: 'code' });
const usersIn = ({ body }: Answer, at = 0) =>
  (body.result?.records[at]?.Item6.Users ?? []) as readonly InvitedUser[];
const listed = async (filter: object) =>
  (await service.call<User>('irs/users', filter)).body.result?.records ?? [];
const stateOf = async (UserID: number) => (await listed({ UserID }))[0]?.State;
const setPassword = (Code: unknown, Password = 'a new long sentence') =>
  service.call('password/set', { Code, Password, ConfirmPassword: Password });
const codesOfUsers = (...ids: number[]) =>
  service.database.query<{ digest: string; channel: string }>(
    `select encode(digest, 'hex') as digest, channel from anagrafe.password_codes where user_id = any($1)`,
    [ids],
  );

/** Registers an invited user and returns its code. */
async function registered(Username = unique('invited')) {
  const { id, key } = await insertPrincipal(service, {});
  const answer = await service.call('irs/update', [{ ID: id, Users: [invited(Username)] }], representation);
  const [user] = usersIn(answer);
  if (!user?.Code) throw new Error(answer.text);
  return { principal: id, key, username: Username, id: user.ID, code: user.Code, user };
}

describe('a registration with Invite "code"', () => {
  it('returns the code, its link and its expiry, and stores only the digest', async () => {
    const { user, id, code } = await registered();
    expect(user).toMatchObject({ Operation: 'register', Invite: 'code' });
    expect(user.URL).toBe(`https://anagrafe.example.com/account/set-password#${code}`);
    const days = (Date.parse(user.ExpiresAt ?? '') - Date.parse(user.IssuedAt ?? '')) / 86_400_000;
    expect(days).toBe(7);
    expect(await codesOfUsers(id)).toEqual([{ digest: codeDigest(code)?.toString('hex'), channel: 'code' }]);
  });

  it('makes a user that is listed as invited and cannot sign in', async () => {
    const { principal, id, username } = await registered();
    expect(await listed({ ID: principal })).toMatchObject([
      { ID: id, State: 'invited', PasswordChangedAt: null },
    ]);
    expect((await listed({ State: 'invited', UserID: id })).length).toBe(1);
    expect((await listed({ State: 'active', UserID: id })).length).toBe(0);
    expect((await login(service, username)).status).toBe(401);
    expect((await login(service, username, '')).status).toBe(400);
  });

  it('is refused without a representation, in which the code would be', async () => {
    const { id } = await insertPrincipal(service, {});
    const answer = await service.call('irs/update', [{ ID: id, Users: [invited()] }]);
    expect([answer.status, fieldCodesOf(answer)]).toEqual([422, { 'Users[0].Invite': ['CANNOT_INVITE'] }]);
    const dry = await service.call('irs/update?dryRun=true', [{ ID: id, Users: [invited()] }]);
    expect(dry.body.result?.record).toMatchObject({ Register: 1, RecordsFailed: 0 });
    expect(await listed({ ID: id })).toEqual([]);
  });

  it.each([
    [{ Invite: 'sms' }, 'INVALID_INVITE'],
    [{ Invite: 'email', Email: 'mario@example.com' }, 'CANNOT_INVITE'],
    [{ Invite: 'code', Password: rightPassword, ConfirmPassword: rightPassword }, 'INVITE_BESIDE_PASSWORD'],
    [{ Invite: 'code', MustChangePassword: true }, 'INVITE_BESIDE_PASSWORD'],
  ])('reports %j as %s', async (fields, code) => {
    const { id } = await insertPrincipal(service, {});
    const users = [{ Username: unique('refused'), ...fields }];
    const answer = await service.call('irs/update', [{ ID: id, Users: users }], representation);
    expect(fieldCodesOf(answer)).toEqual({ 'Users[0].Invite': [code] });
  });

  it('keeps Invite in the failed record, so that it can be sent again', async () => {
    const job = await submit(service, 'irs/insert', [
      { Denomination: 'x', Users: [invited('a'), { ...invited(), Email: 'no address' }] },
    ]);
    await finished(service, job);
    const { body } = await service.call(`jobs/${job}/failed`, undefined, { method: 'GET' });
    const [failed] = body as unknown as { Users: unknown[] }[];
    expect(failed?.Users[0]).toEqual({ Username: 'a', Invite: 'code' });
  });

  it('works in irs/insert and irs/upsert, where an existing user is not invited again', async () => {
    const ExternalKey = unique('C');
    const Users = [invited()];
    const first = await service.call('irs/upsert', [{ ExternalKey, Users }], representation);
    const [user] = usersIn(first);
    expect(user).toMatchObject({ Operation: 'register', Invite: 'code' });
    const again = await service.call('irs/upsert', [{ ExternalKey, Users }], representation);
    expect(usersIn(again)).toMatchObject([{ Operation: 'none' }]);
    expect(usersIn(again)[0]).not.toHaveProperty('Code');
    expect((await setPassword(user?.Code)).status).toBe(200);
    // An export has the state, and can be sent again.
    const exported = [{ ...Users[0], State: 'invited' }];
    const third = await service.call('irs/upsert', [{ ExternalKey, Users: exported }], representation);
    expect(usersIn(third)).toMatchObject([{ Operation: 'none' }]);
    expect(await stateOf(user?.ID ?? 0)).toBe('active');
  });

  it('is answered once: a repeated answer has the time of the code instead of the code', async () => {
    const { id } = await insertPrincipal(service, {});
    const headers = { ...representation.headers, 'idempotency-key': unique('key') };
    const records = [{ ID: id, Users: [invited()] }];
    const first = usersIn(await service.call('irs/update', records, { headers }))[0];
    const replay = await service.call('irs/update', records, { headers });
    expect(replay.headers.get('idempotency-replayed')).toBe('true');
    const { IssuedAt, ExpiresAt } = first ?? {};
    expect(usersIn(replay)).toMatchObject([{ Invite: 'code', Code: null, URL: null, IssuedAt, ExpiresAt }]);
    expect(first?.Code).toMatch(/^\w{4}-/);
  });

  it('returns the codes of applied records beside a record that failed', async () => {
    const { id } = await insertPrincipal(service, {});
    const answer = await service.call(
      'irs/update',
      [
        { ID: id, Users: [invited()] },
        { ID: 999_999, Users: [invited()] },
      ],
      representation,
    );
    expect(answer.status).toBe(207);
    expect((await setPassword(usersIn(answer)[0]?.Code)).status).toBe(200);
  });
});

describe('irs/state on an invited user', () => {
  it('disables it, ends its code, and says that an enabled user is still invited', async () => {
    const { principal, id, code } = await registered();
    const state = (State: string) =>
      service.call('irs/state', [{ ID: principal, Users: [{ ID: id, State }] }], representation);
    expect(usersIn(await state('active'))).toMatchObject([{ Operation: 'state', State: 'invited' }]);
    expect(await codesOfUsers(id)).toHaveLength(1);
    expect(usersIn(await state('disabled'))[0]).not.toHaveProperty('State');
    expect([await stateOf(id), await codesOfUsers(id)]).toEqual(['disabled', []]);
    expect((await setPassword(code)).body.errorCode).toBe('CODE_INVALID');
    await state('active');
    expect(await stateOf(id)).toBe('invited');
    const wrong = await state('invited');
    expect(fieldCodesOf(wrong)).toEqual({ 'Users[0].State': ['INVALID_STATE'] });
  });
});

describe('a code', () => {
  const ending: readonly [string, (user: Awaited<ReturnType<typeof registered>>) => object, string][] = [
    ['a reset', ({ id }) => ({ Users: [{ ID: id, Operation: 'reset', ...secrets }] }), 'irs/update'],
    ['a deletion', ({ id }) => ({ Users: [{ ID: id }] }), 'irs/delete'],
    ['a disabled user', ({ id }) => ({ Users: [{ ID: id, State: 'disabled' }] }), 'irs/state'],
    ['a disabled principal', () => ({ State: 'disabled' }), 'irs/state'],
    ['a newer code', ({ id }) => ({ Users: [{ ID: id, Invite: 'code' }] }), 'irs/invite'],
  ];
  const secrets = { Password: 'a new long sentence', ConfirmPassword: 'a new long sentence' };

  it.each(ending)('ends with %s', async (_, recordOf, path) => {
    const user = await registered();
    const answer = await service.call(path, [{ ID: user.principal, ...recordOf(user) }], representation);
    expect(answer.status).toBe(200);
    const digests = (await codesOfUsers(user.id)).map(({ digest }) => digest);
    expect(digests).not.toContain(codeDigest(user.code)?.toString('hex'));
    expect((await setPassword(user.code)).body.errorCode).toBe('CODE_INVALID');
  });

  it('stays valid when its user moves to another principal', async () => {
    const { id, code } = await registered();
    const { id: target } = await insertPrincipal(service, {});
    const moved = await service.call('irs/update', [{ ID: target, Users: [{ Operation: 'move', ID: id }] }]);
    expect(moved.status).toBe(200);
    expect((await setPassword(code)).status).toBe(200);
  });
});

describe('irs/invite', () => {
  it('gives new codes to the users that it names, whose passwords stay valid', async () => {
    const { id, userIds, usernames } = await insertPrincipal(service, {
      Users: [newUser(unique('named')), newUser(unique('named'))],
    });
    const [one = 0] = userIds;
    const Users = [{ ID: one, Invite: 'code' }, { Username: usernames[1] }];
    const answer = await service.call('irs/invite', [{ ID: id, Invite: 'code', Users }], representation);
    expect(usersIn(answer)).toMatchObject(userIds.map((ID) => ({ ID, Operation: 'invite', Invite: 'code' })));
    expect((await login(service, usernames[0] ?? '')).status).toBe(200);
    expect((await setPassword(usersIn(answer)[0]?.Code)).status).toBe(200);
    expect((await login(service, usernames[0] ?? '')).status).toBe(401);
    expect((await login(service, usernames[0] ?? '', 'a new long sentence')).status).toBe(200);
  });

  it('gives codes to all invited users of a principal if it names none', async () => {
    const { id, code } = await registered();
    const principal = (await listed({ UserID: id }))[0] as User & { IRID: number };
    await service.call('irs/update', [{ ID: principal.IRID, Users: [newUser(unique('other'))] }]);
    const records = [{ ID: principal.IRID, Invite: 'code' }];
    const dry = await service.call('irs/invite?dryRun=true', records);
    expect(dry.body.result?.record).toMatchObject({ Invite: 1, Register: 0, Reset: 0 });
    const users = usersIn(await service.call('irs/invite', records, representation));
    expect(users.map(({ ID }) => ID)).toEqual([id]);
    expect((await setPassword(code)).body.errorCode).toBe('CODE_INVALID');
    expect((await setPassword(users[0]?.Code)).status).toBe(200);
    // No user is left to invite.
    expect(usersIn(await service.call('irs/invite', records, representation))).toEqual([]);
  });

  it('refuses disabled users and principals, and users of other principals', async () => {
    const { principal, id } = await registered();
    const { id: other } = await insertPrincipal(service, {});
    const invite = (ID: number) =>
      service.call('irs/invite', [{ ID, Users: [{ ID: id, Invite: 'code' }] }], representation);
    expect(fieldCodesOf(await invite(other))).toEqual({ 'Users[0].ID': ['USER_NOT_FOUND'] });
    await service.call('irs/state', [{ ID: principal, Users: [{ ID: id, State: 'disabled' }] }]);
    expect(fieldCodesOf(await invite(principal))).toEqual({ 'Users[0].ID': ['CANNOT_INVITE'] });
    await service.call('irs/state', [{ ID: principal, State: 'disabled' }]);
    expect(fieldCodesOf(await invite(principal))).toMatchObject({ ID: ['PRINCIPAL_DISABLED'] });
  });

  it('reports what a record lacks', async () => {
    const { id } = await insertPrincipal(service, {});
    const codes = async (record: object) =>
      fieldCodesOf(await service.call('irs/invite', [{ ID: id, ...record }], representation));
    expect(await codes({})).toEqual({ Invite: ['REQUIRED'] });
    expect(await codes({ Users: [] })).toMatchObject({ Users: ['NO_USERS'] });
    expect(await codes({ Users: [{ ID: 1 }] })).toMatchObject({ 'Users[0].Invite': ['REQUIRED'] });
    expect(await codes({ Invite: 'email' })).toEqual({ Invite: ['CANNOT_INVITE'] });
    expect(await codes({ Invite: 'code', Denomination: 'x' })).toEqual({ Denomination: ['UNKNOWN_FIELD'] });
  });

  it('does not change the principal: a plan that was made before still holds', async () => {
    const { principal, id } = await registered();
    const versions = () =>
      service.database.query('select updated_at from anagrafe.principals where id = $1', [principal]);
    const before = await versions();
    await service.call(
      'irs/invite',
      [{ ID: principal, Users: [{ ID: id, Invite: 'code' }] }],
      representation,
    );
    expect(await versions()).toEqual(before);
  });

  it('is in the audit log and in the events, without the code', async () => {
    const { principal, id, code } = await registered();
    await expect
      .poll(async () => {
        const { text } = await getText(service, '/api/sync/v1/events?order=newest&pageSize=20');
        return text.includes(`"subject":"users/${id}"`) && text.includes('"type":"user.invited"');
      })
      .toBe(true);
    const { text } = await getText(service, '/api/sync/v1/events?order=newest&pageSize=20');
    expect(text).not.toContain(code);
    const rows = await service.database.query(
      `select details -> 'invited' as invited from anagrafe.audit_log where principal_id = $1 and registered = $2`,
      [principal, [id]],
    );
    expect(rows).toEqual([{ invited: [[id, 'code']] }]);
  });
});

describe('jobs/{id}/invitations', () => {
  interface Line {
    readonly Position: number;
    readonly ID: number;
    readonly Username: string;
    readonly Code: string | null;
    readonly Skipped: string | null;
  }

  async function invitations(job: string, format = 'ndjson') {
    const url = `${service.url}/api/sync/v1/jobs/${job}/invitations?format=${format}`;
    const answer = await fetch(url, { method: 'POST' });
    return { status: answer.status, text: await answer.text() };
  }

  async function linesOf(job: string): Promise<Line[]> {
    const { status, text } = await invitations(job);
    expect(status).toBe(200);
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  }

  async function invitingJob(users: number) {
    const { id } = await insertPrincipal(service, {});
    const records = range(users).map(() => ({ ID: id, Users: [invited()] }));
    const job = await submit(service, 'irs/update', records);
    await finished(service, job);
    return { job, principal: id };
  }

  it('issues codes to the users of a job, in the order sent, and new ones when it is called again', async () => {
    const { job } = await invitingJob(30);
    const tuples = (await finished(service, job, representation.headers)).body.result?.records ?? [];
    expect(tuples[0]?.Item6.Users).toMatchObject([{ Invite: 'code', Code: null, URL: null }]);
    expect(
      await codesOfUsers(...tuples.flatMap(({ Item6 }) => (Item6.Users ?? []).map(({ ID }) => ID))),
    ).toEqual([]);
    const first = await linesOf(job);
    expect(first.map(({ Position }) => Position)).toEqual(range(30));
    expect((await setPassword(first[0]?.Code)).status).toBe(200);
    const second = await linesOf(job);
    expect(second[0]).toMatchObject({ ID: first[0]?.ID, Code: null, Skipped: 'password_set' });
    expect((await setPassword(first[1]?.Code)).body.errorCode).toBe('CODE_INVALID');
    expect((await setPassword(second[1]?.Code)).status).toBe(200);
  });

  it('says why a user gets no code', async () => {
    const { job, principal } = await invitingJob(3);
    const [one, two] = await linesOf(job);
    await service.call('irs/delete', [{ ID: principal, Users: [{ ID: one?.ID }] }]);
    await service.call('irs/state', [{ ID: principal, Users: [{ ID: two?.ID, State: 'disabled' }] }]);
    expect((await linesOf(job)).map(({ Skipped }) => Skipped)).toEqual(['deleted', 'disabled', null]);
  });

  it('writes CSV', async () => {
    const { job } = await invitingJob(2);
    const { text } = await invitations(job, 'csv');
    const [head, ...rows] = text.trimEnd().split('\r\n');
    expect(head).toMatch(/^Position,IRID,.*,Code,URL,ExpiresAt,Skipped$/);
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatch(/,(?:\w{4}-){6}\w{4},https:/);
  });

  it('is audited with the users', async () => {
    const { job } = await invitingJob(2);
    const ids = (await linesOf(job)).map(({ ID }) => ID);
    const rows = await service.database.query(
      `select details from anagrafe.audit_log where action = 'invitations.issued' and call_id = $1`,
      [job],
    );
    expect(rows).toEqual([{ details: { count: 2, invited: ids.map((id) => [id, 'code']) } }]);
  });

  it('issues no code for a job without invitations, and knows no other job', async () => {
    const { id } = await insertPrincipal(service, {});
    const job = await submit(service, 'irs/update', [{ ID: id, Users: [importedUser(unique('plain'))] }]);
    await finished(service, job);
    expect(await invitations(job)).toEqual({ status: 200, text: '' });
    expect((await invitations('00000000-0000-0000-0000-000000000000')).status).toBe(404);
  });
});
