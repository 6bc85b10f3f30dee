import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { KeyRing } from '../encryption/key-ring.ts';
import { OperatorError } from '../lib/operator-error.ts';
import { damaged, files } from './backup-files.ts';
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
  /** SHA-256 of the archive and of the manifest, in hexadecimal. */
  readonly digests: { readonly archive: string; readonly manifest: string };
  /** Identifies the cluster, which a restore keeps. */
  readonly system: string;
}

/** The content of `backup.json`. The tag authenticates the rest of it, and with the digests all files. */
interface TaggedAbout extends About {
  readonly tag: string;
}

export interface Backup extends TaggedAbout {
  readonly folder: string;
}

/** The name of a backup is its time, so that names sort by age: `2026-11-19T170000Z`. */
const named = /^\d{4}-\d{2}-\d{2}T\d{6}Z$/;

export function nameOf(takenAt: Date): string {
  return `${takenAt.toISOString().slice(0, 19).replaceAll(':', '')}Z`;
}

/** Returns the timeline of the log to which a backup belongs. */
export function timelineOf({ firstLogFile }: Pick<About, 'firstLogFile'>): string {
  return firstLogFile.slice(0, 8);
}

/**
 * Returns the backups in a folder, oldest first. The log beside them and their retention are those of one cluster.
 *
 * @throws {OperatorError} if the folder has backups of several clusters, or of another one than `system`.
 */
export async function backupsIn(folder: string, system?: string): Promise<Backup[]> {
  const names = (await readdir(folder)).filter((name) => named.test(name)).toSorted();
  const backups = (await Promise.all(names.map((name) => readIfKept(join(folder, name))))).flat();
  const own = system ?? backups[0]?.system;
  const other = backups.find((backup) => backup.system !== own);
  if (other) throw folderInUse(`${other.folder} is a backup of another database`);
  return backups;
}

/** Returns nothing for a backup that another task, which deletes what has expired, has removed meanwhile. */
async function readIfKept(folder: string): Promise<Backup[]> {
  try {
    return [await readAbout(folder)];
  } catch (error) {
    if (existsSync(folder)) throw error;
    return [];
  }
}

export function folderInUse(problem: string): OperatorError {
  return new OperatorError(problem, {
    code: 'backup_folder_in_use',
    advice:
      'use a folder for one database only: set ANAGRAFE_BACKUP_FOLDER to another folder, or move what belongs to the other database.',
  });
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

export async function readAbout(folder: string): Promise<Backup> {
  try {
    const about = JSON.parse(await readFile(join(folder, files.about), 'utf8')) as TaggedAbout;
    return { ...about, folder };
  } catch (cause) {
    throw damaged(folder, new Error(`${files.about} cannot be read`, { cause }));
  }
}

/** Returns the text of `backup.json`. */
export function withTag(about: About, keyRing: KeyRing): string {
  return `${JSON.stringify({ ...about, tag: tagsOf(about, keyRing)[0] }, null, 2)}\n`;
}

/** @throws {OperatorError} if `backup.json` is not what a service with the same master key has written. */
export function requireAuthentic({ folder, tag, ...about }: Backup, keyRing: KeyRing): void {
  if (!tagsOf(about, keyRing).includes(tag)) throw damaged(folder, new Error(`${files.about} was changed`));
}

function tagsOf(about: About, keyRing: KeyRing): readonly string[] {
  const digest = createHash('sha256').update(JSON.stringify(about)).digest();
  return keyRing.backupTags(digest);
}

/** Makes a rename in the folder survive a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}
