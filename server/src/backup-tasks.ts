import { mkdir } from 'node:fs/promises';
import type { Logger } from 'pino';
import { currentTimeline, describeCluster } from './backup/backup.store.ts';
import { discardLog, moveLog } from './backup/log-archive.ts';
import { takeDueBackup } from './backup/scheduled-backup.ts';
import type { Connection } from './embedded-postgres/embedded-postgres.ts';
import type { KeyRing } from './encryption/key-ring.ts';
import { erasureLogIn } from './erasures/erasure-log.ts';
import { erasureLogWriter } from './erasures/write-erasures.ts';
import type { Metrics } from './metrics.ts';
import type { Config } from './settings/config.ts';
import type { Store } from './store.ts';

interface BackupTools {
  readonly config: Config;
  readonly log: Logger;
  readonly store: Store;
  readonly keyRing: KeyRing;
  readonly metrics: Metrics;
  /** Aborted when the service stops. */
  readonly signal: AbortSignal;
}

/** The background tasks that make a restore possible. Each returns true if more is left. */
export interface BackupTasks {
  /** Those of the embedded PostgreSQL; null if the database is another one. */
  readonly embedded: {
    /** Takes a backup if it is time. */
    backUp(): Promise<boolean>;
    /** Moves the archived log beside the backups. */
    archiveLog(): Promise<boolean>;
  } | null;
  writeErasures(): Promise<boolean>;
}

/** Returns the tasks; null if the settings name no folder for backups. */
export async function openBackupTasks(tools: BackupTools): Promise<BackupTasks | null> {
  const { BACKUP_FOLDER: folder } = tools.config;
  if (folder === null) return null;
  const { queue: database, embedded } = tools.store;
  const timeline = await currentTimeline(database);
  const appendDeletions = erasureLogWriter(database, { path: erasureLogIn(folder), timeline });
  return {
    embedded: embedded && embeddedTasks(tools, { embedded, folder, timeline }),
    async writeErasures() {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return appendDeletions();
    },
  };
}

interface EmbeddedBackups {
  readonly embedded: Connection;
  readonly folder: string;
  readonly timeline: string;
}

function embeddedTasks(
  { config, log, store: { queue: database }, keyRing, metrics, signal }: BackupTools,
  { embedded, folder, timeline }: EmbeddedBackups,
): NonNullable<BackupTasks['embedded']> {
  const { BACKUP_ENCRYPT: encrypt, DATA } = config;
  const keyOfName = encrypt ? (name: string) => (salt: Buffer) => keyRing.backupKeys(salt, name) : null;
  let gapAt: Date | null = null;

  async function discard(): Promise<void> {
    const files = await discardLog(DATA);
    if (files === 0) return;
    gapAt = new Date();
    log.error(
      { files },
      'deleted a part of the archived log, because the disk of the database is nearly full',
    );
  }
  return {
    async backUp() {
      const { BACKUP_HOURS: everyHours, BACKUP_DAYS: keepDays } = config;
      const options = { ...(await describeCluster(database)), keyRing, encrypt, signal };
      const due = await takeDueBackup({ folder, everyHours, keepDays, timeline, gapAt }, [
        embedded,
        options,
      ]).catch(unlessAborted(signal));
      if (!due) return false;
      metrics.setLastBackup(new Date(due.newest.takenAt));
      if (due.isNew) log.info({ folder: due.newest.folder }, 'took a backup');
      for (const path of due.deleted) log.info({ folder: path }, 'deleted a backup that is no longer kept');
      return false;
    },
    async archiveLog() {
      try {
        await moveLog(DATA, folder, keyOfName, signal);
      } catch (error) {
        if (signal.aborted) return false;
        await discard();
        throw error;
      }
      return false;
    },
  };
}

function unlessAborted(signal: AbortSignal): (error: unknown) => null {
  return (error) => {
    if (!signal.aborted) throw error;
    return null;
  };
}
