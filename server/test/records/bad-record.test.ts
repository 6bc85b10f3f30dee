import {
  expectFieldErrors,
  expectRefusal,
  logged,
  principal,
  readEnvelope,
  registration,
  send,
  service,
  user,
  useServices,
} from '@anagrafe/testing/bad-input';
import { newUser } from '@anagrafe/testing/service';
import { describe, expect, it } from 'vitest';

useServices();

describe('a record of irs/update', () => {
  const update = (record: unknown) => send('irs/update', { body: JSON.stringify([record]) });
  const updateText = (body: string) => send('irs/update', { body });

  it.each([
    ['zero', '0', 0],
    ['minus zero', '-0', 0],
    ['negative', '-1', -1],
    ['a fraction', '1.5', null],
    ['a tiny fraction', '1e-320', null],
    ['2^53', '9007199254740992', null],
    ['2^53 + 1', '9007199254740993', null],
    ['the largest double', '1.7976931348623157e308', null],
    ['a numeric string', '"1"', null],
    ['true', 'true', null],
    ['an array', '[1]', null],
    ['an object', '{"ID":1}', null],
  ])('is refused when its ID is %s', async (_, id, item1) => {
    const answer = await updateText(`[{"ID":${id},"Users":[${JSON.stringify(newUser('never.stored'))}]}]`);
    expect(await expectFieldErrors(answer, 'INVALID_RECORD')).toEqual([['ID', 'INVALID_ID']]);
    expect(readEnvelope(answer).result?.records[0]?.Item1).toBe(item1);
  });

  it.each(['0', '-0', '-1', '1.5', '9007199254740992', '1e300', '"1"', 'true', '[1]', '{}'])(
    'is refused when the ID of a user is %s',
    async (id) => {
      const passwords = '"Password":"correct horse battery","ConfirmPassword":"correct horse battery"';
      const answer = await updateText(`[{"ID":${principal},"Users":[{"ID":${id},${passwords}}]}]`);
      expect(await expectFieldErrors(answer, 'INVALID_USERS')).toEqual([['Users[0].ID', 'INVALID_ID']]);
    },
  );

  it.each([
    ['Username', 'USERNAME_CHARACTERS'],
    ['Email', 'EMAIL_INVALID'],
    ['Password', 'PASSWORD_CHARACTERS'],
    ['ConfirmPassword', 'PASSWORD_MISMATCH'],
  ])('is refused when %s contains NUL', async (field, code) => {
    const user = { ...newUser('never.stored'), Email: 'a@b.it' };
    const spoilt = { ...user, [field]: `${user[field as 'Email']}\0` };
    const errors = await expectFieldErrors(await update({ ID: principal, Users: [spoilt] }), 'INVALID_USERS');
    expect(errors).toContainEqual([`Users[0].${field}`, code]);
  });

  it('is refused when the new password of a reset contains NUL', async () => {
    const Password = 'correct\0horse battery';
    const record = { ID: principal, Users: [{ ID: user, Password, ConfirmPassword: Password }] };
    expect(await expectFieldErrors(await update(record), 'INVALID_USERS')).toEqual([
      ['Users[0].Password', 'PASSWORD_CHARACTERS'],
    ]);
  });

  it.each([1, -0, 1.5, true, [], {}, ['x'], { toString: 'x' }].map((value) => ({ value })))(
    'is refused when the fields of a user are $value instead of strings',
    async ({ value }) => {
      const user = { Username: value, Email: value, Password: value, ConfirmPassword: value };
      const errors = await expectFieldErrors(await update({ ID: principal, Users: [user] }), 'INVALID_USERS');
      expect(errors).toEqual(Object.keys(user).map((field) => [`Users[0].${field}`, 'WRONG_TYPE']));
    },
  );

  it.each([7, 'x', true, null, [], [[]]].map((value) => ({ value })))(
    'is refused when a user is $value',
    async ({ value }) => {
      const errors = await expectFieldErrors(
        await update({ ID: principal, Users: [value] }),
        'INVALID_USERS',
      );
      expect(errors).toEqual([['Users[0]', 'WRONG_TYPE']]);
    },
  );

  it.each([7, 'x', true, {}])('is refused when Users is %j', async (value) => {
    const errors = await expectFieldErrors(await update({ ID: principal, Users: value }), 'INVALID_USERS');
    expect(errors).toEqual([['Users', 'WRONG_TYPE']]);
  });

  it('is refused when the record or a user has unknown fields', async () => {
    const record = { ...registration(), Extra: 1, users: [], Users: [{ ...newUser('never.stored'), x: 0 }] };
    const errors = await expectFieldErrors(await update(record), 'INVALID_RECORD');
    expect(errors.sort()).toEqual([
      ['Extra', 'UNKNOWN_FIELD'],
      ['Users[0].x', 'UNKNOWN_FIELD'],
      ['users', 'UNKNOWN_FIELD'],
    ]);
  });

  it.each(['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString', 'then', '\0', ''])(
    'is refused when it has the unknown field %j',
    async (name) => {
      const field = `${JSON.stringify(name)}:{"ID":${principal},"Username":"polluted","isAdmin":true}`;
      const user = JSON.stringify(newUser('never.stored')).slice(1, -1);
      const inRecord = await updateText(`[{"ID":${principal},${field},"Users":[{${user}}]}]`);
      expect(await expectFieldErrors(inRecord, 'INVALID_RECORD')).toEqual([[name, 'UNKNOWN_FIELD']]);
      const inUser = await updateText(`[{"ID":${principal},"Users":[{${user},${field}}]}]`);
      expect(await expectFieldErrors(inUser, 'INVALID_USERS')).toEqual([
        [`Users[0].${name}`, 'UNKNOWN_FIELD'],
      ]);
      expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
    },
  );

  it('does not inherit fields from __proto__', async () => {
    const users = JSON.stringify([newUser('never.stored')]);
    const answer = await updateText(`[{"__proto__":{"ID":${principal},"Users":${users}}}]`);
    const errors = await expectFieldErrors(answer, 'INVALID_RECORD');
    expect(errors.sort()).toEqual([
      ['ID', 'REQUIRED'],
      ['Users', 'REQUIRED'],
      ['__proto__', 'UNKNOWN_FIELD'],
    ]);
  });

  it('gets an answer without lone surrogates when a long unknown name is cut off', async () => {
    for (const length of [57, 58, 59, 60]) {
      const name = `${'a'.repeat(length)}${'😀'.repeat(4)}`;
      const inBody = await update({ ...registration(), [name]: 1 });
      expect((await expectFieldErrors(inBody, 'INVALID_RECORD'))[0]?.[1]).toBe('UNKNOWN_FIELD');
      expect(inBody.text).not.toMatch(/\\ud[89a-f]/i);
      const body = JSON.stringify([registration()]);
      const inQuery = await send(`irs/update?${encodeURIComponent(name)}=1`, { body });
      expectRefusal(inQuery, 400, 'INVALID_PARAMETER');
      expect(inQuery.text).not.toMatch(/\\ud[89a-f]/i);
      const inListing = await send('irs/list', { body: JSON.stringify({ [name]: 1 }) });
      expectRefusal(inListing, 400, 'INVALID_PARAMETER');
      expect(inListing.text).not.toMatch(/\\ud[89a-f]/i);
    }
  });

  it('is refused when its password has two million characters, which are neither returned nor logged', async () => {
    const Password = 'secret sand '.repeat(166_667);
    const record = {
      ID: principal,
      Users: [newUser('never.stored', { Password, ConfirmPassword: Password })],
    };
    const answer = await update(record);
    expect(await expectFieldErrors(answer, 'INVALID_USERS')).toEqual([
      ['Users[0].Password', 'PASSWORD_TOO_LONG'],
    ]);
    expect(answer.text).not.toContain('secret sand');
    expect(service.log.slice(logged).join('')).not.toContain('secret sand');
  });

  it.each([
    ['Username', 'USERNAME_TOO_LONG'],
    ['Email', 'EMAIL_TOO_LONG'],
  ])('is refused when its %s has a million characters', async (field, code) => {
    const record = { ID: principal, Users: [newUser('never.stored', { [field]: 'a@b'.repeat(350_000) })] };
    expect(await expectFieldErrors(await update(record), 'INVALID_USERS')).toEqual([
      [`Users[0].${field}`, code],
    ]);
  });

  it('lists the errors of each user when registrations and resets are mixed', async () => {
    const record = {
      ID: principal,
      Users: [newUser('present'), { ID: user + 1_000_000 }, { ID: user, Username: 'x' }],
    };
    const errors = await expectFieldErrors(await update(record), 'INVALID_USERS');
    expect(errors.sort()).toEqual([
      ['Users[0].Username', 'USERNAME_TAKEN'],
      ['Users[1].ConfirmPassword', 'REQUIRED'],
      ['Users[1].ID', 'USER_NOT_FOUND'],
      ['Users[1].Password', 'REQUIRED'],
      ['Users[2]', 'AMBIGUOUS_USER'],
    ]);
  });
});

describe('a record of irs/insert', () => {
  it.each([
    ['ExternalKey', 'TEXT_CHARACTERS'],
    ['Denomination', 'TEXT_CHARACTERS'],
    ['Surname', 'TEXT_CHARACTERS'],
    ['Name', 'TEXT_CHARACTERS'],
    ['Vatnumber', 'TEXT_CHARACTERS'],
    ['Taxcode', 'TEXT_CHARACTERS'],
    ['Email', 'EMAIL_INVALID'],
  ])('is refused when %s contains NUL', async (field, code) => {
    const answer = await send('irs/insert', { body: JSON.stringify([{ [field]: 'a\0b' }]) });
    expect(await expectFieldErrors(answer, 'INVALID_RECORD')).toEqual([[field, code]]);
  });

  it.each([
    ['a right-to-left override', '\u202e'],
    ['a direction isolate', '\u2066'],
    ['a zero-width space', '\u200b'],
    ['a byte order mark', '\ufeff'],
    ['a line separator', '\u2028'],
    ['a paragraph separator', '\u2029'],
    ['a soft hyphen', '\u00ad'],
    ['a tag character', '\u{e0041}'],
    ['a Hangul filler', '\u3164'],
  ])('is refused when its name contains %s', async (_, character) => {
    const answer = await send('irs/insert', {
      body: JSON.stringify([{ Denomination: `Rossi${character}Srl` }]),
    });
    expect(await expectFieldErrors(answer, 'INVALID_RECORD')).toEqual([['Denomination', 'TEXT_CHARACTERS']]);
  });

  it.each([
    ['a line separator', '\u2028'],
    ['a paragraph separator', '\u2029'],
    ['a soft hyphen', '\u00ad'],
    ['a tag character', '\u{e0041}'],
    ['a zero-width space', '\u200b'],
    ['a zero-width joiner', '\u200d'],
    ['a zero-width non-joiner', '\u200c'],
    ['a variation selector', '\ufe0f'],
    ['a right-to-left mark', '\u200f'],
    ['a direction isolate', '\u2066'],
  ])('is refused when its key or a username contains %s', async (_, character) => {
    const name = `C-1${character}7`;
    const errorsOf = async (path: string, record: object, code: string) =>
      expectFieldErrors(await send(path, { body: JSON.stringify([record]) }), code);
    const keyError = [['ExternalKey', 'TEXT_CHARACTERS']];
    expect(await errorsOf('irs/insert', { ExternalKey: name }, 'INVALID_RECORD')).toEqual(keyError);
    expect(await errorsOf('irs/upsert', { ExternalKey: name }, 'INVALID_RECORD')).toEqual(keyError);
    expect(await errorsOf('irs/update', { ID: principal, NewExternalKey: name }, 'INVALID_RECORD')).toEqual([
      ['NewExternalKey', 'TEXT_CHARACTERS'],
    ]);
    const Users = [newUser(name)];
    expect(await errorsOf('irs/update', { ID: principal, Users }, 'INVALID_USERS')).toEqual([
      ['Users[0].Username', 'USERNAME_CHARACTERS'],
    ]);
  });

  it('is refused when it has two million characters in a field', async () => {
    const answer = await send('irs/insert', { body: JSON.stringify([{ Surname: 'x'.repeat(2_000_000) }]) });
    expect(await expectFieldErrors(answer, 'INVALID_RECORD')).toEqual([['Surname', 'TEXT_TOO_LONG']]);
  });
});
