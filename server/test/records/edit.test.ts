import type { Principal } from '@anagrafe/client';
import { finished, importedUser, submit } from '@anagrafe/testing/jobs';
import { asUser, login, rightPassword, signedIn } from '@anagrafe/testing/login';
import {
  fieldCodesOf,
  importedUsers,
  insertPrincipal,
  listedPrincipal,
  representation,
  unique,
} from '@anagrafe/testing/records';
import { newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

const bcrypt = '$2b$08$abcdefghijklmnopqrstuuJtLNHIO7Qo.fVy3J1RBo0oFSzDXPrCa';
const secrets = { Password: 'a new long sentence', ConfirmPassword: 'a new long sentence' };

/** Inserts a principal with two users. */
async function principal() {
  const [first, second] = [unique('first'), unique('second')];
  const { id, key, userIds } = await insertPrincipal(service, {
    Denomination: 'Rossi Srl',
    Vatnumber: 'IT01234567890',
    Users: [first, second].map((name) => newUser(name, { Email: `${name}@example.com` })),
  });
  const [one = 0, two = 0] = userIds;
  return { id, key, one, two, first, second };
}

const update = (...records: unknown[]) => service.call('irs/update', records, representation);

const stored = (id: number) => listedPrincipal(service, id);

/** Sends a record that must be refused, and returns the codes of its field errors by path. */
async function refusedWith(record: unknown): Promise<Record<string, string[]>> {
  const answer = await update(record);
  expect(answer.body.result?.records[0]?.Item3).toBe(false);
  return fieldCodesOf(answer);
}

describe('irs/update with users that have an Operation', () => {
  it('registers, edits and deletes users in one record, and returns them in the order sent', async () => {
    const { id, key, one, two, first } = await principal();
    const added = unique('added');
    const { status, body } = await update({
      ExternalKey: key,
      Users: [
        { Operation: 'delete', ID: two },
        { ...newUser(added), Operation: 'register' },
        { Operation: 'edit', Username: first, Email: 'new@example.com', Phone: '055 123' },
      ],
    });
    expect([status, body.result?.records[0]?.Item1]).toEqual([200, id]);
    expect(body.result?.records[0]?.Item6).toEqual({
      Users: [
        { ID: two, Username: null, Email: null, Operation: 'delete' },
        { ID: expect.any(Number), Username: added, Email: null, Operation: 'register' },
        {
          ID: one,
          Username: first,
          Email: 'new@example.com',
          Operation: 'edit',
          Changed: ['Email', 'Phone'],
        },
      ],
    });
    expect((await stored(id))?.Users).toMatchObject([
      { ID: one, Email: 'new@example.com', Phone: '055 123' },
      { Username: added },
    ]);
  });

  it('resets passwords of users by their usernames, also to a password hash', async () => {
    const { id, key, one, first, second } = await principal();
    const session = await signedIn(service, first);
    const byName = { Operation: 'reset', Username: first.toUpperCase(), ...secrets };
    const byHash = { Operation: 'reset', Username: second, PasswordHash: bcrypt };
    const { status, body } = await update({ ExternalKey: key, Users: [byName, byHash] });
    expect(status).toBe(200);
    expect(body.result?.records[0]?.Item6.Users?.[0]).toMatchObject({ ID: one, Operation: 'reset' });
    expect((await login(service, first, secrets.Password)).status).toBe(200);
    expect((await login(service, first)).status).toBe(401);
    expect((await service.call('irs/list', {}, asUser(session))).status).toBe(401);
    const [row] = await service.database.query<{ hash: string }>(
      'select password_hash as hash from anagrafe.users where username = $1',
      [second],
    );
    expect(row?.hash).toBe(bcrypt);
    expect((await update({ ID: id, Users: [{ Operation: 'reset', ID: one, ...secrets }] })).status).toBe(200);
  });

  it('renames a user, also to another spelling, and the old username can be registered again', async () => {
    const { id, one, first } = await principal();
    const renamed = unique('renamed');
    const rename = (NewUsername: string) =>
      update({ ID: id, Users: [{ Operation: 'edit', ID: one, NewUsername }] });
    expect((await rename(renamed)).status).toBe(200);
    expect((await login(service, renamed)).status).toBe(200);
    expect((await login(service, first)).status).toBe(401);
    const spelling = await rename(renamed.toUpperCase());
    expect(spelling.body.result?.records[0]?.Item6.Users?.[0]).toMatchObject({
      Username: renamed.toUpperCase(),
      Changed: ['Username'],
    });
    expect((await login(service, renamed)).status).toBe(200);
    expect((await update({ ID: id, Users: [newUser(first)] })).status).toBe(200);
  });

  it('disables a user, which ends its sessions', async () => {
    const { id, one, first } = await principal();
    const session = await signedIn(service, first);
    await update({ ID: id, Users: [{ Operation: 'edit', ID: one, State: 'disabled' }] });
    expect((await service.call('irs/list', {}, asUser(session))).status).toBe(401);
    expect((await login(service, first)).status).toBe(401);
    await update({ ID: id, Users: [{ Operation: 'edit', Username: first, State: 'active' }] });
    expect((await login(service, first)).status).toBe(200);
  });

  it('keeps the sessions of a user whose contact fields change', async () => {
    const { id, one, first } = await principal();
    const session = await signedIn(service, first);
    await update({ ID: id, Users: [{ Operation: 'edit', ID: one, Phone: '1' }] });
    expect((await service.call('irs/list', {}, asUser(session))).status).toBe(200);
  });

  it('clears a field that is sent as an empty text, and keeps one that is sent as null', async () => {
    const { id, one } = await principal();
    await update({ ID: id, Users: [{ Operation: 'edit', ID: one, Email: null, Phone: '2' }] });
    expect((await stored(id))?.Users[0]).toMatchObject({ Email: expect.stringContaining('@'), Phone: '2' });
    await update({ ID: id, Users: [{ Operation: 'edit', ID: one, Email: '' }] });
    expect((await stored(id))?.Users[0]).toMatchObject({ Email: null, Phone: '2' });
  });

  it.each([
    ['an unknown operation', { Operation: 'remove', ID: 1 }, { Operation: ['INVALID_OPERATION'] }],
    [
      'a user with both ID and Username',
      { Operation: 'edit', ID: 1, Username: 'x', Phone: '1' },
      { '': ['AMBIGUOUS_USER'] },
    ],
    ['a user without ID and Username', { Operation: 'delete' }, { ID: ['REQUIRED'] }],
    ['an ID that is a string', { Operation: 'delete', ID: '1' }, { ID: ['INVALID_ID'] }],
    ['a password in an edit', { Operation: 'edit', ID: 1, Password: 'x' }, { Password: ['UNKNOWN_FIELD'] }],
    [
      'an email address in a reset',
      { Operation: 'reset', ID: 1, ...secrets, Email: 'a@b.it' },
      { Email: ['UNKNOWN_FIELD'] },
    ],
    ['a field in a deletion', { Operation: 'delete', ID: 1, Email: 'a@b.it' }, { Email: ['UNKNOWN_FIELD'] }],
    [
      'a state that does not exist',
      { Operation: 'edit', ID: 1, State: 'gone' },
      { State: ['INVALID_STATE'] },
    ],
    [
      'an email address that is not valid',
      { Operation: 'edit', ID: 1, Email: 'x' },
      { Email: ['EMAIL_INVALID'] },
    ],
    [
      'a username that is not valid',
      { Operation: 'edit', ID: 1, NewUsername: ' x' },
      { NewUsername: ['USERNAME_SPACES'] },
    ],
    [
      'a hash beside a password',
      { Operation: 'reset', ID: 1, ...secrets, PasswordHash: bcrypt },
      { Password: ['PASSWORD_BESIDE_HASH'], ConfirmPassword: ['PASSWORD_BESIDE_HASH'] },
    ],
    [
      'an ID in a registration',
      { ...newUser('x'), Operation: 'register', ID: 1 },
      { '': ['AMBIGUOUS_USER'] },
    ],
  ])('refuses %s', async (_, item, expected) => {
    const { id } = await principal();
    const codes = await refusedWith({ ID: id, Users: [item] });
    const own = Object.entries(codes).filter(([, [code]]) => code !== 'USER_NOT_FOUND');
    expect(Object.fromEntries(own)).toEqual(
      Object.fromEntries(
        Object.entries(expected).map(([name, found]) => [
          name === '' ? 'Users[0]' : `Users[0].${name}`,
          found,
        ]),
      ),
    );
  });

  it('is the only call with operations: irs/insert accepts no Operation except register', async () => {
    const insert = (Operation: string) =>
      service.call('irs/insert', [
        { Denomination: 'x', Users: [{ ...importedUser(unique('user')), Operation }] },
      ]);
    expect((await insert('register')).status).toBe(200);
    const { body } = await insert('edit');
    expect(body.result?.records[0]?.Item5['Users[0].Operation']?.[0]?.code).toBe('UNKNOWN_FIELD');
  });

  it('refuses a user that does not belong to the principal of the record', async () => {
    const mine = await principal();
    const other = await principal();
    for (const named of [{ ID: other.one }, { Username: other.first }, { Username: 'unknown' }]) {
      const place = 'ID' in named ? 'Users[0].ID' : 'Users[0].Username';
      for (const item of [
        { Operation: 'edit', ...named, Phone: '1' },
        { Operation: 'delete', ...named },
        { Operation: 'reset', ...named, ...secrets },
      ])
        expect(await refusedWith({ ID: mine.id, Users: [item] })).toEqual({ [place]: ['USER_NOT_FOUND'] });
    }
    const { body } = await update({ ID: mine.id, Users: [{ Operation: 'delete', Username: 'unknown' }] });
    expect(body.errorCode).toBe('USER_NOT_FOUND');
    expect(body.result?.records[0]?.Item4).toBe('This principal has no user with this username.');
  });

  it('refuses a record that names a user twice, by ID and by username', async () => {
    const { id, one, first } = await principal();
    const codes = await refusedWith({
      ID: id,
      Users: [
        { Operation: 'edit', ID: one, Phone: '1' },
        { Operation: 'delete', Username: first },
      ],
    });
    expect(codes).toEqual({ 'Users[1].Username': ['DUPLICATE_USER'] });
  });

  it('refuses a new username that another user has, or that the same record or call frees or claims', async () => {
    const { id, one, two, first, second } = await principal();
    const edit = (ID: number, NewUsername: string) => ({ Operation: 'edit', ID, NewUsername });
    expect(await refusedWith({ ID: id, Users: [edit(one, second)] })).toEqual({
      'Users[0].NewUsername': ['USERNAME_TAKEN'],
    });
    expect(await refusedWith({ ID: id, Users: [edit(one, second), edit(two, first)] })).toEqual({
      'Users[0].NewUsername': ['USERNAME_TAKEN'],
      'Users[1].NewUsername': ['USERNAME_TAKEN'],
    });
    expect(await refusedWith({ ID: id, Users: [{ Operation: 'delete', ID: one }, newUser(first)] })).toEqual({
      'Users[1].Username': ['USERNAME_TAKEN'],
    });
    const free = unique('free');
    expect(await refusedWith({ ID: id, Users: [edit(one, free), edit(two, free)] })).toEqual({
      'Users[1].NewUsername': ['USERNAME_TAKEN'],
    });
    const { status, body } = await update(
      { ID: id, Users: [edit(one, free)] },
      { ID: id, Users: [newUser(free)] },
    );
    expect([status, body.result?.records.map(({ Item2 }) => Item2)]).toEqual([207, [null, 'USERNAME_TAKEN']]);
  });

  it('refuses a reset by username to a password that equals the username', async () => {
    const { id } = await principal();
    const name = unique('a long username');
    await update({ ID: id, Users: [newUser(name)] });
    const reset = { Operation: 'reset', Username: name, Password: name, ConfirmPassword: name };
    expect(await refusedWith({ ID: id, Users: [reset] })).toEqual({
      'Users[0].Password': ['PASSWORD_IS_USERNAME'],
    });
  });
});

describe('irs/update with fields of a principal', () => {
  it('changes fields, clears those that are empty texts, and updates the search', async () => {
    const { id, key } = await principal();
    const denomination = `${unique('Verdi')} Spa`;
    const { status, body } = await update({
      ExternalKey: key,
      Denomination: denomination,
      Vatnumber: '',
      NewExternalKey: `${key}-new`,
      State: 'disabled',
    });
    expect([status, body.result?.records[0]?.Item6]).toEqual([200, { Principal: 'updated', Users: [] }]);
    expect(await stored(id)).toMatchObject({
      ExternalKey: `${key}-new`,
      Denomination: denomination,
      Vatnumber: null,
      State: 'disabled',
    });
    const found = await service.call<Principal>('irs/list', { Search: denomination.toLowerCase() });
    expect(found.body.result?.records.map(({ ID }) => ID)).toContain(id);
    expect((await update({ ExternalKey: key, Denomination: 'x' })).body.errorCode).toBe(
      'PRINCIPAL_NOT_FOUND',
    );
  });

  it('writes no audit row, no event and no new UpdatedAt if no value differs', async () => {
    const { id, one, first } = await principal();
    await update({ ID: id, Users: [{ Operation: 'edit', ID: one, Phone: '7' }] });
    const before = await stored(id);
    const rows = () =>
      service.database.query(
        'select id from anagrafe.audit_log where principal_id = $1 and action <> $2 order by id',
        [id, 'records.read'],
      );
    const audit = await rows();
    const record = {
      ID: id,
      Denomination: 'Rossi Srl',
      State: 'active',
      Users: [{ Operation: 'edit', Username: first, Phone: '7', State: 'active' }],
    };
    const { status, body } = await update(record);
    expect(status).toBe(200);
    expect(body.result?.records[0]?.Item6).toMatchObject({
      Principal: 'unchanged',
      Users: [{ ID: one, Operation: 'none' }],
    });
    const keyed = { headers: { ...representation.headers, 'idempotency-key': unique('same') } };
    const answers = [
      await service.call('irs/update', [record], keyed),
      await service.call('irs/update', [record], keyed),
    ];
    expect(answers.map(({ body: { result } }) => result)).toEqual([body.result, body.result]);
    expect(await stored(id)).toEqual(before);
    expect(await rows()).toEqual(audit);
  });

  it.each([
    [
      'an external key of another principal',
      (key: string) => ({ NewExternalKey: key }),
      { NewExternalKey: ['EXTERNAL_KEY_TAKEN'] },
    ],
    ['an email address that is not valid', () => ({ Email: 'x' }), { Email: ['EMAIL_INVALID'] }],
    ['a state that does not exist', () => ({ State: 'gone' }), { State: ['INVALID_STATE'] }],
    ['a record without any value', () => ({ Denomination: null }), { Users: ['REQUIRED'] }],
    [
      'a record without any value and with an empty list of users',
      () => ({ Users: [] }),
      { Users: ['NO_USERS'] },
    ],
    [
      'a record that clears all fields of the principal',
      () => ({ Denomination: '', Vatnumber: '', NewExternalKey: '' }),
      { Denomination: ['EMPTY_PRINCIPAL'] },
    ],
  ])('refuses %s', async (_, fields, expected) => {
    const { id } = await principal();
    const { key } = await principal();
    const before = await stored(id);
    expect(await refusedWith({ ID: id, ...fields(key) })).toEqual(expected);
    expect(await stored(id)).toEqual(before);
  });

  it('refuses the second of two records of a call with the same new external key', async () => {
    const [one, two] = [await principal(), await principal()];
    const NewExternalKey = unique('shared');
    const { body } = await update({ ID: one.id, NewExternalKey }, { ID: two.id, NewExternalKey });
    expect(body.result?.records.map(({ Item2 }) => Item2)).toEqual([null, 'EXTERNAL_KEY_TAKEN']);
  });

  it('enables a principal and registers users under it in one record', async () => {
    const { id } = await principal();
    await update({ ID: id, State: 'disabled' });
    const Users = importedUsers(1);
    expect(await refusedWith({ ID: id, Users })).toEqual({ ID: ['PRINCIPAL_DISABLED'] });
    expect((await update({ ID: id, State: 'active', Users })).status).toBe(200);
    const disabling = { ID: id, State: 'disabled', Users: importedUsers(1) };
    expect(await refusedWith(disabling)).toEqual({ ID: ['PRINCIPAL_DISABLED'] });
    const wrongId = { ID: 'no ID', State: 'disabled', Users: importedUsers(1) };
    expect(await refusedWith(wrongId)).toEqual({ ID: ['INVALID_ID', 'PRINCIPAL_DISABLED'] });
  });

  it('ends the sessions of all users of a principal that it disables', async () => {
    const { id, first } = await principal();
    const session = await signedIn(service, first);
    await update({ ID: id, State: 'disabled' });
    expect((await service.call('irs/list', {}, asUser(session))).status).toBe(401);
  });
});

describe('the records of an irs/update call with edits', () => {
  it('are applied in the order sent, also to the same user in one call', async () => {
    const { id, one } = await principal();
    const edit = (fields: object) => ({ ID: id, Users: [{ Operation: 'edit', ID: one, ...fields }] });
    const { status } = await update(
      edit({ Phone: '1' }),
      edit({ Email: 'last@example.com' }),
      edit({ Phone: '3' }),
    );
    expect(status).toBe(200);
    expect((await stored(id))?.Users[0]).toMatchObject({ Phone: '3', Email: 'last@example.com' });
    const deleted = await update({ ID: id, Users: [{ Operation: 'delete', ID: one }] }, edit({ Phone: '4' }));
    expect(deleted.body.result?.records.map(({ Item2 }) => Item2)).toEqual([null, 'USER_NOT_FOUND']);
  });

  it.each(['', 'respond-async'])(
    'are applied in the order sent if the last one restores the values before the call (Prefer: "%s")',
    async (prefer) => {
      const send = async (path: string, records: unknown[]) => {
        if (prefer === '') expect((await service.call(path, records)).status).toBe(200);
        else await finished(service, await submit(service, path, records));
      };
      const { id, one, first } = await principal();
      const edit = (Email: string) => ({ ID: id, Users: [{ Operation: 'edit', ID: one, Email }] });
      await send('irs/update', [edit('other@example.com'), edit(`${first}@example.com`)]);
      const state = (State: string) => ({ ID: id, State, Users: [{ ID: one, State }] });
      await send('irs/state', [state('disabled'), state('active')]);
      expect(await stored(id)).toMatchObject({
        State: 'active',
        Users: [{ Email: `${first}@example.com`, State: 'active' }, {}],
      });
    },
  );

  it('do not delete or reset a user that an earlier record of the call has renamed', async () => {
    const item = (Username: string, more: object) => ({ Username, ...more });
    for (const [path, later] of [
      ['irs/update', { Operation: 'delete' }],
      ['irs/update', { Operation: 'reset', ...secrets }],
    ] as const) {
      const { id, one, first } = await principal();
      const rename = { Operation: 'edit', NewUsername: `renamed ${id}` };
      const { body } = await service.call(path, [
        { ID: id, Users: [item(first, rename)] },
        { ID: id, Users: [item(first, later)] },
      ]);
      expect(body.result?.records.map(({ Item2 }) => Item2)).toEqual([null, 'USER_NOT_FOUND']);
      expect((await stored(id))?.Users).toMatchObject([{ ID: one, Username: `renamed ${id}` }, {}]);
    }
  });

  it('can be mixed with registrations, sent as a dry run and run as a job', async () => {
    const [one, two] = [await principal(), await principal()];
    const records = [
      { ID: one.id, Users: importedUsers(1) },
      {
        ExternalKey: two.key,
        Denomination: 'By a job',
        Users: [{ Operation: 'delete', Username: two.first }],
      },
    ];
    const dry = await service.call('irs/update?dryRun=true', records);
    expect([dry.status, dry.body.result?.record]).toMatchObject([
      200,
      { Register: 1, Reset: 0, RecordsFailed: 0 },
    ]);
    expect((await stored(two.id))?.Users).toHaveLength(2);
    const { body } = await finished(service, await submit(service, 'irs/update', records));
    expect(body.result?.records.map(({ Item3 }) => Item3)).toEqual([true, true]);
    expect((await stored(one.id))?.Users).toHaveLength(3);
    expect(await stored(two.id)).toMatchObject({ Denomination: 'By a job', Users: [{ ID: two.two }] });
  });

  it('do not change the passwords of edited users', async () => {
    const { id, one, first } = await principal();
    await update({ ID: id, Users: [{ Operation: 'edit', ID: one, Phone: '5', Email: 'x@example.com' }] });
    expect((await login(service, first, rightPassword)).status).toBe(200);
  });
});

describe('a service with ANAGRAFE_REQUIRE_EMAIL=true', () => {
  it('refuses an edit that clears the email address of a user', async () => {
    const strict = await startTestService({ ANAGRAFE_REQUIRE_EMAIL: 'true' });
    const { id: ID, userIds } = await insertPrincipal(strict, {
      Users: [newUser('strict', { Email: 'a@example.com' })],
    });
    const edit = { Operation: 'edit', ID: userIds[0], Email: '' };
    const { body: refused } = await strict.call('irs/update', [{ ID, Users: [edit] }]);
    expect(refused.result?.records[0]?.Item5['Users[0].Email']?.[0]?.code).toBe('REQUIRED');
  });
});
