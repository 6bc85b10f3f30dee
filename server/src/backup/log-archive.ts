import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { archiveIn } from '../embedded-postgres/data-folder.ts';
import { OperatorError } from '../lib/operator-error.ts';
import { logFileBytes, unchanged } from './backup-files.ts';
import { backupsIn, folderInUse, syncFolder } from './backup-folder.ts';
import { decrypting, encrypting, type KeyOfSalt } from './encrypted-stream.ts';

// PostgreSQL copies each complete file of its write-ahead log into a folder next to the data. The service moves them from
// there to the folder of the backups. With a backup and the files after it, the state of any moment can be restored.

/** The name of a file of the log: its timeline, which a restore begins, and its number in two parts. */
const logFile = /^[0-9A-F]{24}$/;
/** Says from which other timeline a timeline began, and where. */
const history = /^[0-9A-F]{8}\.history$/;
const endings = { plain: '.gz', encrypted: '.gz.encrypted' };
const ending = /\.gz(\.encrypted)?$/;
const unfinished = '.unfinished';

/** The free space of the disk of the database below which the files that cannot be moved are deleted. */
const freeBytesMin = 1024 ** 3;

/** Returns the key of a file by its name. */
export type KeyOfName = (name: string) => KeyOfSalt;

/** The folder of the log files in a folder of backups. */
export function logIn(folder: string): string {
  return join(folder, 'log');
}

interface LogArchive {
  /** The folder of the backups. */
  readonly folder: string;
  /** Identifies the cluster. */
  readonly system: string;
  readonly encrypt: boolean;
  readonly keyOfName: KeyOfName;
  readonly signal: AbortSignal;
}

/**
 * Moves the archived files of the log to the folder of the backups, compressed and perhaps encrypted.
 *
 * @throws {OperatorError} if the folder has backups or the log of another cluster.
 */
export async function moveLog(
  dataFolder: string,
  { folder, system, encrypt, keyOfName, signal }: LogArchive,
): Promise<void> {
  const [from, to] = [archiveIn(dataFolder), logIn(folder)];
  await mkdir(to, { recursive: true, mode: 0o700 });
  const stored = new Map((await readdir(to)).map((name) => [name.replace(ending, ''), name]));
  const copy = async (path: string, name: string) => {
    signal.throwIfAborted();
    const found = stored.get(name);
    // The service was killed after the copy, or another database has the same folder.
    if (found !== undefined) return requireSame(path, join(to, found), keyOfName(name));
    const target = join(to, name + (encrypt ? endings.encrypted : endings.plain));
    await pipeline(
      createReadStream(path),
      createGzip({ level: 1 }),
      encrypt ? encrypting(keyOfName(name)) : unchanged,
      createWriteStream(target + unfinished, { mode: 0o600, flush: true }),
    );
    await rename(target + unfinished, target);
    await syncFolder(to);
  };
  // PostgreSQL does not archive the history of a timeline that began before it archived its log.
  const own = join(dataFolder, 'postgres', 'pg_wal');
  const histories = (await readdir(own)).filter((name) => history.test(name) && !stored.has(name));
  const waiting = (await readdir(from)).toSorted();
  if (histories.length + waiting.length > 0) await backupsIn(folder, system);
  for (const name of histories) await copy(join(own, name), name);
  for (const name of waiting) {
    if (logFile.test(name)) await copy(join(from, name), name);
    // The others are histories, which were copied, and labels of backups, which have their own.
    if (!name.startsWith('archtemp')) await rm(join(from, name));
  }
}

/**
 * Deletes the files of the log that wait to be moved if the disk is nearly full: PostgreSQL would stop once it is. Returns
 * their number.
 */
export async function discardLog(dataFolder: string, freeBytes = freeBytesMin): Promise<number> {
  const from = archiveIn(dataFolder);
  const { bavail, bsize } = await statfs(from);
  if (bavail * bsize >= freeBytes) return 0;
  const names = (await readdir(from)).filter((name) => logFile.test(name));
  for (const name of names) await rm(join(from, name), { force: true });
  return names.length;
}

/** @throws {OperatorError} if an archived file is not a copy of the file. */
async function requireSame(path: string, archived: string, keyOfSalt: KeyOfSalt): Promise<void> {
  const [own, other] = [createHash('sha256'), createHash('sha256')];
  await pipeline(createReadStream(path), own);
  const isReadable = await pipeline(
    createReadStream(archived),
    archived.endsWith(endings.encrypted) ? decrypting(keyOfSalt) : unchanged,
    createGunzip(),
    other,
  ).then(
    () => true,
    () => false,
  );
  if (isReadable && own.digest().equals(other.digest())) return;
  throw folderInUse(`${archived} is part of the log of another database`);
}

/**
 * Returns the name of the first file that the archived log lacks after a backup, although it has a later one; null if there
 * is none. What was written from there on can be restored from a later backup only.
 */
export async function missingLogFile(folder: string, firstLogFile: string): Promise<string | null> {
  const timeline = firstLogFile.slice(0, 8);
  const names = (await namesIn(logIn(folder))).map((name) => name.replace(ending, ''));
  const found = new Set(names.filter((name) => logFile.test(name) && name.startsWith(timeline)));
  const last = [...found].toSorted().at(-1) ?? '';
  let name = firstLogFile;
  while (name < last && found.has(name)) name = nameAfter(name);
  return name < last ? name : null;
}

function nameAfter(name: string): string {
  const inHex = (number: number) => number.toString(16).toUpperCase().padStart(8, '0');
  const [high, low] = [name.slice(8, 16), name.slice(16)].map((part) => Number.parseInt(part, 16)) as [
    number,
    number,
  ];
  const isLast = (low + 1) * logFileBytes === 2 ** 32;
  return name.slice(0, 8) + (isLast ? inHex(high + 1) + inHex(0) : inHex(high) + inHex(low + 1));
}

/** Deletes the files of the log, of any timeline, before a place: the last 16 digits of a name. */
export async function deleteLogBefore(folder: string, place: string): Promise<void> {
  const log = logIn(folder);
  for (const name of await namesIn(log))
    if (logFile.test(name.replace(ending, '')) && name.slice(8, 24) < place)
      await rm(join(log, name), { force: true });
}

/**
 * Unpacks the files of the log that a restore of a backup needs, and the histories of all timelines, from which PostgreSQL
 * knows the numbers that are taken. Returns the name of the last file; null if there is none.
 */
export async function unpackLog(
  folder: string,
  firstLogFile: string | null,
  keyOfName: KeyOfName,
  to: string,
): Promise<string | null> {
  await mkdir(to, { mode: 0o700 });
  let last: string | null = null;
  for (const name of (await namesIn(logIn(folder))).toSorted()) {
    const plain = name.replace(ending, '');
    const isLog = logFile.test(plain);
    const isNeeded = isLog && firstLogFile !== null && plain.slice(8) >= firstLogFile.slice(8);
    if (!isNeeded && !history.test(plain)) continue;
    last = plain;
    await pipeline(
      createReadStream(join(logIn(folder), name)),
      name.endsWith(endings.encrypted) ? decrypting(keyOfName(plain)) : unchanged,
      createGunzip(),
      createWriteStream(join(to, plain), { mode: 0o600 }),
    ).catch((cause) => {
      if (cause.syscall !== undefined) throw cause;
      throw new OperatorError(`The file ${join(logIn(folder), name)} cannot be used: ${cause.message}`, {
        code: 'backup_damaged',
        advice: 'restore to a time before it with --to-time, or restore a backup alone by naming its folder.',
        cause,
      });
    });
  }
  return last && logFile.test(last) ? last : null;
}

async function namesIn(log: string): Promise<string[]> {
  return readdir(log).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}
