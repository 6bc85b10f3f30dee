import { finished, importedHash, importedUser, readJob, submit } from '@anagrafe/testing/jobs';
import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { verifyPassword } from '@anagrafe/testing/verify-password';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let principal: number;

beforeAll(async () => {
  service = await startTestService();
  [principal = 0] = await insertPrincipals(service, 1);
});

interface Item {
  [field: string]: unknown;
  Users?: Record<string, unknown>[];
  FieldErrors: Record<string, { code: string; message: string }[]>;
}

/** Runs a job to its end, and returns its failed records with the answer. */
async function failedRecordsOf(path: string, records: unknown, headers: Record<string, string> = {}) {
  const id = await submit(service, path, records);
  await finished(service, id);
  const answer = await readJob(service, `${id}/failed`, headers);
  expect(answer.status).toBe(200);
  return { ...answer, kit: JSON.parse(answer.text) as Item[] };
}

const codesOf = ({ FieldErrors: fieldErrors }: Item) =>
  Object.fromEntries(
    Object.entries(fieldErrors).map(([place, errors]) => [place, errors.map(({ code }) => code)]),
  );

const empty = { Password: null, ConfirmPassword: null };
const sentence = { Password: 'a sentence for later', ConfirmPassword: 'a sentence for later' };

describe('the failed records of a job', () => {
  it('are an array in the order sent, without secrets, each with its position and field errors', async () => {
    const { headers, text } = await failedRecordsOf('irs/update', [
      { ID: 987_654, Users: [newUser('kit.1', { Email: 'kit@example.com' })] },
      { ID: principal, Users: [importedUser('kit.applied')] },
      { Users: [newUser('kit.2'), { ID: 0, ...sentence }], ID: principal },
    ]);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('content-language')).toBe('en');
    const secrets = '"Password":null,"ConfirmPassword":null';
    expect(text).toBe(
      `[{"ID":987654,"Users":[{"Username":"kit.1","Email":"kit@example.com",${secrets}}],` +
        '"Position":0,"FieldErrors":{"ID":[{"code":"PRINCIPAL_NOT_FOUND","message":"There is no principal with this ID."}]}},' +
        `{"ID":${principal},"Users":[{"Username":"kit.2",${secrets}},{"ID":0,${secrets}}],` +
        '"Position":2,"FieldErrors":{"Users[1].ID":[{"code":"INVALID_ID","message":"The ID must be an integer from 1 to 9007199254740991, not a string."}]}}]',
    );
  });

  it('are an empty array if none has failed', async () => {
    const { text } = await failedRecordsOf('irs/update', [
      { ID: principal, Users: [importedUser('kit.none')] },
    ]);
    expect(text).toBe('[]');
  });

  it('are returned completely if there are more than 1,000', async () => {
    const records = Array.from({ length: 1203 }, (_, n) => ({ ExternalKey: `many ${n}`, Email: 'nobody' }));
    const { kit: failed } = await failedRecordsOf('irs/insert', records);
    // An invalid email is returned as an empty text, because it may be a password in the wrong column.
    expect(failed.map(({ FieldErrors: _, ...record }) => record)).toEqual(
      records.map((record, Position) => ({ ...record, Email: '', Position })),
    );
  });

  it('have field errors in the language of Accept-Language', async () => {
    const { headers, kit: failed } = await failedRecordsOf('irs/insert', [{ Name: '' }], {
      'accept-language': 'it',
    });
    expect(headers.get('content-language')).toBe('it');
    expect(failed[0]?.FieldErrors.Name?.[0]).toEqual({
      code: 'TEXT_EMPTY',
      message: expect.stringMatching(/^Non può essere vuoto/),
    });
  });

  it('contain every text unchanged', async () => {
    const Denomination = 'C:\\u0000\\temp "quoted" \u00e8\u{1f98a}\u2028';
    const { kit: failed } = await failedRecordsOf('irs/insert', [{ Denomination, Name: '' }]);
    expect(failed).toEqual([{ Denomination, Name: '', Position: 0, FieldErrors: expect.anything() }]);
  });

  it('are returned even if their texts contain NUL, which the database cannot store', async () => {
    const { kit: failed } = await failedRecordsOf('irs/insert', [
      { Name: 'nul \0', Denomination: 'x'.repeat(5000), 'F\0x': 1 },
    ]);
    expect(failed.map(codesOf)).toEqual([
      { 'F\ufffdx': ['UNKNOWN_FIELD'], Denomination: ['TEXT_TOO_LONG'], Name: ['TEXT_CHARACTERS'] },
    ]);
  });
});

describe('failed records that are sent again', () => {
  it('are applied after they are corrected and their secrets filled in, with FieldErrors still present', async () => {
    await service.call('irs/update', [{ ID: principal, Users: [importedUser('again.taken')] }]);
    const { kit: failed } = await failedRecordsOf('irs/update', [
      { ID: principal, Users: [newUser('again.1', { Email: 'again@example.com' }), newUser('again.taken')] },
      { ID: principal, Users: [{ ...newUser('again.2'), ConfirmPassword: 'something else' }] },
      { ID: principal, Users: [{ Username: 'again.3', Pasword: 'correct horse battery' }] },
      { ID: principal, Users: [{ ...importedUser('again.4'), PasswordHash: 'no hash' }] },
    ]);
    expect(failed.map(codesOf)).toEqual([
      { 'Users[1].Username': ['USERNAME_TAKEN'] },
      { 'Users[0].ConfirmPassword': ['PASSWORD_MISMATCH'] },
      {
        'Users[0].Pasword': ['UNKNOWN_FIELD'],
        'Users[0].Password': ['REQUIRED'],
        'Users[0].ConfirmPassword': ['REQUIRED'],
      },
      { 'Users[0].PasswordHash': ['PASSWORD_HASH_INVALID'] },
    ]);
    for (const user of failed.flatMap(({ Users = [] }) => Users)) Object.assign(user, sentence);
    Object.assign(failed[0]?.Users?.[1] ?? {}, { Username: 'again.free' });
    expect(failed[2]?.Users?.[0]).toMatchObject({ Pasword: '' });
    Object.assign(failed[2]?.Users?.[0] ?? {}, { Pasword: null });
    Object.assign(failed[3]?.Users?.[0] ?? {}, empty, { PasswordHash: importedHash });
    const { status, body } = await service.call('irs/update', failed);
    expect([status, body.result?.records.map((tuple) => tuple.Item3)]).toEqual([200, Array(4).fill(true)]);
    const stored = await service.database.query<{ username: string; email: string; hash: string }>(
      `select username, email, password_hash as hash from anagrafe.users where username like 'again.%' order by id`,
    );
    expect(stored.map(({ username, email }) => [username, email])).toEqual([
      ['again.taken', null],
      ['again.1', 'again@example.com'],
      ['again.free', null],
      ['again.2', null],
      ['again.3', null],
      ['again.4', null],
    ]);
    expect(await verifyPassword(sentence.Password, stored[1]?.hash ?? '')).toBe(true);
    expect(stored[5]?.hash).toBe(importedHash);
  });

  it('are inserted after correction, also as a job', async () => {
    const record = {
      ExternalKey: 'again',
      Denomination: 'Rossi Srl',
      Surname: 'Rossi',
      Name: 'Mario',
      Vatnumber: 'IT01234567890',
      Taxcode: 'RSSMRA80A01H501U',
      Email: 'mario@example.com',
    };
    const users = [newUser('inserted again', { Email: 'm@example.com' }), newUser('and again')];
    const { kit: failed } = await failedRecordsOf('irs/insert', [
      { ...record, Email: 'mario', Users: users, Fax: '06' },
    ]);
    expect(failed.map(codesOf)).toEqual([{ Email: ['EMAIL_INVALID'], Fax: ['UNKNOWN_FIELD'] }]);
    const unchanged = await service.call('irs/insert', failed);
    expect([unchanged.status, unchanged.body.result?.records[0]?.Item5]).toMatchObject([
      422,
      { Email: [{ code: 'TEXT_EMPTY' }], Fax: [{ code: 'UNKNOWN_FIELD' }] },
    ]);
    Object.assign(failed[0] ?? {}, { Email: record.Email, Fax: null });
    for (const user of failed[0]?.Users ?? []) Object.assign(user, sentence);
    const ended = await finished(service, await submit(service, 'irs/insert', failed));
    expect(ended.body.result?.records[0]?.Item3).toBe(true);
    const listed = await service.call<Record<string, unknown>>('irs/list', { ExternalKey: 'again' });
    expect(listed.body.result?.records[0]).toMatchObject({ ...record, UsersCount: 2 });
  });
});

describe('a secret in a failed record', () => {
  const canary = 'canary-3f9-secret';
  const secretUser = { Password: canary, ConfirmPassword: canary };
  const named = (more: object) => ({ Username: 'x ', ...more });

  it.each<[string, string, Record<string, unknown>]>([
    ['in its own field', 'irs/update', { Users: [named(secretUser)] }],
    ['in a misspelt field', 'irs/update', { Users: [named({ Passwort: canary, password: canary })] }],
    ['in a field of the record', 'irs/update', { Password: canary, Users: [named({})] }],
    ['in an object, not a text', 'irs/update', { Users: [{ Username: { is: canary }, ...secretUser }] }],
    ['in an array, not an ID', 'irs/update', { ID: [canary], Users: [{ ID: [canary], ...secretUser }] }],
    ['in the place of an ID', 'irs/update', { ID: canary, Users: [{ ID: canary, ...secretUser }] }],
    ['in the place of an Email', 'irs/update', { Users: [named({ Email: canary })] }],
    ['in the place of a user', 'irs/update', { Users: [canary, [canary], named({ Email: [canary] })] }],
    ['in the place of the users', 'irs/update', { Users: canary }],
    ['in an object, not the users', 'irs/update', { Users: { 0: secretUser } }],
    ['in the place of its hash', 'irs/update', { Users: [named({ PasswordHash: canary })] }],
    ['beside a hash', 'irs/update', { Users: [importedUser('x ', secretUser)] }],
    ['in FieldErrors', 'irs/update', { FieldErrors: { of: [canary] }, Users: [named({})] }],
    ['in a user of a new principal', 'irs/insert', { Name: '', Users: [named(secretUser)] }],
    ['in a text of a new principal', 'irs/insert', { Name: { is: canary }, Denomination: [canary] }],
    ['in a field of a new principal', 'irs/insert', { Name: '', Secret: canary, Users: canary }],
  ])('is neither returned nor stored if it is %s', async (_, path, fields) => {
    const record = path === 'irs/update' ? { ID: principal, ...fields } : fields;
    const { text, kit: failed } = await failedRecordsOf(path, [record]);
    expect(failed).toHaveLength(1);
    expect(text).not.toContain(canary);
    const rows = await service.database.query(
      `select from anagrafe.outcomes as outcome where outcome::text like $1`,
      [`%${canary}%`],
    );
    expect(rows).toEqual([]);
  });

  it('is not returned if it is a password hash', async () => {
    const { text } = await failedRecordsOf('irs/update', [
      { ID: 987_654, Users: [importedUser('hash.lost')] },
    ]);
    expect(text).toContain('hash.lost');
    expect(text).not.toContain('argon2');
  });
});
