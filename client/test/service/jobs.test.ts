import { holding, importedHash, principalLock } from '@anagrafe/testing/jobs';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import { Anagrafe, type Job, type UpdateRecord } from '../../src/index.ts';

let service: TestService;
let anagrafe: Anagrafe;
let principal: number;

beforeAll(async () => {
  service = await startTestService();
  anagrafe = new Anagrafe({ url: service.url });
  [principal = 0] = await insertPrincipals(service, 1);
});

const record = (Username: string, ID = principal): UpdateRecord => ({
  ID,
  Users: [{ Username, PasswordHash: importedHash }],
});

describe('a job of the client', () => {
  it('can be submitted and waited for with progress reports', async () => {
    const names = Array.from({ length: 30 }, (_, n) => `job user ${n}`);
    const records = [...names.map((name) => record(name)), record('lost', 999_999)];
    const submitted = await anagrafe.jobs.submit('update', records);
    expect(submitted).toMatchObject({ Operation: 'update', Records: 31, Users: 31 });
    const seen: Job[] = [];
    const job = await anagrafe.jobs.wait(submitted.ID, { onProgress: (now) => seen.push(now), pollMs: 20 });
    expect(job).toMatchObject({ State: 'completed', RecordsDone: 31, RecordsFailed: 1 });
    expect(seen.at(-1)).toEqual(job);

    const page = await anagrafe.jobs.get(job.ID, { pageSize: 10, page: 4, representation: true });
    expect(page).toMatchObject({ totalCount: 31, totalPages: 4, count: 1, record: { ID: job.ID } });
    const tuples: boolean[] = [];
    for await (const { Item3 } of anagrafe.jobs.tuples(job.ID, { pageSize: 10 })) tuples.push(Item3);
    expect(tuples).toEqual([...names.map(() => true), false]);
    const failed = await anagrafe.jobs.get(job.ID, { failed: true });
    expect(failed.records).toMatchObject([{ Item2: 'PRINCIPAL_NOT_FOUND' }]);
    expect(failed.record.Positions).toEqual([30]);
  });

  it('returns its failed records, which can be corrected and sent again', async () => {
    const { ID } = await anagrafe.jobs.submit('update', [record('kit', 999_999)]);
    await anagrafe.jobs.wait(ID);
    const failedRecords = await anagrafe.jobs.failed(ID);
    expect(failedRecords).toMatchObject([
      { ID: 999_999, Position: 0, FieldErrors: { ID: [{ code: 'PRINCIPAL_NOT_FOUND' }] } },
    ]);
    const corrected = failedRecords.map((failed) => ({ ...failed, ...record('kit') }));
    expect(await anagrafe.update(corrected)).toMatchObject({ status: 200 });
  });

  it('can be cancelled and listed, and waiting for it can be aborted', async () => {
    const [other = 0] = await insertPrincipals(service, 1);
    await holding(service, principalLock(other), async ({ blocked }) => {
      const { ID } = await anagrafe.jobs.submit('update', [record('held', other)]);
      await blocked(1);
      const reason = new Error('no more patience');
      await expect(anagrafe.jobs.wait(ID, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      const controller = new AbortController();
      const waiting = anagrafe.jobs.wait(ID, {
        signal: controller.signal,
        onProgress: () => setImmediate(() => controller.abort(reason)),
      });
      await expect(waiting).rejects.toBe(reason);
      expect(await anagrafe.jobs.cancel(ID)).toMatchObject({ ID, State: 'cancelled' });
      expect((await anagrafe.jobs.list({ pageSize: 1 }).page()).records).toMatchObject([{ ID }]);
    });
  });

  it('is the same for the same key, and its key cannot be used for a synchronous call', async () => {
    const key = { idempotencyKey: 'a-job' };
    const records = [record('keyed')];
    const first = await anagrafe.jobs.submit('update', records, key);
    expect((await anagrafe.jobs.submit('update', records, key)).ID).toBe(first.ID);
    await expect(anagrafe.update(records, key)).rejects.toMatchObject({
      code: 'UNEXPECTED_ANSWER',
      status: 202,
    });
    const atOnce = { idempotencyKey: 'at-once' };
    await anagrafe.update([record('at once')], atOnce);
    await expect(anagrafe.jobs.submit('update', [record('at once')], atOnce)).rejects.toMatchObject({
      code: 'UNEXPECTED_ANSWER',
      status: 200,
    });
    await expect(anagrafe.jobs.get('00000000-0000-0000-0000-000000000000')).rejects.toMatchObject({
      code: 'JOB_NOT_FOUND',
      status: 404,
    });
  });
});
