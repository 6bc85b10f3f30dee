import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { OperatorError } from '../lib/operator-error.ts';
import { decrypting, type KeyOfSalt } from './encrypted-stream.ts';
import { readTar, type TarEntry } from './tar.ts';

/** The names of the files of a backup. The archive has another one if it is encrypted. */
export const files = {
  about: 'backup.json',
  manifest: 'backup_manifest',
  archive: 'base.tar.gz',
  encryptedArchive: 'base.tar.gz.encrypted',
};

/** The name under which the key of the archive is derived. See `KeyRing.backupKey`. */
export const archiveKey = 'base';

/** A manifest is read as a whole. That of a cluster with 100,000 files has 20 MB. */
const manifestBytesMax = 100_000_000;

/** The size that `initdb` gives the files of the write-ahead log. */
export const logFileBytes = 16 * 1024 * 1024;

/**
 * A backup passes on its bytes in pieces of this size. Each piece waits for the event loop, which is busy with calls:
 * pieces of 16 kB, the default of Node, made a backup under load ten times as long.
 */
export const pieceBytes = 1024 * 1024;

interface Manifest {
  readonly Files: readonly ListedFile[];
  readonly 'WAL-Ranges'?: readonly { readonly Timeline: number; readonly 'Start-LSN': string }[];
}

interface ListedFile {
  readonly Path: string;
  readonly Size: number;
  readonly 'Checksum-Algorithm': string;
  readonly Checksum: string;
}

type Bytes = AsyncIterable<Buffer>;

/** Receives the files and folders of a backup one after the other. The name of a folder ends with a slash. */
export type WriteFile = (name: string, content: Bytes) => Promise<void>;

interface ReadOptions {
  /** Null if the archive is not encrypted. */
  readonly keyOfSalt: KeyOfSalt | null;
  /** See `About`. */
  readonly digests: { readonly archive: string; readonly manifest: string };
}

/**
 * Reads the archive of a backup and compares each file with the manifest of PostgreSQL, by size and SHA-256. The
 * write-ahead log has checksums of its own, which PostgreSQL checks when it starts.
 *
 * @throws {OperatorError} if a file was changed or added, or is missing.
 */
export async function readBackupFiles(
  folder: string,
  { keyOfSalt, digests }: ReadOptions,
  write: WriteFile,
): Promise<void> {
  const listed = await readManifest(folder, digests.manifest);
  const digest = createHash('sha256');
  try {
    await pipeline(
      createReadStream(join(folder, keyOfSalt ? files.encryptedArchive : files.archive), {
        highWaterMark: pieceBytes,
      }),
      (source: Bytes) => hashed(source, digest),
      keyOfSalt ? decrypting(keyOfSalt) : unchanged,
      createGunzip({ chunkSize: pieceBytes }),
      async (tar: Bytes) => {
        for await (const entry of readTar(tar)) await readEntry(entry, listed, write);
      },
    );
    if (digest.digest('hex') !== digests.archive) throw new Error('its archive is another one');
    const [missing] = listed.keys();
    if (missing !== undefined) throw new Error(`${missing} is missing`);
  } catch (error) {
    // An error of the file system, such as a full disk, says nothing about the backup.
    if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error;
    throw damaged(folder, error);
  }
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function unchanged(source: Bytes): Bytes {
  return source;
}

/** Returns the name of the file of the write-ahead log in which the backup begins, from the text of its manifest. */
export function firstLogFileOf(manifest: string): string {
  const ranges = (JSON.parse(manifest) as Manifest)['WAL-Ranges'];
  const [{ Timeline = 0, 'Start-LSN': start = '' } = {}] = ranges ?? [];
  const [high = 0, low = 0] = start.split('/').map((part) => Number.parseInt(part, 16));
  return [Timeline, high, Math.floor(low / logFileBytes)]
    .map((part) => part.toString(16).toUpperCase().padStart(8, '0'))
    .join('');
}

async function readManifest(folder: string, digest: string): Promise<Map<string, ListedFile>> {
  const path = join(folder, files.manifest);
  try {
    const { size } = await stat(path);
    if (size > manifestBytesMax) throw new Error(`${files.manifest} is too large`);
    const text = await readFile(path, 'utf8');
    if (digestOf(text) !== digest) throw new Error(`${files.manifest} was changed`);
    const { Files } = JSON.parse(text) as Manifest;
    return new Map(Files.map((file) => [file.Path, file]));
  } catch (error) {
    throw damaged(folder, error);
  }
}

async function readEntry(
  { name, size, isFolder, content }: TarEntry,
  listed: Map<string, ListedFile>,
  write: WriteFile,
): Promise<void> {
  if (isFolder) return write(name.endsWith('/') ? name : `${name}/`, content);
  const hash = createHash('sha256');
  await write(name, hashed(content, hash));
  const file = listed.get(name);
  listed.delete(name);
  if (!file && name.startsWith('pg_wal/')) return;
  const isEqual = file?.Size === size && file['Checksum-Algorithm'] === 'SHA256';
  if (!isEqual || file.Checksum !== hash.digest('hex'))
    throw new Error(`${name} differs from ${files.manifest}`);
}

/** Passes a stream on, and its bytes to the hash. */
export async function* hashed(content: Bytes, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    hash.update(chunk);
    yield chunk;
  }
}

export function damaged(folder: string, cause: unknown): OperatorError {
  return new OperatorError(`The backup ${folder} cannot be used: ${(cause as Error).message}`, {
    code: 'backup_damaged',
    advice: 'use another backup.',
    cause,
  });
}
