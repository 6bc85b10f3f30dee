import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { sweep } from '../embedded-postgres/data-folder.ts';
import type { Connection } from '../embedded-postgres/embedded-postgres.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import { OperatorError } from '../lib/operator-error.ts';
import {
  archiveKey,
  digestOf,
  files,
  firstLogFileOf,
  hashed,
  pieceBytes,
  readBackupFiles,
  unchanged,
} from './backup-files.ts';
import {
  type About,
  type Backup,
  backupsIn,
  nameOf,
  readAbout,
  syncFolder,
  withTag,
} from './backup-folder.ts';
import { readBaseBackup } from './base-backup.ts';
import { encrypting } from './encrypted-stream.ts';

/** The beginning of the name of a folder that is being written or deleted. */
export const unfinished = '.unfinished-';

interface BackupOptions extends Pick<About, 'postgres' | 'system'> {
  readonly keyRing: KeyRing;
  readonly encrypt: boolean;
  /** Interrupts the backup. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes a backup of the running embedded PostgreSQL into a new folder in `folder`, and reads it again to compare each
 * file with the manifest. The folder gets its name at the end: a backup with a name is complete.
 */
export async function takeBackup(
  connection: Connection,
  folder: string,
  { keyRing, encrypt, signal, ...database }: BackupOptions,
): Promise<Backup> {
  const parent = resolve(folder);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await backupsIn(parent, database.system);
  await sweep(parent, unfinished);
  await keyRing.refresh();
  const { identity } = keyRing;
  const takenAt = new Date();
  const keyOfSalt = encrypt ? (salt: Buffer) => keyRing.backupKeys(salt, archiveKey) : null;
  const digest = createHash('sha256');
  const making = await mkdtemp(join(parent, unfinished));
  try {
    const { tar, manifest } = await readBaseBackup(connection);
    await pipeline(
      tar,
      inLargePieces,
      createGzip({ level: 1, chunkSize: pieceBytes }),
      keyOfSalt ? encrypting(keyOfSalt) : unchanged,
      (source: AsyncIterable<Buffer>) => hashed(source, digest),
      createWriteStream(join(making, keyOfSalt ? files.encryptedArchive : files.archive), durable),
      { ...(signal && { signal }) },
    );
    const listed = await manifest;
    await keyRing.refresh();
    if (!keyRing.identity.equals(identity)) throw rotatedMeanwhile();
    const about: About = {
      takenAt: takenAt.toISOString(),
      endedAt: new Date().toISOString(),
      firstLogFile: firstLogFileOf(listed),
      ...database,
      masterKey: identity.toString('hex'),
      isEncrypted: encrypt,
      digests: { archive: digest.digest('hex'), manifest: digestOf(listed) },
    };
    await writeFile(join(making, files.manifest), listed, durable);
    await readBackupFiles(making, { keyOfSalt, digests: about.digests }, async (_, content) => {
      for await (const _ of content) signal?.throwIfAborted();
    });
    await writeFile(join(making, files.about), withTag(about, keyRing), durable);
    await syncFolder(making);
    const made = join(parent, nameOf(takenAt));
    await rename(making, made).catch((error) => {
      throw ['ENOTEMPTY', 'EEXIST'].includes(error.code) ? sameSecond(made) : error;
    });
    await syncFolder(parent);
    return readAbout(made);
  } finally {
    await rm(making, { recursive: true, force: true });
  }
}

/** The database would need another master key than the files. */
function rotatedMeanwhile(): OperatorError {
  return new OperatorError('The master key was rotated during the backup', {
    code: 'master_key_changed',
    advice: 'take the backup again.',
  });
}

/** Reads all that waits at once. A pipe would pass on the pieces of 32 kB that PostgreSQL sends. */
async function* inLargePieces(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* source;
}

function sameSecond(made: string): OperatorError {
  return new OperatorError(`Another backup of the same second is in ${made}`, {
    code: 'backup_exists',
    advice: 'take the backup again.',
  });
}

/** Only the owner reads the files: they contain password hashes. `flush` writes them to the disk. */
const durable = { mode: 0o600, flush: true, flag: 'wx' } as const;
