import { newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { verify } from '@node-rs/argon2';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

async function insert(...records: unknown[]) {
  const answer = await service.call('irs/insert', records);
  const tuples = answer.body.result?.records ?? [];
  return { ...answer, tuples, ids: tuples.map((tuple) => tuple.Item1 ?? 0) };
}

async function principal(id: number) {
  const [row] = await service.database.query(
    `select external_key, denomination, surname, name, vatnumber, taxcode, email, state, users_count
       from anagrafe.principals where id = $1`,
    [id],
  );
  return row;
}

async function countOf(table: 'principals' | 'users'): Promise<{ rows: number; tallied: number }> {
  const [counted] = await service.database.query<{ rows: number; tallied: number }>(
    `select (select count(*) from anagrafe.${table}) as rows,
            (select coalesce(sum(amount), 0)::bigint from anagrafe.row_counts where kind = $1) as tallied`,
    [table],
  );
  return counted ?? { rows: -1, tallied: -2 };
}

const full = {
  ExternalKey: 'ERP-1',
  Denomination: 'Rossi & Figli S.r.l.',
  Surname: 'Rossi',
  Name: 'Mario',
  Vatnumber: 'IT01234567890',
  Taxcode: 'RSSMRA80A01H501U',
  Email: 'Info@Rossi.example',
};

describe('irs/insert', () => {
  it('answers with the new ID in the documented tuple, byte for byte', async () => {
    const { status, text, ids } = await insert(full);
    expect(status).toBe(200);
    expect(ids[0]).toBeGreaterThan(0);
    expect(text).toBe(
      `{"statusCode":200,"errorCode":null,"message":null,"result":{"totalCount":1,"totalPages":1,"page":1,"count":1,"records":[{"Item1":${ids[0]},"Item2":null,"Item3":true,"Item4":null,"Item5":{},"Item6":{}}],"record":null},"debug":null}`,
    );
    expect(await principal(ids[0] ?? 0)).toEqual({
      external_key: 'ERP-1',
      denomination: 'Rossi & Figli S.r.l.',
      surname: 'Rossi',
      name: 'Mario',
      vatnumber: 'IT01234567890',
      taxcode: 'RSSMRA80A01H501U',
      email: 'Info@Rossi.example',
      state: 'active',
      users_count: 0,
    });
  });

  it('needs only one of its fields; the others may be null or missing', async () => {
    for (const [field, value] of Object.entries({ ...full, ExternalKey: 'ERP-2' })) {
      const { status } = await insert({ [field]: value, Nothing: null });
      expect(status).toBe(200);
    }
  });

  it.each([[{}], [{ Denomination: null }], [{ Users: [newUser('empty')] }]])(
    'refuses a principal without any field of its own: %o',
    async (record) => {
      const { status, body, tuples } = await insert(record);
      expect(status).toBe(422);
      expect(body.errorCode).toBe('INVALID_RECORD');
      expect(tuples[0]).toMatchObject({
        Item1: null,
        Item5: { Denomination: [{ code: 'EMPTY_PRINCIPAL' }] },
      });
    },
  );

  it('assigns IDs in the order sent, however long the passwords of the users take to hash', async () => {
    const records = Array.from({ length: 30 }, (_, n) => ({
      Denomination: `Number ${n}`,
      ...(n % 3 === 0 && { Users: [newUser(`number.${n}`)] }),
    }));
    const { ids } = await insert(...records);
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    expect(new Set(ids).size).toBe(30);
    const rows = await service.database.query<{ denomination: string }>(
      'select denomination from anagrafe.principals where id = any($1) order by id',
      [ids],
    );
    expect(rows.map((row) => row.denomination)).toEqual(records.map((record) => record.Denomination));
  });

  it('reports unknown fields, wrong types and invalid values together, by place', async () => {
    const { tuples } = await insert({
      ID: 7,
      denomination: 'lower case',
      ExternalKey: 7,
      Denomination: '   ',
      Surname: 'x'.repeat(256),
      Name: 'bell\u0007',
      Vatnumber: 'x'.repeat(65),
      Taxcode: ['x'],
      Email: 'nobody',
      Users: 'mario',
    });
    const found = Object.entries(tuples[0]?.Item5 ?? {}).map(([place, [error]]) => [place, error?.code]);
    expect(Object.fromEntries(found)).toEqual({
      ID: 'UNKNOWN_FIELD',
      denomination: 'UNKNOWN_FIELD',
      ExternalKey: 'WRONG_TYPE',
      Denomination: 'TEXT_EMPTY',
      Surname: 'TEXT_TOO_LONG',
      Name: 'TEXT_CHARACTERS',
      Vatnumber: 'TEXT_TOO_LONG',
      Taxcode: 'WRONG_TYPE',
      Email: 'EMAIL_INVALID',
      Users: 'WRONG_TYPE',
    });
    expect(tuples[0]).toMatchObject({ Item1: null, Item2: 'INVALID_RECORD', Item3: false });
  });

  it('accepts only POST', async () => {
    const { status, headers } = await service.call('irs/insert', [full], { method: 'PUT' });
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('POST');
  });
});

describe('ExternalKey', () => {
  it('is unique', async () => {
    const { ids } = await insert({ ExternalKey: 'unique' });
    const { status, body, tuples } = await insert({ ExternalKey: 'unique', Denomination: 'Again' });
    expect(status).toBe(422);
    expect(body.errorCode).toBe('EXTERNAL_KEY_TAKEN');
    expect(tuples[0]?.Item4).toBe(`This ExternalKey belongs to the principal with ID ${ids[0]}.`);
    expect(Object.keys(tuples[0]?.Item5 ?? {})).toEqual(['ExternalKey']);
  });

  it('is case-sensitive', async () => {
    expect((await insert({ ExternalKey: 'Case' }, { ExternalKey: 'case' })).status).toBe(200);
  });

  it('is assigned to the first record of a call that can be applied', async () => {
    await insert({ Denomination: 'Holder', Users: [newUser('held')] });
    const { tuples } = await insert(
      { ExternalKey: 'call', Email: 'nobody' },
      { ExternalKey: 'call', Users: [newUser('held')] },
      { ExternalKey: 'call', Denomination: 'First that can be' },
      { ExternalKey: 'call', Denomination: 'Too late' },
    );
    expect(tuples.map((tuple) => tuple.Item2)).toEqual([
      'INVALID_RECORD',
      'USERNAME_TAKEN',
      null,
      'EXTERNAL_KEY_TAKEN',
    ]);
    expect(tuples[3]?.Item4).toBe('This ExternalKey occurs in an earlier record of the same call.');
  });

  it('is assigned to exactly one of many concurrent calls', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => insert({ ExternalKey: 'race' })));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => answer.body.errorCode === 'EXTERNAL_KEY_TAKEN')).toHaveLength(9);
  });
});

describe('the users of a new principal', () => {
  it('may be absent, null or an empty array', async () => {
    const { status } = await insert(
      { Denomination: 'A' },
      { Denomination: 'B', Users: null },
      { Denomination: 'C', Users: [] },
    );
    expect(status).toBe(200);
  });

  it('are registered with it', async () => {
    const { ids } = await insert({ Denomination: 'D', Users: [newUser('with.1'), newUser('With.2')] });
    const users = await service.database.query<{ username: string; hash: string }>(
      'select username, password_hash as hash from anagrafe.users where principal_id = $1 order by id',
      [ids[0]],
    );
    expect(users.map((user) => user.username)).toEqual(['with.1', 'With.2']);
    expect(await verify(users[0]?.hash ?? '', 'correct horse battery')).toBe(true);
    expect(await principal(ids[0] ?? 0)).toMatchObject({ users_count: 2 });
  });

  it('are stored together with the principal, or none of them is', async () => {
    const before = [await countOf('principals'), await countOf('users')];
    const { tuples } = await insert({
      ExternalKey: 'not.stored',
      Users: [newUser('fine'), newUser('bad', { Email: 'nobody' }), { ID: 1, Password: 'x' }],
    });
    expect(tuples[0]).toMatchObject({ Item1: null, Item2: 'INVALID_USERS', Item3: false });
    expect(Object.keys(tuples[0]?.Item5 ?? {})).toEqual([
      'Users[1].Email',
      'Users[2].ID',
      'Users[2].Username',
      'Users[2].ConfirmPassword',
      'Users[2].Password',
    ]);
    expect([await countOf('principals'), await countOf('users')]).toEqual(before);
    expect((await insert({ ExternalKey: 'not.stored', Users: [newUser('fine')] })).status).toBe(200);
  });

  it('cannot share a username within a call: only the first principal is applied', async () => {
    const { status, tuples } = await insert(
      { Denomination: 'First', Users: [newUser('contested')] },
      { Denomination: 'Second', Users: [newUser('CONTESTED')] },
    );
    expect(status).toBe(207);
    expect(tuples.map((tuple) => tuple.Item2)).toEqual([null, 'USERNAME_TAKEN']);
  });

  it('are counted exactly in the row counts, as principals are', async () => {
    for (const table of ['principals', 'users'] as const) {
      const { rows, tallied } = await countOf(table);
      expect(tallied).toBe(rows);
    }
  });
});
