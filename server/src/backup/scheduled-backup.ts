import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Backup, backupsIn, timelineOf } from './backup-folder.ts';
import { deleteLogBefore, missingLogFile } from './log-archive.ts';
import { takeBackup, unfinished } from './take-backup.ts';

const hourMs = 3_600_000;

export interface Schedule {
  readonly folder: string;
  readonly everyHours: number;
  /** Older backups are deleted. The newest one always stays. */
  readonly keepDays: number;
  /** See `currentTimeline`. The log after a restore belongs to no earlier backup. */
  readonly timeline: string;
}

/** Renames the folder first, so that no kill leaves a part of a backup under the name of a complete one. */
async function deleteBackup(folder: string): Promise<void> {
  const deleting = join(dirname(folder), `${unfinished}${basename(folder)}`);
  await rename(folder, deleting);
  await rm(deleting, { recursive: true });
}

interface DueBackup {
  /** The newest backup. */
  readonly newest: Backup;
  /** True if it was taken now. */
  readonly isNew: boolean;
  /** The folders of the backups that were deleted. */
  readonly deleted: readonly string[];
}

/**
 * Takes a backup if the newest one is too old or of another timeline, or the log after it has a gap, and then deletes those
 * that are no longer kept.
 */
export async function takeDueBackup(
  { folder, everyHours, keepDays, timeline }: Schedule,
  [connection, options]: [Parameters<typeof takeBackup>[0], Parameters<typeof takeBackup>[2]],
  now = Date.now(),
): Promise<DueBackup> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const known = await backupsIn(folder, options.system);
  const ageOf = ({ takenAt }: Backup) => now - Date.parse(takenAt);
  const last = known.at(-1);
  // A backup of the future is that of a clock that was wrong.
  const isDue =
    !last ||
    ageOf(last) >= everyHours * hourMs ||
    ageOf(last) < 0 ||
    timelineOf(last) !== timeline ||
    (await missingLogFile(folder, last.firstLogFile)) !== null;
  const newest = isDue ? await takeBackup(connection, folder, options) : last;
  const expired = known.filter(
    (backup) => backup.folder !== newest.folder && ageOf(backup) > keepDays * 24 * hourMs,
  );
  for (const backup of expired) await deleteBackup(backup.folder);
  const kept = [newest, ...known.filter((backup) => !expired.includes(backup))];
  // The log of a restored database begins at an earlier place than that of a backup before the restore may.
  const places = kept.map(({ firstLogFile }) => firstLogFile.slice(8)).toSorted();
  await deleteLogBefore(folder, places[0] ?? '');
  return { newest, isNew: isDue, deleted: expired.map((backup) => backup.folder) };
}
