import { beforeAll, expect, it } from 'vitest';
import { Anagrafe } from '../../../client/src/index.ts';
import {
  type ImportContext,
  type ImportCounts,
  type ImportTask,
  runImport,
} from '../../../importer/src/node/index.ts';
import { importedHash } from '../setup/jobs.ts';
import { startTestService, type TestService } from '../setup/service.ts';
import { newWorkFolder, type WorkFolder } from './importing.ts';

let service: TestService;
let folder: WorkFolder;

beforeAll(async () => {
  service = await startTestService();
  folder = newWorkFolder(service);
});

function taskOf(name: string, url: string): ImportTask {
  return {
    purpose: 'register',
    path: folder.path(`${name}.csv`),
    url,
    caller: null,
    existing: 'refuse',
    language: 'en',
    columns: {},
    sheet: null,
    encoding: null,
    separator: null,
    principal: null,
    passwordsPath: null,
    failedPath: folder.path(`${name}.failed.csv`),
    wouldFailPath: folder.path(`${name}.would-fail.csv`),
    progressPath: folder.path(`${name}.csv.progress`),
  };
}

function contextOf(url: string, more: Partial<ImportContext> = {}): ImportContext {
  return { anagrafe: new Anagrafe({ url }), onOpen() {}, onJob() {}, onProgress() {}, ...more };
}

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
  const { failed } = await runImport(taskOf('progress', service.url), context, { restart: false });
  expect(failed).toBe(Math.ceil((4500 - 7) / 40));
  const done = seen.map(({ rowsDone }) => rowsDone);
  expect(done).toEqual(done.toSorted((one, other) => one - other));
  expect(done.at(-1)).toBe(4500);
  expect(new Set(seen.map(({ total }) => total?.rows))).toEqual(new Set([4500]));
});
