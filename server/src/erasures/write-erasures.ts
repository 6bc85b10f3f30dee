import type { Connection, Database } from '../db/database.ts';
import { readDatabaseId } from '../db/master-keys.ts';
import {
  appendErasures,
  beginning,
  type Erasure,
  endOfLog,
  isOf,
  type Place,
  readErasures,
} from './erasure-log.ts';
import { lockErasureLog, missingIn, readDeletions } from './erasures.store.ts';

interface ErasureLogOptions {
  readonly path: string;
  readonly timeline: string;
}

export interface ErasureLogWriter {
  /** Appends new deletions. Returns true if there are more. */
  append(): Promise<boolean>;
  /** The position in the hash chain up to which the file has all deletions; null before the first call of `append`. */
  readonly position: number | null;
}

/** How far the file was read, and how far the audit log is in it. */
interface Progress extends Place {
  readonly position: number;
}

/**
 * Opens the writer of the erasure log. The file says where to continue. Several nodes may share one file: they append one
 * after the other, and none appends what another one has. If the database does not have the last row of the file, because it
 * was restored, all of its deletions are appended again, which changes nothing.
 */
export function erasureLogWriter(
  database: Database,
  { path, timeline }: ErasureLogOptions,
): ErasureLogWriter {
  let progress: Progress | null = null;

  async function append(connection: Connection): Promise<boolean> {
    await lockErasureLog(connection);
    const id = await readDatabaseId(connection);
    progress = await readOn(path, progress, { connection, id });
    const { erasures, upTo, more } = await readDeletions(connection, progress.position);
    const named = erasures.map((erasure) => ({ ...erasure, timeline, ...(id !== null && { database: id }) }));
    const bytes = named.length > 0 ? await appendErasures(path, named) : progress.bytes;
    progress = { position: upTo, bytes, lines: progress.lines + named.length };
    return more;
  }

  return {
    get position() {
      return progress?.position ?? null;
    },
    async append() {
      // Before the transaction, which PostgreSQL ends if it is idle for as long as a large file takes to read.
      progress ??= await readOn(path, null, { connection: database, id: await readDatabaseId(database) });
      const { erasures, upTo } = await readDeletions(database, progress.position);
      if (erasures.length === 0) {
        progress = { ...progress, position: upTo };
        return false;
      }
      return database.transaction(append).catch((error) => {
        // The file is read again from its beginning.
        progress = null;
        throw error;
      });
    },
  };
}

/** Reads what was appended since the last time. */
async function readOn(
  path: string,
  known: Progress | null,
  { connection, id }: { readonly connection: Connection; readonly id: string | null },
): Promise<Progress> {
  const bytes = await endOfLog(path);
  const from = known && known.bytes <= bytes ? known : { ...beginning, position: known?.position ?? 0 };
  let last: Erasure | null = null;
  let { lines } = from;
  for await (const erasure of readErasures(path, from)) {
    lines++;
    if (isOf(id, erasure)) last = erasure;
  }
  const isOwn = last !== null && (await missingIn(connection, [last])).length === 0;
  return { bytes, lines, position: isOwn && last ? Math.max(from.position, last.position) : from.position };
}
