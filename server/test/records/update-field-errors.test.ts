import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let principal: number;

beforeAll(async () => {
  service = await startTestService();
  [principal = 0] = await insertPrincipals(service, 1);
});

async function update(...records: unknown[]) {
  const answer = await service.call('irs/update', records);
  const tuples = answer.body.result?.records ?? [];
  return { ...answer, tuples, codes: tuples.map((tuple) => codesOf(tuple.Item5)) };
}

/** Returns the codes of Item5 by place: `{ 'Users[0].Password': ['REQUIRED'] }`. Asserts the form of the messages. */
function codesOf(item5: Record<string, { code: string; message: string }[]>) {
  for (const { message } of Object.values(item5).flat()) expect(message).toMatch(/^.{10,}[.?]$/);
  return Object.fromEntries(
    Object.entries(item5).map(([place, errors]) => [place, errors.map((error) => error.code)]),
  );
}

describe('a field that is null', () => {
  it('is treated as absent in a registration and in a reset, even if it is unknown', async () => {
    const { status, tuples } = await update({
      ID: principal,
      Users: [newUser('nulls', { ID: null, Email: null, Nickname: null })],
      Denomination: null,
    });
    expect(status).toBe(200);
    expect(tuples[0]?.Item3).toBe(true);
    const [user] = await service.database.query<{ id: number }>(
      `select id from anagrafe.users where username = 'nulls'`,
    );
    const reset = { ID: user?.id, Username: null, Email: null, Password: 'long sentence', Other: null };
    const answer = await update({ ID: principal, Users: [{ ...reset, ConfirmPassword: 'long sentence' }] });
    expect(answer.status).toBe(200);
  });

  it('is reported as missing if it is required', async () => {
    const { codes } = await update(
      { ID: null, Users: null },
      {},
      { ID: principal, Users: [{ Username: 'nulls.2', Password: null, ConfirmPassword: null }] },
      { ID: principal, Users: [{ Username: null, ID: null, Password: null }] },
    );
    const missing = { ID: ['REQUIRED'], Users: ['REQUIRED'] };
    expect(codes).toEqual([
      missing,
      missing,
      { 'Users[0].Password': ['REQUIRED'], 'Users[0].ConfirmPassword': ['REQUIRED'] },
      { 'Users[0]': ['UNRECOGNISED_USER'] },
    ]);
  });
});

describe('an unknown field', () => {
  it('is refused by its name in a record and in a user', async () => {
    const { tuples } = await update({
      ID: principal,
      Website: 'example.com',
      Users: [newUser('unknown', { Nickname: 'un', Role: 0, Active: false })],
    });
    expect(tuples[0]).toMatchObject({
      Item2: 'INVALID_RECORD',
      Item3: false,
      Item5: {
        Website: [{ code: 'UNKNOWN_FIELD', message: 'Unknown field "Website".' }],
        'Users[0].Nickname': [{ code: 'UNKNOWN_FIELD', message: 'Unknown field "Nickname".' }],
        'Users[0].Role': [{ code: 'UNKNOWN_FIELD' }],
        'Users[0].Active': [{ code: 'UNKNOWN_FIELD' }],
      },
    });
  });

  it('is answered with the known field name if only the case differs', async () => {
    const { tuples } = await update({
      ID: principal,
      Users: [{ username: 'spelling', Password: 'long sentence', ConfirmPassword: 'long sentence' }],
    });
    expect(codesOf(tuples[0]?.Item5 ?? {})).toEqual({
      'Users[0]': ['UNRECOGNISED_USER'],
      'Users[0].username': ['UNKNOWN_FIELD'],
    });
    expect(tuples[0]?.Item5['Users[0].username']?.[0]?.message).toContain('Did you mean "Username"?');
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', ''])(
    'is refused if its name is "%s"',
    async (name) => {
      const user = { ...newUser('proto'), [name]: 'x' };
      const { codes } = await update({ ID: principal, Users: [user], [name]: { ID: 1 } });
      expect(Object.keys(codes[0] ?? {})).toEqual([name, `Users[0].${name}`]);
    },
  );

  it('is named with less than 100 characters and without lone surrogates', async () => {
    const name = `${'x'.repeat(59)}😀${'y'.repeat(1000)}`;
    const { text, tuples } = await update({ ID: principal, Users: [newUser('long')], [name]: 1 });
    expect(Object.keys(tuples[0]?.Item5 ?? {})[0]?.length).toBeLessThan(100);
    expect(text).not.toMatch(/\\ud[89ab]/i);
  });
});

describe('a user that is neither a registration nor a reset', () => {
  it('is refused as ambiguous if it has both Username and ID', async () => {
    const { codes, tuples } = await update({ ID: principal, Users: [newUser('both', { ID: 1 })] });
    expect(tuples[0]?.Item2).toBe('INVALID_USERS');
    expect(codes[0]).toEqual({ 'Users[0]': ['AMBIGUOUS_USER'] });
  });

  it('is refused if it has neither Username nor ID', async () => {
    const { codes } = await update({
      ID: principal,
      Users: [{ Password: 'long sentence', ConfirmPassword: 'long sentence' }, {}],
    });
    expect(codes[0]).toEqual({ 'Users[0]': ['UNRECOGNISED_USER'], 'Users[1]': ['UNRECOGNISED_USER'] });
  });

  it.each([
    ['a string', 'mario'],
    ['null', null],
    ['an array', []],
    ['a number', 7],
    ['true', true],
  ])('is refused as a value of the wrong type: %s', async (_, item) => {
    const { codes } = await update({ ID: principal, Users: [item] });
    expect(codes[0]).toEqual({ 'Users[0]': ['WRONG_TYPE'] });
  });
});

describe('the field Users of irs/update', () => {
  it('must be an array with at least one user', async () => {
    const { tuples, codes } = await update(
      { ID: principal, Users: [] },
      { ID: principal, Users: {} },
      { ID: principal, Users: 'mario' },
      { ID: principal },
    );
    expect(codes).toEqual([
      { Users: ['NO_USERS'] },
      { Users: ['WRONG_TYPE'] },
      { Users: ['WRONG_TYPE'] },
      { Users: ['REQUIRED'] },
    ]);
    expect(new Set(tuples.map((tuple) => tuple.Item2))).toEqual(new Set(['INVALID_USERS']));
  });
});

describe('the field errors of a record', () => {
  it('are all returned together, by place', async () => {
    const { tuples, codes } = await update({
      ID: 999_999,
      Extra: true,
      Users: [
        { Username: ' padded', Email: 'no address', Password: 'short', ConfirmPassword: 'other' },
        { Username: 7, Email: 8, Password: 9, ConfirmPassword: [] },
        { ID: '7', Password: 'password1' },
        'nobody',
        newUser('fine'),
      ],
    });
    expect(codes[0]).toEqual({
      ID: ['PRINCIPAL_NOT_FOUND'],
      Extra: ['UNKNOWN_FIELD'],
      'Users[0].Username': ['USERNAME_SPACES'],
      'Users[0].Email': ['EMAIL_INVALID'],
      'Users[0].Password': ['PASSWORD_TOO_SHORT'],
      'Users[0].ConfirmPassword': ['PASSWORD_MISMATCH'],
      'Users[1].Username': ['WRONG_TYPE'],
      'Users[1].Email': ['WRONG_TYPE'],
      'Users[1].Password': ['WRONG_TYPE'],
      'Users[1].ConfirmPassword': ['WRONG_TYPE'],
      'Users[2].ID': ['INVALID_ID'],
      'Users[2].Password': ['PASSWORD_COMMON'],
      'Users[2].ConfirmPassword': ['REQUIRED'],
      'Users[3]': ['WRONG_TYPE'],
    });
    expect(tuples[0]).toMatchObject({ Item1: 999_999, Item2: 'PRINCIPAL_NOT_FOUND', Item6: {} });
  });

  it('do not include USER_NOT_FOUND if the record names no principal', async () => {
    const { codes } = await update({
      Users: [{ ID: 1, Password: 'long sentence', ConfirmPassword: 'long sentence' }],
    });
    expect(codes[0]).toEqual({ ID: ['REQUIRED'] });
  });
});

describe('Item1 of a refused record', () => {
  it.each([
    ['an ID that does not exist', 424_242, 424_242, 'PRINCIPAL_NOT_FOUND'],
    ['the largest ID', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 'PRINCIPAL_NOT_FOUND'],
    ['zero', 0, 0, 'INVALID_RECORD'],
    ['a negative', -3, -3, 'INVALID_RECORD'],
    ['a fraction', 1.5, null, 'INVALID_RECORD'],
    ['a numeric string', '1', null, 'INVALID_RECORD'],
    ['more than 2^53-1', 2 ** 60, null, 'INVALID_RECORD'],
    ['null', null, null, 'INVALID_RECORD'],
    ['an array', [1], null, 'INVALID_RECORD'],
  ])('repeats %s if it is a safe integer, and is null otherwise', async (_, ID, item1, item2) => {
    const { tuples } = await update({ ID, Users: [newUser('item1')] });
    expect(tuples[0]).toMatchObject({ Item1: item1, Item2: item2, Item3: false });
  });
});

describe('the status of a well-formed call', () => {
  const missing = { ID: 999_999, Users: [newUser('status.missing')] };
  const invalid = () => ({ ID: principal, Users: [newUser('status.bad', { Password: 'short' })] });

  it('is 422 with the common code of the records when none was applied', async () => {
    const { status, body } = await update(missing, { ...missing, ID: 999_998 });
    expect(status).toBe(422);
    expect(body).toMatchObject({ statusCode: 422, errorCode: 'PRINCIPAL_NOT_FOUND' });
    expect(body.result).toMatchObject({ totalCount: 2, totalPages: 1, page: 1, count: 2, record: null });
  });

  it('is 422 with NOTHING_APPLIED when its records were refused for different reasons', async () => {
    const { status, body } = await update(missing, invalid());
    expect(status).toBe(422);
    expect(body.errorCode).toBe('NOTHING_APPLIED');
    expect(body.message).toBe('No record was applied. See result.records for the errors.');
  });

  it('is 207 when only some of its records were applied', async () => {
    const { status, body } = await update(missing, { ID: principal, Users: [newUser('status.good')] });
    expect(status).toBe(207);
    expect(body).toMatchObject({ statusCode: 207, errorCode: 'PARTIALLY_APPLIED', debug: null });
    expect(body.message).toBe(
      '1 of 2 records were applied. See result.records for the errors of the others.',
    );
  });
});
