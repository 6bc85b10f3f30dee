import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { currentTimeline, describeCluster } from './backup/backup.store.ts';
import type { About } from './backup/backup-folder.ts';
import { discardLog, moveLog } from './backup/log-archive.ts';
import { takeDueBackup } from './backup/scheduled-backup.ts';
import type { Connection } from './embedded-postgres/embedded-postgres.ts';
import type { KeyRing } from './encryption/key-ring.ts';
import { erasureLogIn } from './erasures/erasure-log.ts';
import { type ErasureLogWriter, erasureLogWriter } from './erasures/write-erasures.ts';
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
  readonly erasures: ErasureLogWriter;
}

/** Returns the tasks; null if the settings name no folder for backups. */
export async function openBackupTasks(tools: BackupTools): Promise<BackupTasks | null> {
  const { BACKUP_FOLDER: folder } = tools.config;
  if (folder === null) return null;
  const { queue: database, embedded } = tools.store;
  const timeline = await currentTimeline(database);
  return {
    embedded:
      embedded &&
      embeddedTasks(tools, { embedded, cluster: await describeCluster(database), folder, timeline }),
    erasures: erasureLogWriter(database, { path: erasureLogIn(folder), timeline }),
  };
}

/** A stop does not wait longer for the erasure log, such as for a database that does not answer. */
const completionMs = 5000;

interface Completion {
  readonly log: Logger;
  readonly erasures: ErasureLogWriter;
  extendChain(): Promise<{ readonly more: boolean }>;
}

/** Completes the erasure log after the last call, because a backup may be restored before the next start. */
export async function completeErasureLog(
  { log, erasures, extendChain }: Completion,
  limitMs = completionMs,
): Promise<void> {
  const limit = new AbortController();
  const complete = async () => {
    for (let more = true; more; ) ({ more } = await extendChain());
    for (let more = true; more; ) more = await erasures.append();
  };
  const late = sleep(limitMs, undefined, { signal: limit.signal }).then(() => {
    throw new Error(`it took longer than ${limitMs / 1000} seconds`);
  });
  const { position } = erasures;
  try {
    await Promise.race([complete(), late]);
  } catch (error) {
    log.warn(
      { err: error, position },
      'the erasure log may lack deletions after this position of the audit log; the next start appends them',
    );
  } finally {
    limit.abort();
    late.catch(() => undefined);
  }
}

interface EmbeddedBackups {
  readonly embedded: Connection;
  /** Read once: it does not change, and the log must be moved also while the database does not answer. */
  readonly cluster: Pick<About, 'postgres' | 'system'>;
  readonly folder: string;
  readonly timeline: string;
}

function embeddedTasks(
  { config, log, keyRing, metrics, signal }: BackupTools,
  { embedded, cluster, folder, timeline }: EmbeddedBackups,
): NonNullable<BackupTasks['embedded']> {
  const { BACKUP_ENCRYPT: encrypt, DATA } = config;
  const keyOfName = (name: string) => (salt: Buffer) => keyRing.backupKeys(salt, name);

  async function discard(): Promise<void> {
    const files = await discardLog(DATA);
    if (files === 0) return;
    log.error(
      { files },
      'deleted a part of the archived log, because the disk of the database is nearly full',
    );
  }
  return {
    async backUp() {
      const { BACKUP_HOURS: everyHours, BACKUP_DAYS: keepDays } = config;
      const options = { ...cluster, keyRing, encrypt, signal };
      const due = await takeDueBackup({ folder, everyHours, keepDays, timeline }, [embedded, options]).catch(
        unlessAborted(signal),
      );
      if (!due) return false;
      metrics.setLastBackup(new Date(due.newest.takenAt));
      if (due.isNew) log.info({ folder: due.newest.folder }, 'took a backup');
      for (const path of due.deleted) log.info({ folder: path }, 'deleted a backup that is no longer kept');
      return false;
    },
    async archiveLog() {
      try {
        await moveLog(DATA, { folder, system: cluster.system, encrypt, keyOfName, signal });
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
