import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { access, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type pg from 'pg';
import { syncFolder } from '../backup/backup-folder.ts';
import { encrypting, type KeyOfSalt } from '../backup/encrypted-stream.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import { OperatorError } from '../lib/operator-error.ts';
import { DumpSnapshot } from './dump.store.ts';
import {
  type DumpEnd,
  type DumpHeader,
  type DumpLabel,
  DumpReader,
  dumpFormat,
  dumpKey,
  endOfRows,
  readLabel,
} from './dump-format.ts';

interface DumpSource {
  readonly connection: pg.ClientConfig;
  /** The version of PostgreSQL. */
  readonly postgres: string;
  readonly keyRing: KeyRing;
}

interface DumpOptions {
  readonly encrypt: boolean;
  /** Receives the name of the table that is being read, and the bytes that were read so far. */
  onProgress(table: string, bytes: number): void;
}

type Bytes = AsyncIterable<Buffer>;

/**
 * Writes all tables, as of one moment, into a new file, and reads it again to check it. The file gets its name at the
 * end. Returns the number of rows of each table.
 */
export async function writeDump(
  file: string,
  { connection, postgres, keyRing }: DumpSource,
  { encrypt, onProgress }: DumpOptions,
): Promise<DumpEnd['rows']> {
  const path = resolve(file);
  await refuseExisting(path);
  const unfinished = `${path}.unfinished`;
  const tagsOf = (digest: Buffer) => keyRing.backupTags(digest);
  const keyOfSalt = (salt: Buffer) => keyRing.backupKeys(salt, dumpKey);
  await rm(unfinished, { force: true });
  const snapshot = await DumpSnapshot.open(connection);
  try {
    // The snapshot may be of a time after a rotation of the master key.
    await keyRing.refresh(snapshot);
    const label: DumpLabel = {
      anagrafeDump: dumpFormat,
      takenAt: new Date().toISOString(),
      postgres,
      masterKey: keyRing.identity.toString('hex'),
      isEncrypted: encrypt,
    };
    const labelLine = Buffer.from(`${JSON.stringify(label)}\n`);
    const header = {
      migrations: await snapshot.migrations(),
      tables: await snapshot.tables(),
      sequences: await snapshot.sequences(),
    };
    await pipeline(
      contentOf(snapshot, header, { labelLine, tagsOf, onProgress }),
      createGzip({ level: 1 }),
      encrypt ? encrypting(keyOfSalt) : (source: Bytes) => source,
      (source: Bytes) => after(labelLine, source),
      createWriteStream(unfinished, { mode: 0o600, flush: true, flags: 'wx' }),
    );
    const rows = await checkDump(unfinished, tagsOf, keyOfSalt);
    await refuseExisting(path);
    await rename(unfinished, path);
    await syncFolder(dirname(path));
    return rows;
  } finally {
    await snapshot.close();
    await rm(unfinished, { force: true });
  }
}

interface ContentTools extends Pick<DumpOptions, 'onProgress'> {
  readonly labelLine: Buffer;
  tagsOf(digest: Buffer): readonly string[];
}

async function* contentOf(
  snapshot: DumpSnapshot,
  header: DumpHeader,
  { labelLine, tagsOf, onProgress }: ContentTools,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256').update(labelLine);
  const hashed = (bytes: Buffer) => {
    hash.update(bytes);
    return bytes;
  };
  let bytes = 0;
  const rows: Record<string, number> = {};
  yield hashed(Buffer.from(`${JSON.stringify(header)}\n`));
  for (const table of header.tables) {
    const stream = snapshot.rowsOf(table);
    for await (const chunk of stream as Bytes) {
      bytes += chunk.length;
      onProgress(table.name, bytes);
      yield hashed(chunk);
    }
    rows[table.name] = stream.rowCount;
    yield hashed(Buffer.from(endOfRows));
  }
  const end: DumpEnd = { rows, tag: tagsOf(hash.digest())[0] ?? '' };
  yield Buffer.from(`${JSON.stringify(end)}\n`);
}

async function* after(first: Buffer, source: Bytes): AsyncGenerator<Buffer> {
  yield first;
  yield* source;
}

async function checkDump(
  path: string,
  tagsOf: (digest: Buffer) => readonly string[],
  keyOfSalt: KeyOfSalt,
): Promise<DumpEnd['rows']> {
  const reader = new DumpReader(path, await readLabel(path), keyOfSalt);
  try {
    const { tables } = await reader.header();
    for (const _ of tables) for await (const _ of reader.rows());
    return await reader.end(tagsOf);
  } finally {
    reader.close();
  }
}

async function refuseExisting(path: string): Promise<void> {
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  if (exists)
    throw new OperatorError(`${path} exists already`, {
      code: 'dump_exists',
      advice: 'choose another name.',
    });
}
