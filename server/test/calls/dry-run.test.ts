import { allHashed } from '@anagrafe/testing/audit-chain';
import { finished, importedUser, jobOf, submit } from '@anagrafe/testing/jobs';
import { plainRules, range, recordList } from '@anagrafe/testing/records';
import {
  type Answer,
  insertPrincipals,
  newUser,
  startTestService,
  type TestService,
} from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { dryRun } from '../../src/calls/dry-run.ts';
import { HashPool } from '../../src/passwords/hash-pool.ts';
import { openCheckStore } from '../../src/records/check/check.store.ts';
import { defaultOptions } from '../../src/records/check/operation.ts';
import { updateOperation } from '../../src/records/operations/update.ts';

let service: TestService;
let principal: number;
let user: number;

beforeAll(async () => {
  service = await startTestService();
  [principal = 0] = await insertPrincipals(service, 1);
  const { body } = await service.call('irs/update', [{ ID: principal, Users: [newUser('mario.rossi')] }], {
    headers: { prefer: 'return=representation' },
  });
  user = body.result?.records[0]?.Item6.Users?.[0]?.ID ?? 0;
});

const dry = (path: string, records: unknown, headers: Record<string, string> = {}) =>
  service.call(`${path}?dryRun=true`, records, { headers });

const reset = (Password = 'a new long sentence') => ({ ID: user, Password, ConfirmPassword: Password });

/** Returns every row of every table, the values of the sequences, the queued jobs and the counters of the metrics. */
async function everything(): Promise<Record<string, unknown>> {
  await allHashed(service);
  const tables = await service.database.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'anagrafe' order by 1`,
  );
  const found: Record<string, unknown> = {};
  for (const { name } of tables) {
    const rows = await service.database.query<{ row: string }>(`select t::text as row from ${name} as t`);
    found[name] = rows.map(({ row }) => row).toSorted();
  }
  found.sequences = await service.database.query(
    `select sequencename, last_value from pg_sequences where schemaname = 'anagrafe' order by 1`,
  );
  found.queue = await service.database.query(
    `select id from anagrafe_queue.job where name = 'chunks' order by 1`,
  );
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  found.metrics = metrics.match(/^anagrafe_(hash_duration_seconds_count|records_total|users_total).*$/gm);
  return found;
}

const tuplesOf = ({ body }: Answer) => body.result?.records ?? [];

/** Returns the tuples of a real call with the messages of a dry run, which say that a record would not be applied. */
const asDry = (real: Answer) =>
  tuplesOf(real).map((tuple) => ({
    ...tuple,
    Item4: tuple.Item4?.replace('was not applied', 'would not be applied') ?? null,
  }));

describe('a dry run', () => {
  it('returns the tuples of the real call, and writes no row, uses no ID and hashes no password', async () => {
    const records = [
      { ID: principal, Users: [newUser('dry.1'), newUser('dry.2', { Email: 'dry@example.com' }), reset()] },
      { ID: 987_654, Users: [newUser('dry.3')] },
      { ID: principal, Users: [newUser('Mario.Rossi')] },
      { ID: principal, Users: [newUser('DRY.1')] },
      { ID: principal, Users: [reset('mario.rossi'), reset()] },
      { ID: principal, Users: [{ Username: 'dry.4', Password: 'short', ConfirmPassword: 'shirt' }, {}] },
      { ID: '7', Users: [], Extra: 1 },
      { ID: principal, Users: [importedUser('dry.5')] },
    ];
    const before = await everything();
    const tried = await dry('irs/update', records);
    expect(await everything()).toEqual(before);
    const real = await service.call('irs/update', records);
    expect(tuplesOf(tried)).toEqual(asDry(real));
    expect([tried.status, tried.body.errorCode]).toEqual([207, 'PARTIALLY_APPLIED']);
    expect([real.status, real.body.errorCode]).toEqual([207, 'PARTIALLY_APPLIED']);
    expect(tried.body.message).toBe(
      '2 of 8 records would be applied. See result.records for the errors of the others.',
    );
    expect(tried.body.result).toMatchObject({ totalCount: 8, totalPages: 1, page: 1, count: 8 });
    expect(tried.body.result?.record).toEqual({
      Register: 3,
      Reset: 1,
      RecordsFailed: 6,
      EstimatedSeconds: expect.any(Number),
    });
    expect(real.body.result?.record).toBeNull();
  });

  it('returns the tuples of an insert without the IDs, which do not exist yet', async () => {
    const records = [
      { ExternalKey: 'dry', Users: [newUser('dry.insert')] },
      { ExternalKey: 'dry' },
      { Name: 'Dry', Users: [newUser('Dry.Insert')] },
      {},
      { Denomination: 'Dry' },
    ];
    const before = await everything();
    const tried = await dry('irs/insert', records);
    expect(await everything()).toEqual(before);
    expect(tried.body.result?.record).toMatchObject({ Register: 1, Reset: 0, RecordsFailed: 3 });
    const real = await service.call('irs/insert', records);
    expect(tuplesOf(tried)).toEqual(asDry(real).map((tuple) => ({ ...tuple, Item1: null })));
    expect(tuplesOf(tried).map((tuple) => tuple.Item3)).toEqual([true, false, false, false, true]);
  });

  it('gets 200 if every record would be applied, and 422 if none would', async () => {
    const good = await dry('irs/update', [{ ID: principal, Users: [newUser('dry.good')] }]);
    expect([good.status, good.body.errorCode, good.body.message]).toEqual([200, null, null]);
    expect(good.headers.get('preference-applied')).toBeNull();
    const none = await dry('irs/update', [{ ID: 987_654, Users: [newUser('dry.none')] }]);
    expect([none.status, none.body.errorCode]).toEqual([422, 'PRINCIPAL_NOT_FOUND']);
    expect(none.body.message).toBe('No record would be applied. See result.records for the errors.');
    expect(none.body.result?.record).toEqual({
      Register: 0,
      Reset: 0,
      RecordsFailed: 1,
      EstimatedSeconds: 0,
    });
    const italian = await dry('irs/update', [{ ID: 987_654, Users: [] }], { 'accept-language': 'it' });
    expect(italian.headers.get('content-language')).toBe('it');
    expect(italian.body.message).not.toContain('No record');
  });

  it.each([
    ['en', 'The record has field errors and would not be applied.'],
    ['it', 'Il record contiene errori e verrebbe scartato.'],
  ])('has messages that do not claim an attempt to apply the records (%s)', async (language, message) => {
    const tried = await dry('irs/update', [{ ID: '7', Users: [] }], { 'accept-language': language });
    expect(tuplesOf(tried).map(({ Item2, Item4 }) => [Item2, Item4])).toEqual([['INVALID_RECORD', message]]);
  });

  it('ignores Prefer: return=representation', async () => {
    const headers = { prefer: 'return=representation' };
    const answer = await dry('irs/update', [{ ID: principal, Users: [newUser('dry.shown')] }], headers);
    expect(tuplesOf(answer)[0]?.Item6).toEqual({});
    expect(answer.headers.get('preference-applied')).toBeNull();
  });

  it('creates no job with Prefer: respond-async, and returns the tuples of such a job', async () => {
    const records = [
      { ID: principal, Users: [importedUser('dry.job')] },
      { ID: principal, Users: [importedUser('Dry.Job')] },
    ];
    const before = await everything();
    const tried = await dry('irs/update', records, { prefer: 'respond-async' });
    expect(tried.status).toBe(207);
    expect(tried.headers.get('location')).toBeNull();
    expect(await everything()).toEqual(before);
    const ended = await finished(service, await submit(service, 'irs/update', records));
    expect(jobOf(ended).RecordsFailed).toBe(1);
    const [, refused] = tuplesOf(ended) ?? [];
    expect(refused?.Item6).toEqual({ Username: 'Dry.Job' });
    expect(tuplesOf(tried)).toEqual((tuplesOf(ended) ?? []).map((tuple) => ({ ...tuple, Item6: {} })));
  });

  it('may be larger than a synchronous call, and finds duplicates across all of its records', async () => {
    const records = range(1100).map((n) => ({
      Denomination: `Large ${n}`,
      ExternalKey: `large ${n % 1000}`,
    }));
    const before = await everything();
    const tried = await dry('irs/insert', records);
    expect(await everything()).toEqual(before);
    expect(tried.status).toBe(207);
    expect(tried.body.result).toMatchObject({ totalCount: 1100, totalPages: 1, count: 1100 });
    const codes = tuplesOf(tried).map((tuple) => tuple.Item2);
    expect(codes).toEqual(range(1100).map((n) => (n < 1000 ? null : 'EXTERNAL_KEY_TAKEN')));

    const crowd = range(1500).map((n) => newUser(`large ${n % 1400}`));
    const answer = await dry('irs/update', [
      { ID: principal, Users: crowd.slice(0, 1400) },
      { ID: principal, Users: crowd.slice(1400, 1401) },
    ]);
    expect(answer.body.result?.record).toMatchObject({ Register: 1400, RecordsFailed: 1 });
    expect(tuplesOf(answer).map((tuple) => tuple.Item2)).toEqual([null, 'USERNAME_TAKEN']);
  });
});

describe('the estimate of a dry run', () => {
  const estimate = async (users: unknown[]) => {
    const { body } = await dry('irs/update', [{ ID: principal, Users: users }]);
    const record = body.result?.record as { EstimatedSeconds: number } | undefined;
    return record?.EstimatedSeconds ?? -1;
  };

  it('increases with the number of passwords to hash', async () => {
    const [few, many] = [range(10), range(900)].map((numbers) =>
      numbers.map((n) => newUser(`estimated ${n}`)),
    );
    const [short, long] = [await estimate(few ?? []), await estimate(many ?? [])];
    expect(short).toBeGreaterThan(0);
    expect(long).toBeGreaterThan(short);
    expect(Math.round(long * 10) / 10).toBe(long);
  });

  it('is 0 if there is no password to hash', async () => {
    expect(await estimate(range(10).map((n) => importedUser(`estimated ${n}`)))).toBe(0);
    const { body } = await dry('irs/insert', [{ Denomination: 'No users' }]);
    expect(body.result?.record).toEqual({ Register: 0, Reset: 0, RecordsFailed: 0, EstimatedSeconds: 0 });
  });
});

describe('the parameter dryRun', () => {
  it('has no effect if it is false', async () => {
    const answer = await service.call('irs/update?dryRun=false', [
      { ID: principal, Users: [importedUser('not dry')] },
    ]);
    expect([answer.status, answer.body.result?.record]).toEqual([200, null]);
    const found = await service.call('irs/users', { Username: 'not dry' });
    expect(found.body.result?.totalCount).toBe(1);
  });

  it.each([
    'dryRun=1',
    'dryRun=TRUE',
    'dryRun=',
    'dryRun',
    'dryrun=true',
    'dryRun=true&dryRun=false',
    'DryRun=true',
  ])('is refused, and nothing is applied, if it is written as ?%s', async (query) => {
    const before = await everything();
    const { status, body } = await service.call(`irs/update?${query}`, [
      { ID: principal, Users: [importedUser('dry by mistake')] },
    ]);
    expect([status, body.errorCode]).toEqual([400, 'INVALID_PARAMETER']);
    expect(await everything()).toEqual(before);
  });

  it('is refused by calls that only read', async () => {
    expect((await service.call('irs/list?dryRun=true', {})).status).toBe(400);
  });

  it('ends after the group that is being checked when its caller has disconnected', async () => {
    const store = openCheckStore(service.database, null);
    const disconnected = new AbortController();
    let reads = 0;
    const counted = {
      ...store,
      findPrincipals(ids: readonly number[]) {
        reads++;
        disconnected.abort(new Error('the caller has disconnected'));
        return store.findPrincipals(ids);
      },
    };
    const hasher = new HashPool({ concurrency: 1, memoryKib: 64, passes: 1, maxWaitSeconds: 60 });
    onTestFinished(() => hasher.close());
    const records = await recordList(
      range(1_200).map((n) => ({ ID: principal, Users: [importedUser(`gone ${n}`)] })),
    );
    const call = {
      operation: 'update' as const,
      options: defaultOptions,
      clientId: null,
      planned: null,
      dryRun: true,
      holdMemory: () => {},
      signal: disconnected.signal,
    };
    const operations = { update: () => updateOperation(counted, plainRules) };
    const tools = { operations, hasher } as unknown as Parameters<typeof dryRun>[2];
    await expect(dryRun(call, records, tools)).rejects.toThrow('the caller has disconnected');
    expect(reads).toBe(1);
  });
});
