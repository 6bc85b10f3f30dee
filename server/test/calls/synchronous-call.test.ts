import { adminOf, type Credential, credential, recordOf } from '@anagrafe/testing/admin';
import { allHashed } from '@anagrafe/testing/audit-chain';
import { importedUser } from '@anagrafe/testing/jobs';
import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Tuple } from '../../src/records/read/tuple.ts';

interface Call {
  readonly CallID: string;
  readonly RequestId: string;
}

let service: TestService;
let admin: ReturnType<typeof adminOf>;
let office: Credential;
let principals: number[];

beforeAll(async () => {
  service = await startTestService();
  admin = adminOf(service);
  principals = await insertPrincipals(service, 4);
  office = await credential(service);
});

const [none, secret] = [999_999, 'a password that must stay secret'];
let serial = 0;

/** Sends a call. Returns its answer, its request ID and its call ID, which is empty if the call is not listed. */
async function sent(path: string, records: unknown[], more: Record<string, string> = {}) {
  const RequestId = `call-${++serial}`;
  const headers = { ...office, 'x-request-id': RequestId, ...more };
  const answer = await service.call(path, records, { headers });
  const { body } = await admin<Call>('GET calls', office);
  const id = body.result?.records.find((call) => call.RequestId === RequestId)?.CallID ?? '';
  return { answer, id, RequestId };
}

const read = (what: string, headers: Record<string, string> = {}) =>
  admin<Tuple>(`GET calls/${what}`, { ...office, ...headers });

/** Three valid and two invalid records. Imported users need no hashing, so later records may be written first. */
const mixed = () => [
  { ID: none, Users: [importedUser(`u ${++serial}`)] },
  { ID: principals[0], Users: [newUser(`u ${++serial}`)] },
  { ID: principals[1], Users: [importedUser(`u ${++serial}`)] },
  { ID: principals[2], Users: [newUser(`u ${++serial}`, { Password: secret, ConfirmPassword: 'other' })] },
  { ID: principals[3], Users: [importedUser(`u ${++serial}`)] },
];

/** The answer to a call does not repeat the username of a failed record; the list of tuples names it. */
const withoutNames = (tuples: readonly Tuple[] = []) =>
  tuples.map(({ Item6: { Username: _, ...Item6 }, ...tuple }) => ({ ...tuple, Item6 }));

describe('a synchronous call', () => {
  it.each([
    ['without a key', {}],
    ['with a key', { 'idempotency-key': 'a-key' }],
  ])('%s is shown with the tuples of its answer, in the order sent', async (_, headers) => {
    const { answer, id, RequestId } = await sent('irs/update', mixed(), headers);
    expect(answer.status).toBe(207);
    const shown = await read(id);
    expect(shown.status).toBe(200);
    expect(withoutNames(shown.body.result?.records)).toEqual(answer.body.result?.records);
    expect(shown.body.result?.records[0]?.Item6.Username).toMatch(/^u \d+$/);
    expect(shown.body.result).toMatchObject({ totalCount: 5, totalPages: 1, page: 1, count: 5 });
    expect(recordOf(shown)).toMatchObject({ CallID: id, RequestId, Records: 5, RecordsFailed: 2, Users: 5 });
    expect(recordOf(shown)).toMatchObject({ Positions: [0, 1, 2, 3, 4] });
    expect(shown.headers.get('content-language')).toBe('en');
  });

  it('is shown page by page, and filtered to its failed records', async () => {
    const { answer, id } = await sent('irs/update', mixed());
    const all = answer.body.result?.records ?? [];
    const second = await read(`${id}?page=2&pageSize=2`);
    expect(withoutNames(second.body.result?.records)).toEqual(all.slice(2, 4));
    expect(second.body.result).toMatchObject({ totalCount: 5, totalPages: 3, page: 2, count: 2 });
    expect(recordOf(second)).toMatchObject({ Positions: [2, 3] });
    const failed = await read(`${id}?failed=true`);
    expect(withoutNames(failed.body.result?.records)).toEqual(all.filter(({ Item3 }) => !Item3));
    expect(failed.body.result).toMatchObject({ totalCount: 2, count: 2, record: { Positions: [0, 3] } });
    const last = await read(`${id}?failed=true&page=2&pageSize=1`);
    expect(withoutNames(last.body.result?.records)).toEqual([all[3]]);
  });

  it('to irs/insert or irs/state is shown like one to irs/update', async () => {
    const inserted = await sent('irs/insert', [{ Denomination: 'x' }, {}, { Surname: 'y' }]);
    expect((await read(inserted.id)).body.result?.records).toEqual(inserted.answer.body.result?.records);
    const states = await sent('irs/state', [
      { ID: principals[0], State: 'active' },
      { ID: none, State: 'active' },
      { ID: principals[1], State: 'disabled' },
    ]);
    expect(states.answer.status).toBe(207);
    expect((await read(states.id)).body.result?.records).toEqual(states.answer.body.result?.records);
    await sent('irs/state', [{ ID: principals[1], State: 'active' }]);
  });

  it('that was applied completely is shown like one with failed records', async () => {
    const records = principals.map((ID) => ({ ID, Users: [importedUser(`u ${++serial}`)] }));
    const { answer, id } = await sent('irs/update', records);
    expect(answer.status).toBe(200);
    expect((await read(id)).body.result?.records).toEqual(answer.body.result?.records);
    expect((await read(`${id}?failed=true`)).body.result?.records).toEqual([]);
  });

  it('is shown with messages in the language of Accept-Language', async () => {
    const { id } = await sent('irs/update', mixed());
    const { body } = await read(`${id}?failed=true`, { 'accept-language': 'it' });
    expect(body.result?.records[0]?.Item4).toMatch(/^Nessuna anagrafica/);
  });

  it('returns its failed records without secrets, and the audit log records that they were read', async () => {
    const records = mixed();
    const { id } = await sent('irs/update', records);
    const { status, body, text } = await read(`${id}/failed`);
    expect(status).toBe(200);
    const failedRecords = body as unknown as Record<string, unknown>[];
    expect(failedRecords.map(({ Position, ID }) => [Position, ID])).toEqual([
      [0, none],
      [3, principals[2]],
    ]);
    expect(failedRecords[1]).toMatchObject({
      Users: [{ Username: records[3]?.Users[0]?.Username, Password: null, ConfirmPassword: null }],
      FieldErrors: { 'Users[0].ConfirmPassword': [{ code: 'PASSWORD_MISMATCH' }] },
    });
    expect(text).not.toContain(secret);
    const stored = await service.database.query('select outcomes::text from anagrafe.outcomes');
    expect(JSON.stringify(stored)).not.toContain(secret);
    const auditRows = await service.database.query(
      `select from anagrafe.audit_log where action = 'records.read' and call_id = $1`,
      [id],
    );
    expect(auditRows).toHaveLength(1);
  });

  it('is not listed if it is a dry run or was refused as a whole', async () => {
    expect((await sent('irs/update?dryRun=true', mixed())).id).toBe('');
    expect((await sent('irs/update', [])).id).toBe('');
    for (const wrong of ['nothing', '00000000-0000-0000-0000-000000000000']) {
      const { status, body } = await read(wrong);
      expect([status, body.errorCode]).toEqual([404, 'CALL_NOT_FOUND']);
      expect((await read(`${wrong}/failed`)).status).toBe(404);
    }
  });

  it('is not found after the retention time of jobs', async () => {
    const { id } = await sent('irs/update', mixed());
    await allHashed(service);
    await service.database.query(
      `update anagrafe.audit_log set at = now() - interval '31 days' where call_id = $1`,
      [id],
    );
    expect((await read(id)).body.errorCode).toBe('CALL_NOT_FOUND');
  });
});
