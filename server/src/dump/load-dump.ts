import type pg from 'pg';
import type { Database } from '../db/database.ts';
import { migrate, refuseUnknown } from '../db/migrations.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import { OperatorError } from '../lib/operator-error.ts';
import { LoadTransaction } from './dump.store.ts';
import { type DumpEnd, type DumpFile, type DumpHeader, DumpReader, damaged, dumpKey } from './dump-format.ts';

interface LoadTarget {
  readonly connection: pg.ClientConfig;
  readonly database: Database;
  /** The target, for messages. */
  readonly place: string;
}

interface LoadTools {
  readonly keyRing: KeyRing;
  /** Receives the name of the table that is being written, and the bytes that were read so far. */
  onProgress(table: string, bytes: number): void;
}

/** Reads the beginning of a dump and refuses one that this version of the service cannot load. */
export async function checkHeader(path: string, file: DumpFile, keyRing: KeyRing): Promise<void> {
  const reader = new DumpReader(path, file, (salt) => keyRing.backupKeys(salt, dumpKey));
  try {
    const { migrations } = await reader.header();
    await refuseUnknown(migrations);
  } finally {
    reader.close();
  }
}

/**
 * Loads a dump into an empty database, in one transaction that is committed once the whole file was read and found
 * authentic. The schema is first that of the dump, and then that of this version of the service. Returns the number of
 * rows of each table.
 */
export async function loadDump(
  path: string,
  file: DumpFile,
  { connection, database, place }: LoadTarget,
  { keyRing, onProgress }: LoadTools,
): Promise<DumpEnd['rows']> {
  const reader = new DumpReader(path, file, (salt) => keyRing.backupKeys(salt, dumpKey));
  try {
    const header = await reader.header();
    await migrate(database, header.migrations.at(-1)?.version);
    const load = await LoadTransaction.open(connection, place);
    try {
      if ((await load.migrations()).length > header.migrations.length) throw newerSchema(place);
      refuseOtherTables(path, header, await load.tables());
      const rows: Record<string, number> = {};
      let bytes = 0;
      for (const table of header.tables) {
        rows[table.name] = await load.write(
          table,
          counted(reader.rows(), (count) => {
            bytes += count;
            onProgress(table.name, bytes);
          }),
        );
      }
      const dumped = await reader.end((digest) => keyRing.backupTags(digest));
      for (const { name } of header.tables)
        if (rows[name] !== dumped[name]) throw damaged(path, `it has another number of rows of ${name}`);
      await load.commit(header.sequences);
      return dumped;
    } finally {
      await load.close();
    }
  } finally {
    reader.close();
  }
}

function newerSchema(place: string): OperatorError {
  return new OperatorError(`The database in ${place} has a newer schema than the dump`, {
    code: 'database_not_empty',
    advice: 'load the dump into a new data folder, or into a new database.',
  });
}

/** The names of the dump become part of statements. */
function refuseOtherTables(path: string, { tables }: DumpHeader, known: DumpHeader['tables']): void {
  const listOf = (list: DumpHeader['tables']) =>
    list.map(({ name, columns }) => `${name}: ${columns.toSorted().join()}`).toSorted();
  const [dumped, own] = [listOf(tables), listOf(known)];
  const differing = dumped.find((table, at) => table !== own[at]) ?? own[dumped.length];
  if (differing !== undefined)
    throw damaged(path, `its table ${differing.split(':')[0]} is not that of its schema`);
}

async function* counted(
  source: AsyncIterable<Buffer>,
  onBytes: (count: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    onBytes(chunk.length);
    yield chunk;
  }
}
