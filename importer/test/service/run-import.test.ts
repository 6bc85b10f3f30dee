import { EventEmitter, once } from 'node:events';
import { startGateway } from '@anagrafe/testing/gateway';
import { contextOf, newWorkFolder, taskOf, type WorkFolder } from '@anagrafe/testing/importing';
import { importedHash } from '@anagrafe/testing/jobs';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { until } from '@anagrafe/testing/until';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type ImportCounts, runImport } from '../../src/node/index.ts';

let service: TestService;
let folder: WorkFolder;

beforeAll(async () => {
  service = await startTestService();
  folder = newWorkFolder(service);
});

const columns = 'ExternalKey,Denomination,Username,Email,PasswordHash';

it('the progress of an import never goes back, and its total does not grow while rows are sent again', async () => {
  // A row with an invalid address makes the record of its principal fail, whose other rows are sent in a second round.
  const rows = Array.from({ length: 4500 }, (_, n) => {
    const email = n % 40 === 7 ? 'no address' : '';
    return `P-${Math.floor(n / 20)},Many,progress.${n},${email},"${importedHash}"`;
  });
  folder.write('progress.csv', `${columns}\n${rows.join('\n')}\n`);
  const seen: ImportCounts[] = [];
  const context = contextOf(service.url, { onProgress: (counts) => seen.push(counts) });
  const { failed } = await runImport(taskOf(folder, 'progress', service.url), context, { restart: false });
  expect(failed).toBe(Math.ceil((4500 - 7) / 40));
  const done = seen.map(({ rowsDone }) => rowsDone);
  expect(done).toEqual(done.toSorted((one, other) => one - other));
  expect(done.at(-1)).toBe(4500);
  expect(new Set(seen.map(({ total }) => total?.rows))).toEqual(new Set([4500]));
});

it('an import that is resumed knows the lines of the rows that the run before has skipped', async () => {
  const rows = Array.from(
    { length: 2100 },
    (_, n) => `L-${Math.floor(n / 3)},Lines,lines.${n},,"${importedHash}"`,
  );
  folder.write('lines.csv', `${columns}\n${rows.slice(0, 20).join('\n')}\n`);
  const task = taskOf(folder, 'lines', service.url);
  await runImport(task, contextOf(service.url), { restart: false });
  folder.write('lines.csv', `${columns}\n${rows.join('\n')}\n`);
  const stop = new AbortController();
  const stopping = contextOf(service.url, {
    signal: stop.signal,
    onProgress: ({ completed }) => completed.rows > 0 && stop.abort(new Error('stopped')),
  });
  await expect(runImport(task, stopping, { restart: false })).rejects.toThrow('stopped');
  const seen: number[] = [];
  const context = contextOf(service.url, { onOpen: (_, before) => seen.push(before.skipped) });
  expect(await runImport(task, context, { restart: false })).toMatchObject({
    rows: 2100,
    failed: 0,
    skipped: 20,
    skippedLines: [2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
  });
  expect(seen).toEqual([20]);
});

it('rows of a principal are all applied if they are together larger than a record may be', async () => {
  const names = Array.from({ length: 18 }, (_, n) => `Attributes.A${n}`);
  const values = names.map(() => 'x'.repeat(1000)).join(',');
  // A record has at most 4 MiB.
  const rows = Array.from({ length: 250 }, (_, n) => `wide,Wide,wide.${n},,"${importedHash}",${values}`);
  folder.write('wide.csv', `${columns},${names}\n${rows.join('\n')}\n`);
  const task = taskOf(folder, 'wide', service.url);
  expect(await runImport(task, contextOf(service.url), { restart: false })).toMatchObject({
    rows: 250,
    failed: 0,
    totals: { PrincipalsInserted: 1, UsersRegistered: 250 },
  });
});

it('a row because of which the service refuses a whole call fails alone', async () => {
  const rows = Array.from({ length: 20 }, (_, n) => ({
    ExternalKey: 'alone',
    Denomination: 'Alone',
    Username: n === 7 ? 'unpaired \ud800' : `alone.${n}`,
    PasswordHash: importedHash,
  }));
  folder.write('alone.json', JSON.stringify(rows));
  for (const existing of ['refuse', 'update'] as const) {
    const task = taskOf(folder, 'alone', service.url, { path: folder.path('alone.json'), existing });
    const { failed, reasons } = await runImport(task, contextOf(service.url), { restart: false });
    expect([failed, reasons.map(({ lines }) => lines)]).toEqual([1, [[8]]]);
  }
});

describe('an import that is interrupted while the service accepts a job', () => {
  const jobIds = async () => {
    const { body } = await service.call<{ ID: string }>('jobs', undefined, { method: 'GET' });
    return (body.result?.records ?? []).map(({ ID }) => ID);
  };

  /** Starts an import, whose first answer is held until `answer`, and returns when the service has the job. */
  async function submitting(name: string, answer: Promise<unknown>) {
    folder.write(`${name}.csv`, `${columns}\nS-${name},Stopped,${name},,"${importedHash}"\n`);
    const gateway = await startGateway(service.url);
    gateway.networkFaults = [{ until: answer }];
    const before = await jobIds();
    const stop = new AbortController();
    const named: string[] = [];
    const context = contextOf(gateway.url, { signal: stop.signal, onJob: (id) => named.push(id) });
    const task = taskOf(folder, name, gateway.url);
    const run = runImport(task, context, { restart: false });
    const settled = { isDone: false };
    run.catch(() => {}).finally(() => Object.assign(settled, { isDone: true }));
    let job: string | undefined;
    await until(
      async () => {
        job = (await jobIds()).find((id) => !before.includes(id));
        return job !== undefined;
      },
      () => 'the job of the import',
    );
    return { task, run, stop, named, settled, job };
  }

  it('waits for the answer, so that the job can be named and is not sent again', async () => {
    const answers = new EventEmitter();
    const { task, run, stop, named, job } = await submitting('answered', once(answers, 'release'));
    stop.abort(new Error('stopped'));
    answers.emit('release');
    await expect(run).rejects.toThrow('stopped');
    expect(named).toEqual([job]);
    expect(Object.values(JSON.parse(folder.read('answered.csv.progress')).jobs)).toEqual([job]);
    const { failed } = await runImport(task, contextOf(task.url), { restart: false });
    expect([failed, await jobIds()]).toEqual([0, expect.arrayContaining([job])]);
  });

  it('stops after 3 seconds without an answer, and the next run continues the same job', async () => {
    const { task, run, stop, named, settled, job } = await submitting('silent', new Promise(() => {}));
    const jobs = await jobIds();
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      stop.abort(new Error('stopped'));
      await vi.advanceTimersByTimeAsync(2999);
      expect(settled.isDone).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      await expect(run).rejects.toThrow('stopped');
    } finally {
      vi.useRealTimers();
    }
    expect(named).toEqual([]);
    const again: string[] = [];
    const context = contextOf(task.url, { onJob: (id) => again.push(id) });
    expect(await runImport(task, context, { restart: false })).toMatchObject({ rows: 1, failed: 0 });
    expect(new Set(again)).toEqual(new Set([job]));
    expect(await jobIds()).toEqual(jobs);
  });
});
