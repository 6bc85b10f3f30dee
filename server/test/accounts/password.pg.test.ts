import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { holding } from '@anagrafe/testing/jobs';
import { asUser, login, loginOf, rightPassword, signedIn } from '@anagrafe/testing/login';
import { fieldCodesOf, insertPrincipal, range, representation, unique } from '@anagrafe/testing/records';
import { type Answer, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const leaked = 'a leaked long sentence';
let service: TestService;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'passwords-'));
  const hashes = [leaked, 'another', 'third'].map((text) => createHash('sha1').update(text).digest('hex'));
  await writeFile(join(folder, 'leaked.txt'), hashes.sort().join(':3\n').toUpperCase());
  service = await startTestService({
    ANAGRAFE_PASSWORD_BLOCKLIST: join(folder, 'leaked.txt'),
    ANAGRAFE_PASSWORD_HISTORY: '3',
  });
});
afterAll(() => rm(folder, { recursive: true }));

const chosen = 'a new long sentence';

interface InvitedUser {
  readonly ID: number;
  readonly Code: string;
}

async function invited(more: Record<string, unknown> = {}) {
  const username = unique('invited');
  const Users = [{ Username: username, Invite: 'code', ...more }];
  const { id: principal } = await insertPrincipal(service, {});
  const { body } = await service.call('irs/update', [{ ID: principal, Users }], representation);
  const [{ ID: id, Code: code } = { ID: 0, Code: '' }] = (body.result?.records[0]?.Item6.Users ??
    []) as unknown as readonly InvitedUser[];
  return { principal, username, id, code };
}

const set = (Code: unknown, Password: unknown = chosen, ConfirmPassword = Password) =>
  service.call('password/set', { Code, Password, ConfirmPassword });

/** Returns the codes of the field errors of a refused password. */
function refusals({ body }: Answer): Record<string, string[]> {
  const record = body.result?.record as { FieldErrors: Record<string, { code: string }[]> } | null;
  return Object.fromEntries(
    Object.entries(record?.FieldErrors ?? {}).map(([name, errors]) => [name, errors.map(({ code }) => code)]),
  );
}

describe('password/set', () => {
  it('sets the password of the user with the code, typed in any way, and returns its username', async () => {
    const { username, code } = await invited();
    const answer = await set(` ${code.toLowerCase().replaceAll('-', ' ')}`);
    expect([answer.status, answer.body.result?.record]).toEqual([200, { Username: username }]);
    expect((await login(service, username, chosen)).status).toBe(200);
  });

  it('gives one answer for an unknown, a used and an expired code, and for a text that is none', async () => {
    const used = await invited();
    await set(used.code);
    const expired = await invited();
    await service.database.query(`update anagrafe.password_codes set expires_at = now() where user_id = $1`, [
      expired.id,
    ]);
    const unknown = used.code.replace(/^./, (first) => (first === '3' ? '4' : '3'));
    const answers = await Promise.all([used.code, expired.code, unknown, 'no code'].map((code) => set(code)));
    const bodies = answers.map(({ body }) => body);
    expect(bodies).toEqual(bodies.map(() => bodies[0]));
    expect(bodies[0]).toMatchObject({ statusCode: 422, errorCode: 'CODE_INVALID', result: null });
  });

  it('does not use up the code of a password that it refuses', async () => {
    const { username, code } = await invited({ Email: 'mario.rossi@example.com' });
    const refused = async (password: unknown, confirmation?: unknown) => {
      const answer = await set(code, password, confirmation ?? password);
      expect([answer.status, answer.body.errorCode]).toEqual([422, 'PASSWORD_REFUSED']);
      return refusals(answer);
    };
    expect(await refused('short')).toEqual({ Password: ['PASSWORD_TOO_SHORT'] });
    expect(await refused('password1')).toEqual({ Password: ['PASSWORD_COMMON'] });
    expect(await refused(leaked)).toEqual({ Password: ['PASSWORD_COMMON'] });
    expect(await refused(username)).toEqual({ Password: ['PASSWORD_IS_USERNAME'] });
    expect(await refused('mario.rossi')).toEqual({ Password: ['PASSWORD_IS_EMAIL'] });
    expect(await refused(chosen, 'another sentence')).toEqual({ ConfirmPassword: ['PASSWORD_MISMATCH'] });
    expect((await set(code)).status).toBe(200);
  });

  it('lets one of many concurrent requests with the same code set the password', async () => {
    const { username, code } = await invited();
    const answers = await Promise.all(range(8).map((n) => set(code, `${chosen} ${n}`)));
    const done = answers.flatMap(({ status }, n) => (status === 200 ? [n] : []));
    expect(done).toHaveLength(1);
    const others = answers.filter(({ status }) => status !== 200).map(({ body }) => body.errorCode);
    expect(others).toEqual(others.map(() => 'CODE_INVALID'));
    expect((await login(service, username, `${chosen} ${done[0]}`)).status).toBe(200);
  });

  it.each([
    ['disabled', (id: number) => [`update anagrafe.users set state = 'disabled' where id = $1`, id] as const],
    ['deleted', (id: number) => ['delete from anagrafe.users where id = $1', id] as const],
  ])('does not set the password of a user that is %s while it is hashed', async (_, change) => {
    const { id, code } = await invited();
    const lock = ['select from anagrafe.users where id = $1 for update', id] as const;
    const answer = await holding(service, lock, async ({ connection, blocked }) => {
      const setting = set(code);
      await blocked(1);
      // What `irs/state` and `irs/delete` do after they have locked the user.
      await connection.query('delete from anagrafe.password_codes where user_id = $1', [id]);
      await connection.query(...([change(id)[0], [change(id)[1]]] as const));
      return { setting };
    });
    expect((await answer.setting).body.errorCode).toBe('CODE_INVALID');
  });

  it('delays a source after many wrong codes', async () => {
    const own = await startTestService();
    const wrong = () => own.call('password/set', { Code: 'x', Password: chosen, ConfirmPassword: chosen });
    let last = await wrong();
    for (let n = 0; n < 80 && last.status === 422; n++) last = await wrong();
    expect([last.status, last.body.errorCode]).toEqual([429, 'RATE_LIMITED']);
  });
});

describe('password/forgot', () => {
  const forgot = (body: object, on = service) => on.call('password/forgot', body);
  const mails = () =>
    service.database.query<{ user_id: number | null; lists_accounts: boolean }>(
      `select user_id, lists_accounts from anagrafe.mails where kind = 'forgotten' order by created_at desc`,
    );

  it('answers alike for every kind of account and for none, and requests a mail for each', async () => {
    const { principal, id, username } = await invited({ Email: `${unique('shared')}@example.com` });
    const disabled = await invited();
    await service.call('irs/state', [{ ID: principal, Users: [{ ID: id, State: 'active' }] }]);
    await service.call('irs/state', [
      { ID: disabled.principal, Users: [{ ID: disabled.id, State: 'disabled' }] },
    ]);
    const names = [username, disabled.username, unique('unknown')];
    const answers = [];
    for (const Username of names) answers.push(await forgot({ Username }));
    const bodies = answers.map(({ body }) => body);
    expect(bodies).toEqual(bodies.map(() => bodies[0]));
    expect(bodies[0]).toMatchObject({ statusCode: 200, result: { records: [], record: null } });
    expect((await mails()).slice(0, 3).map(({ user_id }) => user_id)).toEqual([null, disabled.id, id]);
  });

  it('finds the users of an email address, and repeats no mail that is pending', async () => {
    const Email = `${unique('Shared')}@example.com`;
    const { userIds } = await insertPrincipal(service, {
      Users: [newUser(unique('one'), { Email }), newUser(unique('two'), { Email })],
    });
    for (const entered of [Email, Email.toUpperCase()]) await forgot({ Email: entered });
    const found = (await mails()).filter(({ user_id }) => userIds.includes(user_id ?? 0));
    expect(found).toEqual([{ user_id: userIds[0], lists_accounts: true }]);
  });

  it('stores nothing of the name that was entered, which may be a password', async () => {
    const entered = unique('typed-password');
    await forgot({ Username: entered });
    const { database } = service;
    const rows = await database.query(
      `select from anagrafe.mails where mails::text like $1
       union all select from anagrafe.audit_log where audit_log::text like $1
       union all select from anagrafe.throttles where throttles::text like $1`,
      [`%${entered}%`],
    );
    expect(rows).toEqual([]);
  });

  it('delays many requests for an account, but not its sign-in', async () => {
    const own = await startTestService();
    const Username = unique('bombed');
    await insertPrincipal(own, { Users: [newUser(Username)] });
    let last = await forgot({ Username }, own);
    for (let n = 0; n < 20 && last.status === 200; n++) last = await forgot({ Username }, own);
    expect([last.status, last.body.errorCode]).toEqual([429, 'RATE_LIMITED']);
    expect((await login(own, Username)).status).toBe(200);
  });

  it('requires either Username or Email', async () => {
    expect((await forgot({})).body.errorCode).toBe('INVALID_PARAMETER');
    expect((await forgot({ Username: 'a', Email: 'b' })).body.errorCode).toBe('INVALID_PARAMETER');
  });
});

describe('MustChangePassword', () => {
  async function mustChange() {
    const username = unique('temporary');
    const { id: principal, userIds } = await insertPrincipal(service, {
      Users: [newUser(username, { MustChangePassword: true })],
    });
    return { principal, username, id: userIds[0] ?? 0 };
  }

  const ownChange = (principal: number, ID: number, Password: string, CurrentPassword = rightPassword) => [
    { ID: principal, Users: [{ ID, Password, ConfirmPassword: Password, CurrentPassword }] },
  ];

  it('limits the tokens of the user to the change of its password', async () => {
    const { principal, username, id } = await mustChange();
    const answer = await login(service, username);
    expect(answer.body.result?.record).toMatchObject({ MustChangePassword: true });
    const headers = asUser(loginOf(answer.body));
    const list = await service.call('irs/list', {}, headers);
    expect([list.status, list.body.errorCode]).toEqual([403, 'FORBIDDEN']);
    expect((await service.call('irs/update', ownChange(principal, id, chosen), headers)).status).toBe(200);
    const again = await login(service, username, chosen);
    expect(again.body.result?.record).not.toHaveProperty('MustChangePassword');
    expect((await service.call('irs/list', {}, asUser(loginOf(again.body)))).status).toBe(200);
  });

  it('is set and cleared by an edit and by a reset, and limits open sessions too', async () => {
    const username = unique('edited');
    const { id: principal, userIds } = await insertPrincipal(service, { Users: [newUser(username)] });
    const [ID = 0] = userIds;
    const session = asUser(await signedIn(service, username));
    const edit = (MustChangePassword: unknown) =>
      service.call(
        'irs/update',
        [{ ID: principal, Users: [{ Operation: 'edit', ID, MustChangePassword }] }],
        representation,
      );
    const changed = (await edit(true)).body.result?.records[0]?.Item6.Users;
    expect(changed).toMatchObject([{ Operation: 'edit', Changed: ['MustChangePassword'] }]);
    expect((await service.call('irs/list', {}, session)).status).toBe(403);
    expect((await edit(true)).body.result?.records[0]?.Item6.Users).toMatchObject([{ Operation: 'none' }]);
    await edit(false);
    expect((await service.call('irs/list', {}, session)).status).toBe(200);
    expect(fieldCodesOf(await edit('yes'))).toEqual({ 'Users[0].MustChangePassword': ['WRONG_TYPE'] });
    const reset = { ID, Password: chosen, ConfirmPassword: chosen };
    await service.call('irs/update', [{ ID: principal, Users: [{ ...reset, MustChangePassword: true }] }]);
    expect((await login(service, username, chosen)).body.result?.record).toHaveProperty('MustChangePassword');
    await service.call('irs/update', [{ ID: principal, Users: [reset] }]);
    const last = (await login(service, username, chosen)).body.result?.record;
    expect(last).not.toHaveProperty('MustChangePassword');
  });

  it('refuses the last passwords when the user changes its own, but not when a client resets it', async () => {
    const { principal, username, id } = await mustChange();
    const change = async (from: string, to: string) => {
      const session = asUser(loginOf((await login(service, username, from)).body));
      return fieldCodesOf(await service.call('irs/update', ownChange(principal, id, to, from), session));
    };
    const reused = { 'Users[0].Password': ['PASSWORD_REUSED'] };
    expect(await change(rightPassword, rightPassword)).toEqual(reused);
    expect(await change(rightPassword, `${chosen} 1`)).toEqual({});
    expect(await change(`${chosen} 1`, `${chosen} 2`)).toEqual({});
    expect(await change(`${chosen} 2`, rightPassword)).toEqual(reused);
    expect(await change(`${chosen} 2`, `${chosen} 3`)).toEqual({});
    expect(await change(`${chosen} 3`, rightPassword)).toEqual({});
    const reset = { ID: id, Password: `${chosen} 3`, ConfirmPassword: `${chosen} 3` };
    expect((await service.call('irs/update', [{ ID: principal, Users: [reset] }])).status).toBe(200);
    await service.call('irs/delete', [{ ID: principal }]);
    expect(
      await service.database.query('select from anagrafe.password_history where user_id = $1', [id]),
    ).toEqual([]);
  });
});

describe('after codes were issued in every way', () => {
  it('no table, event or line of the log contains one of them', async () => {
    const canaries = [(await invited()).code, (await invited()).code];
    const user = await invited();
    canaries.push(user.code);
    const again = await service.call('irs/invite', [{ ID: user.principal, Invite: 'code' }], {
      headers: { ...representation.headers, 'idempotency-key': unique('key') },
    });
    const [invitation] = (again.body.result?.records[0]?.Item6.Users ?? []) as unknown as InvitedUser[];
    canaries.push(invitation?.Code ?? '');
    await set(canaries[0]);
    await set(canaries[1], 'short');
    await set(`${canaries[1]?.slice(0, -1)}0`);
    const plain = canaries.map((code) => code.replaceAll('-', ''));
    const forms = [...canaries, ...plain, ...canaries.map((code) => code.toLowerCase())];
    const tables = await service.database.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    expect(tables.map(({ name }) => name)).toContain('anagrafe.password_codes');
    for (const { name } of tables) {
      const rows = await service.database.query<{ text: string }>(
        `select stored::text as text from ${name} as stored`,
      );
      const found = rows.filter(({ text }) => forms.some((form) => text.includes(form)));
      expect([name, found]).toEqual([name, []]);
    }
    expect(service.log.filter((line) => forms.some((form) => line.includes(form)))).toEqual([]);
  });
});
