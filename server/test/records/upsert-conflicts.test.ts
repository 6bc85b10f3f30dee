import { credential } from '@anagrafe/testing/admin';
import { importedUser, jobOf } from '@anagrafe/testing/jobs';
import { codesOf, fieldCodesOf, insertPrincipal, unique } from '@anagrafe/testing/records';
import { newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { counts, countsOf, storedPrincipal, storedRows, upsert } from '@anagrafe/testing/upserts';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

/** Inserts a principal with a user. */
async function company(more: Record<string, unknown> = {}) {
  const username = unique('user');
  const fields = { Denomination: 'Alfa Srl', Users: [importedUser(username)], ...more };
  return { ...(await insertPrincipal(service, fields)), username };
}

describe('a record of an upsert', () => {
  it.each([
    ['without ID and ExternalKey', { Denomination: 'X' }, { ExternalKey: ['REQUIRED'] }],
    ['with both ID and ExternalKey', { ID: 1, ExternalKey: 'X' }, { ID: ['AMBIGUOUS_PRINCIPAL'] }],
    ['with an ID that is a string', { ID: '1' }, { ID: ['INVALID_ID'] }],
    ['with an empty external key', { ExternalKey: '' }, { ExternalKey: ['TEXT_EMPTY'] }],
    ['with an unknown field', { ExternalKey: 'X', Denominazione: 'Y' }, { Denominazione: ['UNKNOWN_FIELD'] }],
    ['with an unknown state', { ExternalKey: 'X', State: 'gone' }, { State: ['INVALID_STATE'] }],
    ['with Users that is not an array', { ExternalKey: 'X', Users: {} }, { Users: ['WRONG_TYPE'] }],
    ['with a user that is not an object', { ExternalKey: 'X', Users: [7] }, { 'Users[0]': ['WRONG_TYPE'] }],
    [
      'with a user that has an ID instead of a username',
      { ExternalKey: 'X', Users: [{ ID: 7 }] },
      { 'Users[0].ID': ['UNKNOWN_FIELD'], 'Users[0].Username': ['REQUIRED'] },
    ],
    [
      'with an invalid email address',
      { ExternalKey: 'X', Users: [{ ...importedUser('x'), Email: 'nowhere' }] },
      { 'Users[0].Email': ['EMAIL_INVALID'] },
    ],
    [
      'with a password beside a hash',
      { ExternalKey: 'X', Users: [{ ...importedUser('x'), Password: 'a long sentence' }] },
      { 'Users[0].Password': ['PASSWORD_BESIDE_HASH'] },
    ],
  ])('is refused %s', async (_, record, codes) => {
    const answer = await upsert(service, [record]);
    expect(answer.status).toBe(422);
    expect(fieldCodesOf(answer)).toEqual(codes);
  });

  it('is refused if an earlier record names the same principal, by its ID or its external key', async () => {
    const { id, key } = await company();
    const added = unique('C');
    const answer = await upsert(service, [
      { ExternalKey: key, Denomination: 'Alfa Srl' },
      { ExternalKey: key, Denomination: 'Beta Srl' },
      { ID: id, Denomination: 'Gamma Srl' },
      { ExternalKey: added, Denomination: 'Alfa Srl' },
      { ExternalKey: added, Denomination: 'Beta Srl' },
    ]);
    expect(codesOf(answer)).toEqual([
      null,
      'DUPLICATE_PRINCIPAL',
      'DUPLICATE_PRINCIPAL',
      null,
      'DUPLICATE_PRINCIPAL',
    ]);
    expect(await storedPrincipal(service, key)).toMatchObject({ denomination: 'Alfa Srl' });
    expect(await storedPrincipal(service, added)).toMatchObject({ denomination: 'Alfa Srl' });
  });

  it('is refused if an earlier record with the same principal was refused', async () => {
    const key = unique('C');
    const answer = await upsert(service, [
      { ExternalKey: key, Email: 'nowhere' },
      { ExternalKey: key, Denomination: 'Beta Srl' },
    ]);
    expect(codesOf(answer)).toEqual(['INVALID_RECORD', 'DUPLICATE_PRINCIPAL']);
    expect(await storedPrincipal(service, key)).toBeNull();
  });

  it('is refused if it names a user twice', async () => {
    const { key, username } = await company();
    const answer = await upsert(service, [
      {
        ExternalKey: key,
        Users: [
          { Username: username, Email: 'a@example.com' },
          { Username: username.toUpperCase(), Email: 'b@example.com' },
        ],
      },
    ]);
    expect(fieldCodesOf(answer)).toEqual({ 'Users[1].Username': ['DUPLICATE_USER'] });
  });

  it('is refused if a username belongs to another principal or to an earlier record', async () => {
    const { username } = await company();
    const [one, other, shared] = [unique('C'), unique('C'), unique('user')];
    const answer = await upsert(service, [
      { ExternalKey: one, Users: [importedUser(username)] },
      { ExternalKey: one.toLowerCase(), Users: [importedUser(shared)] },
      { ExternalKey: other, Users: [importedUser(shared)] },
    ]);
    expect(codesOf(answer)).toEqual(['USERNAME_TAKEN', null, 'USERNAME_TAKEN']);
    expect(await storedPrincipal(service, other)).toBeNull();
  });

  it('is refused if it registers users under a disabled principal, unless it enables the principal', async () => {
    const { key } = await company();
    await upsert(service, [{ ExternalKey: key, State: 'disabled' }]);
    const Users = [importedUser(unique('user'))];
    const refused = await upsert(service, [{ ExternalKey: key, Users }]);
    expect(codesOf(refused)).toEqual(['PRINCIPAL_DISABLED']);
    const enabled = await upsert(service, [{ ExternalKey: key, State: 'active', Users }]);
    expect(countsOf(enabled)).toEqual(counts({ PrincipalsUpdated: 1, UsersRegistered: 1 }));
  });

  it('is refused without an email address for a new user if ANAGRAFE_REQUIRE_EMAIL is true', async () => {
    const strict = await startTestService({ ANAGRAFE_REQUIRE_EMAIL: 'true' });
    const key = unique('C');
    const without = await upsert(strict, [{ ExternalKey: key, Users: [importedUser('a')] }]);
    expect(fieldCodesOf(without)).toEqual({ 'Users[0].Email': ['REQUIRED'] });
    const Users = [importedUser('a', { Email: 'a@example.com' })];
    expect((await upsert(strict, [{ ExternalKey: key, Users }])).status).toBe(200);
    const kept = await upsert(strict, [{ ExternalKey: key, Users: [{ Username: 'a', Phone: '1' }] }]);
    expect(kept.status).toBe(200);
    const cleared = await upsert(strict, [{ ExternalKey: key, Users: [{ Username: 'a', Email: '' }] }]);
    expect(fieldCodesOf(cleared)).toEqual({ 'Users[0].Email': ['REQUIRED'] });
    await strict.stop();
  });
});

describe('an upsert with existing=refuse', () => {
  it('refuses a principal whose fields differ, with the stored and the sent value of each', async () => {
    const { key } = await company({ Vatnumber: '01111111111' });
    const before = await storedRows(service);
    const answer = await upsert(
      service,
      [{ ExternalKey: key, Denomination: 'Beta Srl', Vatnumber: '02222222222', State: 'disabled' }],
      'existing=refuse',
    );
    expect([answer.status, answer.body.errorCode]).toEqual([422, 'DIFFERS_FROM_STORED']);
    expect(answer.body.result?.records[0]?.Item5).toEqual({
      Denomination: [
        {
          code: 'DIFFERS_FROM_STORED',
          message: 'The stored value is "Alfa Srl", but "Beta Srl" was sent.',
        },
      ],
      Vatnumber: [
        {
          code: 'DIFFERS_FROM_STORED',
          message: 'The stored value is "01111111111", but "02222222222" was sent.',
        },
      ],
      State: [
        { code: 'DIFFERS_FROM_STORED', message: 'The stored value is "active", but "disabled" was sent.' },
      ],
    });
    expect(await storedRows(service)).toEqual(before);
  });

  it('registers new users under a principal whose fields are equal, and refuses existing users', async () => {
    const { key, username } = await company();
    const added = unique('user');
    const equal = await upsert(
      service,
      [{ ExternalKey: key, Denomination: 'Alfa Srl', Users: [importedUser(added)] }],
      'existing=refuse',
    );
    expect(countsOf(equal)).toEqual(counts({ UsersRegistered: 1 }));
    const taken = await upsert(
      service,
      [{ ExternalKey: key, Users: [{ ...newUser(username) }] }],
      'existing=refuse',
    );
    expect(codesOf(taken)).toEqual(['USERNAME_TAKEN']);
  });

  it('inserts principals that do not exist', async () => {
    const answer = await upsert(service, [{ ExternalKey: unique('C'), Name: 'A' }], 'existing=refuse');
    expect(countsOf(answer)).toEqual(counts({ PrincipalsInserted: 1 }));
  });

  it('is refused if it also has missing=disable', async () => {
    const query = 'existing=refuse&missing=disable';
    const { status, body } = await upsert(service, [{ ExternalKey: 'X' }], query);
    expect([status, body.errorCode]).toEqual([400, 'INVALID_PARAMETER']);
  });
});

describe('an upsert with an invalid parameter', () => {
  it.each(['missing=remove', 'passwords=yes', 'existing=keep', 'Missing=keep', 'mising=keep'])(
    'gets 400 and applies nothing: ?%s',
    async (query) => {
      const key = unique('C');
      const { status, body } = await upsert(service, [{ ExternalKey: key }], query);
      expect([status, body.errorCode]).toEqual([400, 'INVALID_PARAMETER']);
      expect(await storedPrincipal(service, key)).toBeNull();
    },
  );
});

// The last test: after the first API client exists, every call needs a credential.
describe('a caller without the scope sync:read', () => {
  it('gets no stored value from an upsert', async () => {
    const { key, username } = await company({ Denomination: 'Secret Srl' });
    const headers = await credential(service, { scopes: ['sync:write'] });
    const records = [
      { ExternalKey: key, Denomination: 'Guess Srl', Users: [{ Username: username, Phone: '1' }] },
    ];
    const refused = await upsert(service, records, 'existing=refuse', headers);
    expect(refused.body.result?.records[0]?.Item5.Denomination).toEqual([
      { code: 'DIFFERS_FROM_STORED', message: 'The stored value differs from "Guess Srl".' },
    ]);
    const planned = await upsert(service, records, 'dryRun=true', headers);
    expect(planned.status).toBe(200);
    expect(planned.body.result?.records[0]?.Item6).toMatchObject({
      Principal: 'updated',
      Users: [{ Username: null, Operation: 'edit', Changed: ['Phone'] }],
    });
    const job = await service.call('irs/upsert?existing=refuse', records, {
      headers: { prefer: 'respond-async', ...headers },
    });
    expect(job.status).toBe(202);
    for (const { text } of [refused, planned, job]) expect(text).not.toContain('Secret');
    const read = await service.call(`jobs/${jobOf(job).ID}`, undefined, { method: 'GET', headers });
    expect(read.text).toContain('DIFFERS_FROM_STORED');
    expect(read.text).not.toContain('Secret');
  });
});
