import { finished, readJob, submit } from '@anagrafe/testing/jobs';
import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Tuple } from '../../src/records/read/tuple.ts';

const listedPerRecord = 1000;
const listedPerCall = 20_000;

let service: TestService;
let principal: number;

beforeAll(async () => {
  service = await startTestService();
  [principal = 0] = await insertPrincipals(service, 1);
});

/** Returns users with exactly one field error each. */
const invalidUsers = (count: number) =>
  Array.from({ length: count }, (_, n) => newUser(`invalid ${n}`, { ConfirmPassword: 'another sentence' }));

/** Returns a record with 21 unknown fields: the answer names 20 of them and counts the rest in one more entry. */
const invalidRecord = () => ({
  ID: principal,
  Users: [],
  ...Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`Field${n}`, 1])),
});

const dryRun = async (records: unknown) => {
  const { status, body } = await service.call('irs/update?dryRun=true', records);
  expect(status).toBe(422);
  return body.result?.records ?? [];
};
const placesOf = (tuple: Tuple | undefined) =>
  Object.keys(tuple?.Item5 ?? {}).filter((place) => place !== '$');
const countOf = (tuples: readonly Tuple[]) => tuples.reduce((sum, tuple) => sum + placesOf(tuple).length, 0);

function expectLimited(tuple: Tuple | undefined): void {
  expect(placesOf(tuple)).toHaveLength(listedPerRecord);
  expect(placesOf(tuple)[999]).toBe('Users[999].ConfirmPassword');
  expect(tuple?.Item5.$).toEqual([
    { code: 'MORE_ERRORS', message: '2000 more fields of this record have errors. They are not listed.' },
  ]);
  expect(tuple?.Item2).toBe('INVALID_USERS');
}

describe('a record with more than 1,000 errors', () => {
  const record = () => ({ ID: principal, Users: invalidUsers(3 * listedPerRecord) });

  it('has its first 1,000 errors in a dry run, with the number of the others', async () => {
    const [tuple] = await dryRun([record()]);
    expectLimited(tuple);
  });

  it('has the same number of errors in a job and in the failed records of the job', async () => {
    const id = await submit(service, 'irs/update', [record()]);
    await finished(service, id);
    const { body } = await readJob(service, id);
    expectLimited(body.result?.records[0]);
    const response = await fetch(`${service.url}/api/sync/v1/jobs/${id}/failed`);
    const [failed] = (await response.json()) as { Users: unknown[]; FieldErrors: object; Position: number }[];
    expect(failed?.Users).toHaveLength(3 * listedPerRecord);
    expect(Object.keys(failed?.FieldErrors ?? {})).toHaveLength(listedPerRecord + 1);
    expect(failed?.Position).toBe(0);
  });
});

describe('a call with more than 20,000 errors', () => {
  it('lists the first 20,000 errors, then one for each record with the number of the others', async () => {
    const records = Array.from({ length: 2000 }, invalidRecord);
    const tuples = await dryRun(records);
    expect(tuples).toHaveLength(records.length);
    const perRecord = placesOf(tuples[0]).length;
    expect(perRecord).toBeGreaterThan(20);
    const whole = tuples.filter((tuple) => placesOf(tuple).length === perRecord).length;
    expect(whole).toBe(Math.floor(listedPerCall / perRecord));
    expect(countOf(tuples)).toBeLessThan(listedPerCall + records.length);
    const last = tuples.at(-1);
    expect(placesOf(last)).toHaveLength(1);
    expect(last?.Item5.$?.[0]?.message).toContain(`${perRecord - 1} more fields`);
    expect(new Set(tuples.map((tuple) => tuple.Item2))).toEqual(new Set(['INVALID_RECORD']));
  });
});
