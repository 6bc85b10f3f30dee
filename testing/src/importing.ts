import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Anagrafe } from '@anagrafe/client';
import { parse } from 'csv-parse/sync';
import { expect } from 'vitest';
import { batchLimits, type ImportRow, openImportFile } from '../../importer/src/index.ts';
import {
  dryRunImport,
  type ImportContext,
  type ImportTask,
  runImport,
} from '../../importer/src/node/index.ts';
import { anagrafe, inProcess, start } from './command.ts';
import { atEnd } from './endings.ts';
import type { Outcome } from './heard.ts';
import type { TestService } from './service.ts';

/** Creates a working folder with functions to write files and run the import commands in it. */
export function newWorkFolder(service: Pick<TestService, 'url'>) {
  const root = mkdtempSync(join(tmpdir(), 'anagrafe-import-'));
  atEnd(() => rmSync(root, { recursive: true, force: true }));
  const settings = { ANAGRAFE_URL: service.url };
  const path = (name: string) => join(root, name);
  // The companies of many tests have the same name. Look-alikes have tests of their own.
  const rulesOf = (command: string, options: readonly string[]) =>
    command === 'import' && !options.includes('--similar') ? ['--similar', 'allow'] : [];
  const withPaths = ([command = '', file = '', ...options]: readonly string[]) => [
    command,
    path(file),
    ...rulesOf(command, options),
    ...options.map((option) => (/\.(csv|key|json)$/.test(option) ? path(option) : option)),
  ];
  return {
    path,
    write: (name: string, content: string | Uint8Array) => writeFileSync(path(name), content),
    read: (name: string) => readFileSync(path(name), 'utf8'),
    /** Runs a command in the process of the test; file names are relative to the folder. */
    run: async (args: readonly string[], more: Record<string, string> = {}): Promise<Outcome> => {
      const outcome = await inProcess(withPaths(args), { ...settings, ...more });
      const countsRows = args[0] === 'import' || args[0] === 'reset';
      if (countsRows && args.includes('--json') && outcome.stdout !== '')
        await expectTotalsToAddUp(JSON.parse(outcome.stdout), readFileSync(path(args[1] ?? '')));
      return outcome;
    },
    /** Runs a command to its end in a child process. */
    runProgram: (args: readonly string[]): Promise<Outcome> => anagrafe(withPaths(args), settings),
    /** Starts a command in a child process and returns while it runs. */
    begin: (args: readonly string[]) => start(withPaths(args), settings),
  };
}

export type WorkFolder = ReturnType<typeof newWorkFolder>;

/** Returns the task to import `<name>.csv` of a folder. */
export function taskOf(
  folder: WorkFolder,
  name: string,
  url: string,
  changes: Partial<ImportTask> = {},
): ImportTask {
  return {
    purpose: 'register',
    path: folder.path(`${name}.csv`),
    url,
    caller: null,
    existing: 'refuse',
    similar: 'allow',
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
    failedPath: folder.path(`${name}.failed.csv`),
    wouldFailPath: folder.path(`${name}.would-fail.csv`),
    progressPath: folder.path(`${name}.csv.progress`),
    batches: batchLimits,
    ...changes,
  };
}

export function contextOf(url: string, more: Partial<ImportContext> = {}): ImportContext {
  return { anagrafe: new Anagrafe({ url }), onOpen() {}, onJob() {}, onProgress() {}, ...more };
}

/**
 * Runs a dry run of `<name>.csv` with the policy `update`, and then the import, in batches of 20 rows. Returns the results
 * of both as `--json` prints them.
 */
export async function updateInSmallBatches(
  folder: WorkFolder,
  name: string,
  url: string,
  changes: Partial<ImportTask> = {},
): Promise<readonly PrintedResult[]> {
  const batches = { ...batchLimits, rows: 20 };
  const task = taskOf(folder, name, url, { existing: 'update', batches, ...changes });
  const dry = await dryRunImport(task, contextOf(url));
  const run = await runImport(task, contextOf(url), { restart: false });
  const found = [{ ...dry, failedPath: dry.wouldFailPath }, { ...run }].map(
    ({ rows, skipped, repeated, failed, totals, failedPath }) => {
      const failedFile = failed > 0 ? failedPath : null;
      const applied = rows - skipped - repeated - failed;
      return { rows, applied, skipped, repeated, failed, failedFile, ...totals };
    },
  );
  for (const result of found) await expectTotalsToAddUp(result, readFileSync(task.path));
  return found;
}

interface PrintedResult {
  readonly rows: number;
  readonly applied: number;
  readonly skipped: number;
  readonly repeated: number;
  readonly failed: number;
  readonly failedFile: string | null;
  readonly UsersRegistered?: number;
  readonly UsersUpdated?: number;
  readonly UsersMoved?: number;
  readonly UsersUnchanged?: number;
}

/**
 * Checks that each row of an import or a reset has exactly one result: that the results add up to all rows, that the
 * failed rows are in their file, and that the users of the other rows are all counted.
 */
async function expectTotalsToAddUp(result: PrintedResult, input: Uint8Array): Promise<void> {
  const { rows, applied, skipped, repeated, failed, failedFile, UsersRegistered } = result;
  expect(applied + skipped + repeated + failed).toBe(rows);
  expect(Math.min(applied, skipped, failed)).toBeGreaterThanOrEqual(0);
  expect(await countRows(failedFile === null ? null : readFileSync(failedFile))).toMatchObject({
    rows: failed,
  });
  const read = await countRows(input);
  if (UsersRegistered === undefined || read.rows !== rows || !read.haveOneUser) return;
  const { UsersUpdated = 0, UsersMoved = 0, UsersUnchanged = 0 } = result;
  expect(UsersRegistered + UsersUpdated + UsersMoved + UsersUnchanged).toBe(applied + skipped);
  expect(UsersUnchanged).toBeGreaterThanOrEqual(skipped);
}

/** Counts the rows of a file. `haveOneUser` is true if each row that can be read has exactly one user. */
async function countRows(content: Uint8Array | null): Promise<{ rows: number; haveOneUser: boolean }> {
  let [rows, haveOneUser] = [0, true];
  if (content === null) return { rows, haveOneUser };
  const file = await openImportFile(new Blob([content]).stream(), { withoutPasswords: true }).catch(() => []);
  for await (const { kind } of file) {
    rows++;
    if (kind === 'record') haveOneUser = false;
  }
  return { rows, haveOneUser };
}

/** Parses a CSV file into objects with its column names as keys. */
export function rowsOf(folder: WorkFolder, name: string): Record<string, string>[] {
  const content = folder.read(name);
  const delimiter = content.split('\n', 1)[0]?.includes(';') ? ';' : ',';
  return parse(content, { columns: true, bom: true, delimiter });
}

/** Reads a file with the reader of the importer. */
export async function importRowsOf(folder: WorkFolder, name: string): Promise<ImportRow[]> {
  const bytes = new Blob([readFileSync(folder.path(name))]).stream();
  const rows: ImportRow[] = [];
  for await (const row of await openImportFile(bytes)) rows.push(row);
  return rows;
}

export async function storedUsernames({ database }: TestService): Promise<string[]> {
  const rows = await database.query<{ username: string }>('select username from anagrafe.users order by id');
  return rows.map(({ username }) => username);
}

export async function canSignIn(service: TestService, Username: string, Password: string): Promise<boolean> {
  return (await service.call('login', { Username, Password })).status === 200;
}
