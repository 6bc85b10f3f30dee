import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { FieldErrors } from '../../src/lib/field-errors.ts';
import type { Fields } from '../../src/lib/request-fields.ts';
import { storedFailures, withoutSecrets } from '../../src/records/write/failed-records.ts';

const empty = { Password: null, ConfirmPassword: null };

describe('a record without its secrets', () => {
  it('keeps the fields of an update, with null for its secrets', async () => {
    const record = {
      ID: 7,
      Users: [
        { Username: 'mario', Email: 'mario@example.com', Password: 'secret', ConfirmPassword: 'secret' },
        { ID: 3, Password: 'secret', ConfirmPassword: 'other' },
        { Username: 'anna', PasswordHash: '$2b$12$secret' },
      ],
    };
    expect(await withoutSecrets('update', record)).toEqual({
      ID: 7,
      Users: [
        { Username: 'mario', Email: 'mario@example.com', ...empty },
        { ID: 3, ...empty },
        { Username: 'anna', ...empty },
      ],
    });
  });

  it('has a value that is invalid in an edit in place of a redacted one if the operation is misspelt', async () => {
    const record = { ID: 7, Users: [{ Operation: 'Edit', ID: 1, Email: 'no address' }] };
    const { Users } = await withoutSecrets('update', record);
    expect(Users).toEqual([{ Operation: '', ID: 1, Email: false, ...empty }]);
  });

  it('keeps the fields of an insert', async () => {
    const details = {
      ExternalKey: 'C-1',
      Denomination: 'Rossi Srl',
      Surname: 'Rossi',
      Name: 'Mario',
      Vatnumber: 'IT01234567890',
      Taxcode: 'RSSMRA80A01H501U',
      Email: 'mario@example.com',
    };
    const users = [{ Username: 'mario', Email: 'm@example.com', Password: 'secret', ID: 3 }];
    expect(await withoutSecrets('insert', { ...details, Users: users })).toEqual({
      ...details,
      Users: [{ Username: 'mario', Email: 'm@example.com', ID: 3, ...empty }],
    });
    expect(await withoutSecrets('insert', details)).toEqual(details);
  });

  it('keeps edits and deletions, without fields for passwords', async () => {
    const record = {
      ExternalKey: 'C-1',
      NewExternalKey: 'C-2',
      Denomination: '',
      State: 'disabled',
      Users: [
        { Operation: 'edit', Username: 'mario', NewUsername: 'mario.rossi', Email: '', State: 'active' },
        { Operation: 'delete', ID: 7 },
        { Operation: 'reset', Username: 'anna', Password: 'secret', ConfirmPassword: 'secret' },
      ],
    };
    const [edit, deletion] = record.Users;
    expect(await withoutSecrets('update', record)).toEqual({
      ...record,
      Users: [edit, deletion, { Operation: 'reset', Username: 'anna', ...empty }],
    });
  });

  it('never contains an empty text that would clear a field which was not cleared', async () => {
    const long = 'x'.repeat(2000);
    const Users = [
      { Operation: 'edit', ID: 1, Email: 'a password', Phone: long, Extra: 1 },
      { Operation: 'my password', ID: 1 },
    ];
    expect(await withoutSecrets('update', { ID: 1, Name: long, Email: 'a password', Users })).toEqual({
      ID: 1,
      Name: false,
      Email: false,
      Users: [
        { Operation: 'edit', ID: 1, Email: false, Phone: false, Extra: '' },
        { Operation: '', ID: 1, ...empty },
      ],
    });
  });

  it('keeps the names of users in records of irs/state and irs/delete', async () => {
    const Users = [{ Username: 'mario' }, { ID: 7 }];
    expect(await withoutSecrets('delete', { ExternalKey: 'C-1', Users })).toEqual({
      ExternalKey: 'C-1',
      Users,
    });
    const states = Users.map((user) => ({ ...user, State: 'disabled' }));
    expect(await withoutSecrets('state', { ExternalKey: 'C-1', Users: states })).toEqual({
      ExternalKey: 'C-1',
      Users: states,
    });
  });

  it('omits absent fields, and keeps the number of users', async () => {
    expect(await withoutSecrets('update', { ID: null, Users: null })).toEqual({});
    expect(await withoutSecrets('update', { ID: 1, Users: [] })).toEqual({ ID: 1, Users: [] });
    expect(await withoutSecrets('update', { ID: 1, Users: [null, 'x', [], 7, {}] })).toEqual({
      ID: 1,
      Users: [null, null, null, null, empty],
    });
  });

  it('keeps invalid values that cannot be secrets, so that they can be corrected', async () => {
    const record = { ID: '7', Users: [{ Username: true, Email: 12, ID: -1.5 }] };
    expect(await withoutSecrets('update', record)).toEqual({
      ID: '7',
      Users: [{ Username: true, Email: 12, ID: -1.5, ...empty }],
    });
  });

  it('has an empty text, which is refused again, for a value that may be a secret', async () => {
    const record = { ID: { is: 'secret' }, Users: [{ Username: ['secret'], Email: 'x'.repeat(1025) }] };
    expect(await withoutSecrets('update', record)).toEqual({
      ID: '',
      Users: [{ Username: '', Email: '', ...empty }],
    });
    expect(await withoutSecrets('insert', { Name: 'x', Users: { not: 'an array' } })).toEqual({
      Name: 'x',
      Users: '',
    });
    const longest = 'x'.repeat(1024);
    expect(await withoutSecrets('insert', { Name: longest })).toEqual({ Name: longest });
  });

  it('has an empty text for an unknown field named __proto__, which is refused again', async () => {
    const record = JSON.parse('{"Denomination":"Rossi","__proto__":1}');
    expect(JSON.stringify(await withoutSecrets('insert', record))).toBe(
      '{"Denomination":"Rossi","__proto__":""}',
    );
  });

  it('has an empty text for an ID or Email that is not valid, so that no user is registered without the Email sent', async () => {
    const record = {
      ID: 'a secret',
      Users: [{ ID: 'a secret', Username: 'x', Email: 'a secret' }, { Email: '' }],
    };
    expect(await withoutSecrets('update', record)).toEqual({
      ID: '',
      Users: [
        { ID: '', Username: 'x', Email: '', ...empty },
        { Email: '', ...empty },
      ],
    });
    expect(await withoutSecrets('update', { ID: '-12' })).toEqual({ ID: '-12' });
  });

  it('does not keep a username or an email that equals the password', async () => {
    const users = [
      { Username: 'mario rossi', Password: 'mario rossi', ConfirmPassword: 'another' },
      { Username: 'anna', Email: 'anna@example.com', Password: 'x', ConfirmPassword: 'anna@example.com' },
      { ID: 7, Password: 7 },
    ];
    expect(await withoutSecrets('update', { ID: 1, Users: users })).toEqual({
      ID: 1,
      Users: [
        { Username: '', ...empty },
        { Username: 'anna', Email: '', ...empty },
        { ID: 7, ...empty },
      ],
    });
  });

  it('keeps valid attributes, and has an empty text for others and for those that equal the password', async () => {
    const users = [
      { Username: 'mario', Attributes: { Department: 'Sales', Floor: null } },
      { Username: 'anna', Attributes: { Department: ['secret'] } },
      { Username: 'ugo', Attributes: { Pin: 'secret' }, Password: 'secret' },
      { Username: 'eva', Attributes: 'secret' },
      { Username: 'leo', Attributes: {} },
    ];
    const kept = await withoutSecrets('update', { ID: 1, Users: users });
    expect(JSON.parse(JSON.stringify(kept))).toEqual({
      ID: 1,
      Users: [
        { Username: 'mario', Attributes: { Department: 'Sales' }, ...empty },
        { Username: 'anna', Attributes: '', ...empty },
        { Username: 'ugo', Attributes: '', ...empty },
        { Username: 'eva', Attributes: '', ...empty },
        { Username: 'leo', Attributes: {}, ...empty },
      ],
    });
  });

  it('keeps only the name of an unknown field', async () => {
    const record: Fields = JSON.parse(
      '{"ID":1,"__proto__":{"Password":"secret"},"Password":"secret","FieldErrors":["secret"],"Users":[{"Username":"x","__proto__":"secret","constructor":"secret","password":"secret"}]}',
    );
    const kept = await withoutSecrets('update', record);
    expect(JSON.stringify(kept)).toBe(
      '{"ID":1,"__proto__":"","Users":[{"Username":"x","__proto__":"","constructor":"","password":"","Password":null,"ConfirmPassword":null}]}',
    );
    expect(Object.getPrototypeOf(kept)).toBe(Object.prototype);
  });

  it('contains no text except that of known fields', async () => {
    const secret = fc.constant('the secret');
    const anything = fc.oneof(secret, fc.array(secret), fc.dictionary(fc.string(), secret), fc.integer());
    const known = { Username: fc.constant('x'), ID: fc.integer(), Email: fc.constant('y') };
    const user = fc
      .tuple(fc.dictionary(fc.string({ maxLength: 12 }), anything), fc.record(known, { requiredKeys: [] }))
      .map(([other, own]) => ({ Password: 'the secret', ...other, ...own }));
    const record = fc.record({
      ID: fc.integer(),
      Users: fc.oneof(fc.array(user), anything),
      Extra: anything,
    });
    await fc.assert(
      fc.asyncProperty(record, async (sent) => {
        for (const operation of ['update', 'insert', 'state', 'delete'] as const) {
          expect(JSON.stringify(await withoutSecrets(operation, sent))).not.toContain('the secret');
        }
      }),
    );
  });
});

describe('a failed record', () => {
  const outcome = {
    id: null,
    error: { code: 'INVALID_RECORD', variant: 'done' },
    errors: new FieldErrors(),
    users: [],
  } as const;
  const stored = async (fields: Fields, id: number | null = null) =>
    (
      await storedFailures('update', [
        { position: 0, outcome: { ...outcome, id }, fields: async () => fields },
      ])
    )[0];

  it('is stored with its external key and its first username', async () => {
    const Users = [{ ID: 7 }, { Username: 'Mario' }, { Username: 'anna' }];
    expect(await stored({ ExternalKey: 'C-1', Users })).toMatchObject({
      externalKey: 'C-1',
      username: 'Mario',
    });
    expect(await stored({ ID: 3, ExternalKey: 'C-1' }, 3)).toMatchObject({
      externalKey: null,
      username: null,
    });
    expect(await stored({ ExternalKey: 'x'.repeat(129) })).toMatchObject({ externalKey: null });
  });

  it('is stored with all IDs, keys and usernames that it contains, usernames in their mapped form', async () => {
    const Users = [
      { ID: 7 },
      { Username: 'MARIO', NewUsername: 'Mario.Rossi' },
      { Username: ' ' },
      'x',
      { ID: 'x' },
    ];
    const failure = await stored({ ID: 3, ExternalKey: 'C-1', NewExternalKey: 'C-2', Users });
    expect(failure?.mentions).toEqual([
      'principal:3',
      'key:C-1',
      'key:C-2',
      'user:7',
      'name:mario',
      'name:mario.rossi',
    ]);
  });
});

describe('many failed records', () => {
  it('are converted in several turns of the event loop', async () => {
    // Each read of the clock advances it by a second, which ends a time slice.
    let reads = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => ++reads * 1000);
    const outcome = {
      id: null,
      error: { code: 'INVALID_RECORD', variant: 'done' },
      errors: new FieldErrors(),
      users: [],
    } as const;
    const failed = Array.from({ length: 50 }, (_, position) => ({
      position,
      outcome,
      fields: async () => ({}),
    }));
    let turns = 0;
    const stored = storedFailures('insert', failed).finally(() => vi.restoreAllMocks());
    while ((await Promise.race([stored, nextTurn(null)])) === null) turns++;
    expect((await stored).map(({ position }) => position)).toEqual(failed.map(({ position }) => position));
    expect(turns).toBeGreaterThanOrEqual(49);
  });
});
