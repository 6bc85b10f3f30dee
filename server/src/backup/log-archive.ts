import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { archiveIn } from '../embedded-postgres/data-folder.ts';
import { unchanged } from './backup-files.ts';
import { syncFolder } from './backup-folder.ts';
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

/** The folder of the log files in a folder of backups. */
export function logIn(folder: string): string {
  return join(folder, 'log');
}

/** Moves the archived files of the log to the folder of the backups, compressed and, with a key, encrypted. */
export async function moveLog(
  dataFolder: string,
  folder: string,
  keyOfSalt: KeyOfSalt | null,
  signal: AbortSignal,
): Promise<void> {
  const [from, to] = [archiveIn(dataFolder), logIn(folder)];
  await mkdir(to, { recursive: true, mode: 0o700 });
  const stored = new Set((await readdir(to)).map((name) => name.replace(ending, '')));
  const copy = async (path: string, name: string) => {
    signal.throwIfAborted();
    const target = join(to, name + (keyOfSalt ? endings.encrypted : endings.plain));
    await pipeline(
      createReadStream(path),
      createGzip({ level: 1 }),
      keyOfSalt ? encrypting(keyOfSalt) : unchanged,
      createWriteStream(target + unfinished, { mode: 0o600, flush: true }),
    );
    await rename(target + unfinished, target);
    await syncFolder(to);
  };
  // PostgreSQL does not archive the history of a timeline that began before it archived its log.
  const own = join(dataFolder, 'postgres', 'pg_wal');
  for (const name of await readdir(own))
    if (history.test(name) && !stored.has(name)) await copy(join(own, name), name);
  for (const name of (await readdir(from)).toSorted()) {
    if (logFile.test(name)) await copy(join(from, name), name);
    // The others are histories, which were copied, and labels of backups, which have their own.
    if (!name.startsWith('archtemp')) await rm(join(from, name));
  }
}

/** Deletes the files of the log that no kept backup needs. */
export async function deleteLogBefore(folder: string, firstLogFile: string): Promise<void> {
  const log = logIn(folder);
  for (const name of await namesIn(log))
    if (logFile.test(name.replace(ending, '')) && name.slice(8, 24) < firstLogFile.slice(8))
      await rm(join(log, name), { force: true });
}

/**
 * Unpacks the files of the log that a restore of a backup needs, of each timeline as far as none is missing. Returns the
 * name of the first file that is missing before others, or null.
 */
export async function unpackLog(
  folder: string,
  firstLogFile: string,
  keyOfSalt: KeyOfSalt,
  to: string,
): Promise<string | null> {
  await mkdir(to, { mode: 0o700 });
  let missing: string | null = null;
  let last = '';
  for (const name of (await namesIn(logIn(folder))).toSorted()) {
    const plain = name.replace(ending, '');
    const isLog = logFile.test(plain) && plain.slice(8) >= firstLogFile.slice(8);
    if (!isLog && !history.test(plain)) continue;
    if (isLog && plain.slice(0, 8) === last.slice(0, 8) && plain > following(last)) {
      missing ??= following(last);
      continue;
    }
    if (isLog) last = plain;
    await pipeline(
      createReadStream(join(logIn(folder), name)),
      name.endsWith(endings.encrypted) ? decrypting(keyOfSalt) : unchanged,
      createGunzip(),
      createWriteStream(join(to, plain), { mode: 0o600 }),
    );
  }
  return missing;
}

/** Returns the name of the next file of the log. The last part of a number is at most FF. */
function following(name: string): string {
  const number = Number.parseInt(name.slice(8, 16), 16) * 256 + Number.parseInt(name.slice(16), 16) + 1;
  const part = (value: number) => value.toString(16).toUpperCase().padStart(8, '0');
  return name.slice(0, 8) + part(Math.floor(number / 256)) + part(number % 256);
}

async function namesIn(log: string): Promise<string[]> {
  return readdir(log).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}
