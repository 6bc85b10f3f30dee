import { open, readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { OperatorError } from '../lib/operator-error.ts';
import { files } from './backup-files.ts';
import type { RecoveryTarget } from './recovery.ts';

/** What `backup.json` says of a backup. */
export interface About {
  readonly takenAt: string;
  /** The state of the database that the backup has is that of this time. */
  readonly endedAt: string;
  /** The first file of the write-ahead log that a restore to a later time needs. */
  readonly firstLogFile: string;
  /** The version of PostgreSQL. Another minor version can read the files, another major version cannot. */
  readonly postgres: string;
  /** The identity of the master key that the database needs, in hexadecimal. */
  readonly masterKey: string;
  readonly isEncrypted: boolean;
}

export interface Backup extends About {
  readonly folder: string;
}

/** The name of a backup is its time, so that names sort by age: `2026-11-19T170000Z`. */
const named = /^\d{4}-\d{2}-\d{2}T\d{6}Z$/;

export function nameOf(takenAt: Date): string {
  return `${takenAt.toISOString().slice(0, 19).replaceAll(':', '')}Z`;
}

/** Returns the backups in a folder, oldest first. */
export async function backupsIn(folder: string): Promise<Backup[]> {
  const names = (await readdir(folder)).filter((name) => named.test(name)).toSorted();
  return Promise.all(names.map((name) => readAbout(join(folder, name))));
}

export interface RestorePlan {
  readonly backup: Backup;
  readonly target: RecoveryTarget;
}

/**
 * Plans a restore: of the backup that the folder itself is, or else of the newest backup in the folder and the log after
 * it, until a time or until its end (null).
 *
 * @throws {OperatorError} if there is no backup, or none before the time.
 */
export async function planRestore(folder: string, until: Date | null): Promise<RestorePlan> {
  const path = resolve(folder);
  const names = await readdir(path).catch((error: NodeJS.ErrnoException) => {
    throw missing(`The folder ${path} cannot be read (${error.code})`);
  });
  if (names.includes(files.about) && until === null)
    return { backup: await readAbout(path), target: 'backup' };
  const known = await backupsIn(path);
  const before = known.filter(({ endedAt }) => until === null || Date.parse(endedAt) <= until.getTime());
  const backup = before.at(-1);
  if (backup) return { backup, target: until ?? 'latest' };
  const [oldest] = known;
  throw missing(
    oldest && until
      ? `The oldest backup in ${path} is of ${oldest.endedAt}, after ${until.toISOString()}`
      : `There is no backup in ${path}`,
  );
}

function missing(problem: string): OperatorError {
  return new OperatorError(problem, {
    code: 'backup_missing',
    advice: 'name a folder that "anagrafe backup" has written to.',
  });
}

async function readAbout(folder: string): Promise<Backup> {
  try {
    const about = JSON.parse(await readFile(join(folder, files.about), 'utf8')) as About;
    return { ...about, folder };
  } catch (cause) {
    throw new OperatorError(`The backup ${folder} cannot be used: ${files.about} cannot be read`, {
      code: 'backup_damaged',
      advice: 'use another backup.',
      cause,
    });
  }
}

/** Makes a rename in the folder survive a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}
