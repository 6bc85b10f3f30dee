import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noTotals } from '../src/import/totals.ts';
import type { ImportRow } from '../src/index.ts';
import { batchLimits } from '../src/index.ts';
import type { ImportTask } from '../src/node/index.ts';
import { ImportProgress } from '../src/node/progress-file.ts';
import { AppendedFile } from '../src/node/result-files.ts';
import { openTaskFile } from '../src/node/task.ts';

let folder: string;
let task: ImportTask;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'anagrafe-progress-'));
  const path = join(folder, 'users.csv');
  task = {
    purpose: 'register',
    path,
    url: 'https://anagrafe.example.com',
    caller: 'agp_1',
    existing: 'refuse',
    similar: 'refuse',
    moves: 'refuse',
    language: 'en',
    columns: {},
    sheet: null,
    keepsTotals: false,
    withoutKey: 'join',
    encoding: null,
    separator: null,
    principal: null,
    passwordsPath: null,
    invite: null,
    codesPath: null,
    failedPath: join(folder, 'users.failed.csv'),
    wouldFailPath: join(folder, 'users.would-fail.csv'),
    progressPath: `${path}.progress`,
    batches: batchLimits,
  };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const header = 'ID,Username,Password\n';
const lines = ['1,anna,a', '1,mario,b', '1,"pia"x,c', '1,luca,d', '1,sara,e'];

function write(rows: readonly string[]): void {
  writeFileSync(task.path, `${header}${rows.join('\n')}\n`);
}

async function rowsOf(first: number, last: number): Promise<ImportRow[]> {
  const rows: ImportRow[] = [];
  for await (const row of await openTaskFile(task))
    if (row.number >= first && row.number <= last) rows.push(row);
  return rows;
}

const open = (changes: Partial<ImportTask> = {}, restart = false) =>
  ImportProgress.open({ ...task, ...changes }, { restart });

const emptyFile = { bytes: 0, digest: '' };

/** Sends the rows 1 to 4, of which 1 and 2 are done, and stops. */
async function interruptAfterFour(): Promise<string> {
  write(lines);
  const progress = await open();
  await progress.begin();
  await progress.recordSending(await rowsOf(1, 2));
  await progress.recordDone(
    {
      rows: 2,
      failed: 0,
      skipped: 0,
      repeated: 0,
      skippedLines: [],
      reasons: [],
      totals: noTotals,
      failedRows: emptyFile,
      passwords: emptyFile,
      codes: emptyFile,
    },
    [],
  );
  await progress.recordSending(await rowsOf(3, 4));
  await progress.recordJob('update-3-2', 'job_1');
  return progress.run;
}

describe('the progress of an import', () => {
  it('contains the changes of calls that were made during a write', async () => {
    write(lines);
    const progress = await open();
    await progress.begin();
    const sending = progress.recordSending(await rowsOf(1, 2));
    const names = Array.from({ length: 10 }, (_, at) => `upsert-${at}`);
    await Promise.all([sending, ...names.map((name) => progress.recordJob(name, `job of ${name}`))]);
    const resumed = await open();
    expect(resumed.isNew).toBe(false);
    expect(names.map((name) => resumed.jobOf(name))).toEqual(names.map((name) => `job of ${name}`));
  });

  it('is resumed with its run, its completed rows and its jobs', async () => {
    const run = await interruptAfterFour();
    const resumed = await open();
    expect([resumed.isNew, resumed.run, resumed.done.rows]).toEqual([false, run, 2]);
    expect(resumed.jobOf('update-3-2')).toBe('job_1');
    // The same batch is sent again, and then a further one: the digest continues after the completed rows.
    await resumed.recordSending(await rowsOf(3, 4));
    await resumed.recordSending(await rowsOf(5, 5));
    await expect(open()).resolves.toMatchObject({ isNew: false });
  });

  it('is resumed if only rows after those that were sent have changed', async () => {
    await interruptAfterFour();
    write([...lines.slice(0, 4), '1,sara,another', '1,nina,f']);
    expect((await open()).done.rows).toBe(2);
  });

  it.each([
    ['a completed row', (rows: string[]) => rows.with(0, '1,anna,another')],
    ['a row that was sent', (rows: string[]) => rows.with(3, '1,luca,another')],
    ['a row that could not be parsed', (rows: string[]) => rows.with(2, '1,pia,c')],
    ['a deleted row', (rows: string[]) => rows.toSpliced(1, 1)],
    ['an empty line', (rows: string[]) => rows.toSpliced(1, 0, '')],
  ])('is not resumed after a change in a part that was sent: %s', async (_, change) => {
    await interruptAfterFour();
    write(change([...lines]));
    await expect(open()).rejects.toThrow('rows of the file that were already sent have changed');
    expect((await open({}, true)).isNew).toBe(true);
  });

  it('is not resumed with other options or another API client', async () => {
    await interruptAfterFour();
    await expect(open({ principal: { ID: 2 } })).rejects.toThrow('its options have changed');
    await expect(open({ caller: 'agp_2' })).rejects.toThrow('only its API client, agp_1, can read');
  });

  it('is kept as .before if the import starts over, and only its owner can read it', async () => {
    await interruptAfterFour();
    const saved = readFileSync(task.progressPath, 'utf8');
    const restarted = await open({}, true);
    await restarted.begin();
    expect(readFileSync(`${task.progressPath}.before`, 'utf8')).toBe(saved);
    expect(statSync(task.progressPath).mode & 0o777).toBe(0o600);
    await restarted.discard();
    expect(existsSync(task.progressPath)).toBe(false);
  });

  it('cannot be read from a file that is something else', async () => {
    write(lines);
    writeFileSync(task.progressPath, 'a note');
    await expect(open()).rejects.toThrow('is not a progress file. Move it');
  });
});

describe('an output file of an import', () => {
  it('is continued at its saved length, and what was written after it is discarded', async () => {
    const file = await AppendedFile.create(task.failedPath);
    await file.append('first\n');
    const saved = file.state;
    await file.append('second\n');
    await file.close();
    const resumed = await AppendedFile.resume(task.failedPath, saved);
    await resumed.append('third\n');
    await resumed.close();
    expect(readFileSync(task.failedPath, 'utf8')).toBe('first\nthird\n');
  });

  it('is not continued if its content has changed', async () => {
    const file = await AppendedFile.create(task.failedPath);
    await file.append('first\n');
    const saved = file.state;
    await file.close();
    writeFileSync(task.failedPath, 'other\n');
    await expect(AppendedFile.resume(task.failedPath, saved)).rejects.toThrow('has changed since');
  });
});
