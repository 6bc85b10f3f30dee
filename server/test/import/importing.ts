import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { type ImportRow, openImportFile } from '../../../importer/src/index.ts';
import { anagrafe, inProcess, start } from '../cli/command.ts';
import { atEnd } from '../setup/endings.ts';
import type { Outcome } from '../setup/heard.ts';
import type { TestService } from '../setup/service.ts';

/** Creates a working folder with functions to write files and run the import commands in it. */
export function newWorkFolder(service: Pick<TestService, 'url'>) {
  const root = mkdtempSync(join(tmpdir(), 'anagrafe-import-'));
  atEnd(() => rmSync(root, { recursive: true, force: true }));
  const settings = { ANAGRAFE_URL: service.url };
  const path = (name: string) => join(root, name);
  const withPaths = ([command = '', file = '', ...options]: readonly string[]) => [
    command,
    path(file),
    ...options.map((option) => (/\.(csv|key|json)$/.test(option) ? path(option) : option)),
  ];
  return {
    path,
    write: (name: string, content: string | Uint8Array) => writeFileSync(path(name), content),
    read: (name: string) => readFileSync(path(name), 'utf8'),
    /** Runs a command in the process of the test; file names are relative to the folder. */
    run: (args: readonly string[], more: Record<string, string> = {}): Promise<Outcome> =>
      inProcess(withPaths(args), { ...settings, ...more }),
    /** Runs a command to its end in a child process. */
    runProgram: (args: readonly string[]): Promise<Outcome> => anagrafe(withPaths(args), settings),
    /** Starts a command in a child process and returns while it runs. */
    begin: (args: readonly string[]) => start(withPaths(args), settings),
  };
}

export type WorkFolder = ReturnType<typeof newWorkFolder>;

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
