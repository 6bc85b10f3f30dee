import { adminOf, type Credential, credential } from '@anagrafe/testing/admin';
import { finished, importedUser, submit } from '@anagrafe/testing/jobs';
import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

interface Failure {
  readonly At: string;
  readonly CallID: string;
  readonly JobID: string | null;
  readonly Position: number;
  readonly ID: number | null;
  readonly ExternalKey: string | null;
  readonly Username: string | null;
  readonly Code: string;
  readonly FieldErrors: Record<string, unknown>;
  readonly FieldErrorsCount: number;
}

let service: TestService;
/** A service without API clients, for tests that add failures. */
let other: TestService;
let admin: ReturnType<typeof adminOf>;
let office: Credential;
let principal: number;
let job: string;

const secret = 'a password that must stay secret';
const missing = { ID: 999_999, Users: [importedUser('unknown')] };

beforeAll(async () => {
  service = await startTestService();
  other = await startTestService();
  admin = adminOf(service);
  [principal = 0] = await insertPrincipals(service, 1);
  office = await credential(service);
  const send = (records: unknown[], more: Credential = {}) =>
    service.call('irs/update', records, { headers: { ...office, ...more } });
  await send([missing, { ID: principal, Users: [importedUser('one')] }], { 'idempotency-key': 'key' });
  const wrong = newUser('two', { Password: secret, ConfirmPassword: 'another' });
  await send([
    { ID: principal, Users: [importedUser('three')] },
    { ID: principal, Users: [wrong] },
  ]);
  job = await submit(
    service,
    'irs/update',
    [{ ID: principal, Users: [importedUser('one')] }, missing],
    office,
  );
  await finished(service, job, office);
});

const read = async (query = '', headers: Credential = {}) =>
  admin<Failure>(`GET failures${query}`, { ...office, ...headers });

describe('the list of failures', () => {
  it('contains the failed records of calls and jobs, newest first', async () => {
    const { status, body } = await read();
    expect(status).toBe(200);
    const shown = body.result?.records ?? [];
    expect(body.result).toMatchObject({ totalCount: 4, totalPages: 1, page: 1, count: 4, record: null });
    expect(
      new Set(shown.slice(0, 2).map(({ JobID, Code, Position }) => [JobID, Code, Position].join())),
    ).toEqual(new Set([`${job},USERNAME_TAKEN,0`, `${job},PRINCIPAL_NOT_FOUND,1`]));
    expect(shown[2]).toEqual({
      At: expect.stringMatching(/^\d{4}-.*Z$/),
      CallID: expect.stringMatching(/^[0-9a-f-]{36}$/),
      JobID: null,
      Operation: 'update',
      ClientID: expect.any(Number),
      Position: 1,
      ID: principal,
      ExternalKey: null,
      Username: 'two',
      Code: 'INVALID_USERS',
      Message: 'The users of the record have field errors. The record was not applied.',
      FieldErrors: {
        'Users[0].ConfirmPassword': [
          { code: 'PASSWORD_MISMATCH', message: 'ConfirmPassword does not match Password.' },
        ],
      },
      FieldErrorsCount: 1,
    });
    expect(shown[3]).toMatchObject({ JobID: null, Position: 0, Code: 'PRINCIPAL_NOT_FOUND' });
    const times = shown.map(({ At }) => Date.parse(At));
    expect(times).toEqual(times.toSorted((one, other) => other - one));
  });

  it('contains no password that was sent', async () => {
    const { text } = await read();
    for (const hidden of [secret, 'another']) expect(text).not.toContain(`"${hidden}`);
  });

  it('has the external key of each record, as sent or of its principal, and its first username', async () => {
    const { body } = await other.call('irs/insert', [{ ExternalKey: 'C-7', Denomination: 'Rossi' }]);
    const ID = body.result?.records[0]?.Item1;
    const taken = importedUser('taken');
    await other.call('irs/update', [{ ID, Users: [taken] }]);
    await other.call('irs/update', [{ ExternalKey: 'unknown', Users: [{ ID: 7 }, importedUser('Second')] }]);
    await other.call('irs/update', [{ ID, Users: [taken] }]);
    await other.call('irs/delete', [{ ID, Users: [{ ID: 999 }] }]);
    const failures =
      (await adminOf(other)<Failure>('GET failures?pageSize=3', {})).body.result?.records ?? [];
    expect(failures.map((failure) => [failure.ID, failure.ExternalKey, failure.Username])).toEqual([
      [ID, 'C-7', null],
      [ID, 'C-7', 'taken'],
      [null, 'unknown', 'Second'],
    ]);
  });

  it('has for each record the ID of its call', async () => {
    const [, , failure] = (await read()).body.result?.records ?? [];
    const { status, body } = await admin(`GET calls/${failure?.CallID}?failed=true`, office);
    expect([status, body.result?.count]).toEqual([200, 1]);
  });

  it('is paged, and translated according to Accept-Language', async () => {
    const all = (await read()).body.result?.records ?? [];
    const { body } = await read('?page=2&pageSize=3');
    expect(body.result).toMatchObject({ totalCount: 4, totalPages: 2, page: 2, count: 1 });
    expect(body.result?.records).toEqual(all.slice(3));
    expect((await read('?page=1000000&pageSize=1000')).body.result?.records).toEqual([]);
    const italian = await read('', { 'accept-language': 'it' });
    expect(italian.text).toContain('conferma password non coincidono');
    expect(italian.headers.get('content-language')).toBe('it');
  });

  it('shows the first 20 fields with errors of a record, and counts all of its errors', async () => {
    const [ID = 0] = await insertPrincipals(other, 1);
    const Users = Array.from({ length: 50 }, (_, n) => ({ Username: `many ${n}`, Password: 'x' }));
    await other.call('irs/update', [{ ID, Users }]);
    const { body } = await adminOf(other)<Failure>('GET failures?pageSize=1', {});
    const [newest] = body.result?.records ?? [];
    expect(newest?.FieldErrorsCount).toBe(100);
    expect(Object.keys(newest?.FieldErrors ?? {})).toHaveLength(20);
  });

  it('ends after the newest 10,000 records, which an index returns without sorting', async () => {
    await other.call('irs/update', [missing]);
    await other.database.query(
      `insert into anagrafe.outcomes (call_id, position, users, error, field_errors, failed_at)
       select (select call_id from anagrafe.outcomes where position = 0 limit 1), 1000 + n, 0,
              '{"code": "RECORD_FAILED"}', '[]', now() - make_interval(secs => n)
         from generate_series(1, 12000) as n`,
    );
    const page = (number: number) => adminOf(other)<Failure>(`GET failures?page=${number}&pageSize=1000`, {});
    const last = await page(11);
    expect(last.body.result).toMatchObject({ totalCount: 10_000, totalPages: 10, records: [] });
    expect((await page(10)).body.result?.count).toBe(1000);
    const [plan] = await other.database.query<Record<string, unknown>>(
      `explain (format json) select * from anagrafe.outcomes where failed_at is not null
        order by failed_at desc, call_id, position limit 100`,
    );
    expect(JSON.stringify(plan)).toContain('outcomes_failed_at');
    expect(JSON.stringify(plan)).not.toContain('"Sort"');
  });
});
