import { access, constants, stat, statfs } from 'node:fs/promises';
import { describeCluster } from '../../backup/backup.store.ts';
import { backupsIn } from '../../backup/backup-folder.ts';
import { missingLogFile } from '../../backup/log-archive.ts';
import type { Database } from '../../db/database.ts';
import { readMasterKeys } from '../../db/master-keys.ts';
import { succeeds } from '../../embedded-postgres/command.ts';
import { nearestFolder } from '../../embedded-postgres/embedded-postgres.ts';
import { KeyRing } from '../../encryption/key-ring.ts';
import type { Config } from '../../settings/config.ts';
import { findMasterKeys, requireNeeded, shortId } from '../../settings/master-key-file.ts';
import { errorFinding, type Finding, finding } from './findings.ts';

const mebibyte = 1024 * 1024;
const lowSpace = 1024 * mebibyte;
const criticalSpace = 100 * mebibyte;

export async function examineDataFolder(path: string): Promise<Finding[]> {
  return [await place(path), await space(path)];
}

async function place(path: string): Promise<Finding> {
  const found = await stat(path).catch(() => undefined);
  if (found && !found.isDirectory()) return finding('data_folder_not_a_folder', { path });
  const nearest = await nearestFolder(path);
  if (!(await succeeds(access(nearest, constants.W_OK | constants.X_OK))))
    return finding('data_folder_not_writable', { path: nearest, uid: process.getuid?.() ?? null });
  return found
    ? finding('data_folder_ready', { path, uid: found.uid })
    : finding('data_folder_new', { path });
}

async function space(path: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(await nearestFolder(path));
  return spaceFinding(bavail * bsize);
}

export function spaceFinding(freeBytes: number): Finding {
  if (freeBytes < criticalSpace) return finding('disk_space_critical', { freeBytes });
  return finding(freeBytes < lowSpace ? 'disk_space_low' : 'disk_space_sufficient', { freeBytes });
}

/** Examines the scheduled backups of the embedded PostgreSQL. */
export async function examineBackups(
  database: Database,
  { BACKUP_FOLDER: folder, BACKUP_HOURS: hours }: Config,
): Promise<Finding> {
  if (folder === null) return finding('backup_not_scheduled');
  try {
    const { system } = await describeCluster(database);
    const newest = (await backupsIn(folder, system)).at(-1);
    const takenAt = newest?.takenAt ?? null;
    if (!newest || Date.now() - Date.parse(newest.takenAt) >= 2 * hours * 3_600_000)
      return finding('backup_overdue', { folder, takenAt });
    const missing = await missingLogFile(folder, newest.firstLogFile);
    return missing === null
      ? finding('backup_recent', { folder, takenAt })
      : finding('backup_log_gap', { folder, takenAt, missing });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall !== undefined)
      return finding('backup_overdue', { folder, takenAt: null });
    return errorFinding('backup', error, 'Use a folder that only this database uses.');
  }
}

export async function examineMasterKey(database: Database, config: Config): Promise<Finding> {
  try {
    const found = await findMasterKeys(config);
    const stored = await readMasterKeys(database, { recentHours: 0 });
    if (stored === null) return finding(found.length > 0 ? 'master_key_unused' : 'master_key_new');
    requireNeeded(found, stored, config);
    const needed = stored.former.find(({ retiredAt }) => retiredAt === null);
    if (needed) return finding('master_key_rotating', { key: shortId(needed.identity) });
    const [newest] = new KeyRing(...found).identities;
    return newest?.equals(stored.current)
      ? finding('master_key_valid')
      : finding('master_key_not_rotated', { key: shortId(newest as Buffer) });
  } catch (error) {
    return errorFinding('master key', error, 'Restore the master key from a backup.');
  }
}
