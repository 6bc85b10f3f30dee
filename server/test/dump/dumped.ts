import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataFolder, inProcess } from '@anagrafe/testing/command';
import { dataParent } from '@anagrafe/testing/data-parent';
import { atEnd } from '@anagrafe/testing/endings';
import { masterKey } from '@anagrafe/testing/store';
import { expect } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { readConfig } from '../../src/settings/config.ts';
import { openStore } from '../../src/store.ts';

type Settings = Record<string, string>;

/** Creates a folder for dumps, which is deleted when the test file ends. */
export function dumpFolder(): string {
  const folder = mkdtempSync(join(dataParent(), 'anagrafe-dumps-'));
  atEnd(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Creates an empty data folder with the master key of the external test databases. */
export function newFolder(): string {
  const folder = dataFolder();
  writeFileSync(join(folder, 'master.key'), `${masterKey}\n`);
  return folder;
}

/** Dumps the database of the settings into a new file, and returns its path. */
export async function dumped(settings: Settings, ...options: string[]): Promise<string> {
  const file = join(dumpFolder(), 'anagrafe.dump');
  const { code, stderr } = await inProcess(['dump', file, '--json', ...options], settings);
  expect({ code, stderr: stderr.replace(/^Reading .*\n/gm, '') }).toEqual({ code: 0, stderr: '' });
  return file;
}

const leftOut = ['migrations', 'sessions', 'console_sessions', 'operator_sessions'];

/** Returns the number and a digest of the rows of each table that a dump has. */
export async function contentsOf(settings: Settings): Promise<Record<string, string>> {
  const { database, close } = await openStore(readConfig(settings), { mode: 'existing', log: () => {} });
  try {
    return await contents(database);
  } finally {
    await close();
  }
}

async function contents(database: Database): Promise<Record<string, string>> {
  const tables = await database.query<{ name: string }>(
    `select relname::text as name from pg_class
      where relnamespace = 'anagrafe'::regnamespace and relkind = 'r' and relname <> all($1) order by 1`,
    [leftOut],
  );
  const found: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await database.query<{ rows: number; digest: string }>(
      `select count(*) as rows, md5(string_agg(row::text, ' ' order by row::text collate "C")) as digest
         from anagrafe.${name} as row`,
    );
    found[name] = `${row?.rows} ${row?.digest}`;
  }
  return found;
}
