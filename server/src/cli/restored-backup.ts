import { access, constants, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { currentTimeline } from '../backup/backup.store.ts';
import type { RestorePlan } from '../backup/backup-folder.ts';
import { checkRestored, prepareRestored, type RestoredStore } from '../backup/check-restored.ts';
import { endOfRecovery, finishRecovery } from '../backup/recovery.ts';
import { restoreFiles } from '../backup/restore-files.ts';
import type { Database } from '../db/database.ts';
import { readMasterKeys } from '../db/master-keys.ts';
import { unfinishedRestore } from '../embedded-postgres/data-folder.ts';
import { KeyRing } from '../encryption/key-ring.ts';
import { type AppliedErasures, applyErasures } from '../erasures/apply-erasures.ts';
import { OperatorError } from '../lib/operator-error.ts';
import { openWriteStore } from '../records/write/write-changes.store.ts';
import { type Config, ConfigError, prefix } from '../settings/config.ts';
import { findMasterKeys, shortId } from '../settings/master-key-file.ts';
import { withStore } from './database.ts';
import { counted } from './output/format.ts';
import { tell } from './output/output.ts';

/** @throws {ConfigError} if the settings name a PostgreSQL of its own, which has tools for backups. */
export function requireEmbedded(config: Config): void {
  if (config.DATABASE_URL === null) return;
  throw new ConfigError(`The database is the PostgreSQL of ${prefix}DATABASE_URL`, {
    code: 'backup_of_external_database',
    advice: 'back it up with the tools of PostgreSQL, such as pgBackRest or pg_dump.',
  });
}

/**
 * Returns the key ring of a backup or dump.
 *
 * @throws {ConfigError} if the settings do not have the master key of the database in it.
 */
export async function requireKeyOf(copy: string, masterKey: string, config: Config): Promise<KeyRing> {
  const found = await findMasterKeys({ ...config, DATABASE_URL: null });
  const keyRing = found.length > 0 ? new KeyRing(...found) : null;
  if (keyRing?.holds(Buffer.from(masterKey, 'hex'))) return keyRing;
  const needed = `${copy} needs the master key with the fingerprint ${shortId(Buffer.from(masterKey, 'hex'))}`;
  const problem = keyRing
    ? `${needed}, but the settings have the one with ${shortId(keyRing.identity)}`
    : `${needed}, but there is none`;
  throw new ConfigError(problem, {
    code: keyRing ? 'master_key_wrong' : 'master_key_missing',
    advice: `copy the file master.key of the service to ${config.DATA}, or set ${prefix}MASTER_KEY to its content.`,
  });
}

/** The contents of a restored database, with what was deleted in it again; null if there is no erasure log. */
export interface Restored extends RestoredStore {
  readonly erased: AppliedErasures | null;
}

/** The erasure log with the deletions to repeat, and the timeline from which on it does. */
export interface ErasureSource {
  readonly path: string;
  readonly timeline: string;
}

/** Without the timeline of a backup, all lines are applied that the database does not have. */
export const anyTimeline = '';

/**
 * Restores a backup into the data folder, starts PostgreSQL, repeats deletions and checks the database. After an error
 * nothing is left of it.
 */
export async function restoreAndCheck(
  plan: RestorePlan,
  config: Config,
  { keyRing, erasures }: { readonly keyRing: KeyRing; readonly erasures: ErasureSource | null },
): Promise<Restored> {
  const cluster = join(config.DATA, 'postgres');
  const logBytes = (await readLog(config)).length;
  const lastLogFile = await restoreFiles(plan, config.DATA, keyRing);
  try {
    const restored = await withStore({ ...config, DATABASE_URL: null }, async (database) => {
      if (lastLogFile !== null) await requireWholeLog(cluster, lastLogFile, await currentTimeline(database));
      await finishRecovery(cluster, database);
      await prepareRestored(database);
      const erased = erasures && (await repeatDeletions(database, erasures));
      return { ...(await checkWithKeys(database, keyRing, config)), erased };
    });
    await rm(join(cluster, unfinishedRestore));
    return restored;
  } catch (error) {
    await rm(cluster, { recursive: true, force: true });
    const log = (await readLog(config)).slice(logBytes);
    if (!log.includes('recovery ended before configured recovery target was reached')) throw error;
    throw new OperatorError('The archived log ends before that time, or has a gap before it', {
      code: 'backup_too_old',
      advice: 'choose an earlier time, or leave out --to-time to restore everything that was archived.',
      cause: error,
    });
  }
}

/** The log of PostgreSQL, from which the reason of a failed recovery is known. */
async function readLog({ DATA }: Config): Promise<string> {
  return readFile(join(DATA, 'postgres.log'), 'utf8').catch(() => '');
}

/** @throws {OperatorError} if the recovery ended before the last file of the log, because one before it cannot be used. */
async function requireWholeLog(cluster: string, last: string, timeline: string): Promise<void> {
  const end = await endOfRecovery(cluster, timeline);
  if (end >= last.slice(8)) return;
  throw new OperatorError(
    `The archived log is incomplete: it goes up to ${last}, but nothing after ${last.slice(0, 8)}${end} can be restored`,
    {
      code: 'backup_log_incomplete',
      advice: 'restore to an earlier time with --to-time, or restore a backup alone by naming its folder.',
    },
  );
}

/** Checks a restored or loaded database, after the rotations of the master key that it has seen. */
export async function checkWithKeys(
  database: Database,
  keyRing: KeyRing,
  { IDEMPOTENCY_HOURS: recentHours }: Config,
): Promise<RestoredStore> {
  const stored = await readMasterKeys(database, { recentHours });
  if (stored) keyRing.use(stored);
  return checkRestored(database, keyRing);
}

/** Deletes what the erasure log lists in a database that was restored or loaded. */
export function repeatDeletions(
  database: Database,
  { path, timeline }: ErasureSource,
): Promise<AppliedErasures> {
  const { writeChanges } = openWriteStore(database, 0);
  return applyErasures(path, timeline, { database, writeChanges });
}

/** @throws {OperatorError} if the file of `--erasures` cannot be read. */
export async function requireErasureLog(path: string): Promise<void> {
  await access(path, constants.R_OK).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(`${path} cannot be read (${error.code})`, {
      code: 'erasure_log_missing',
      advice: 'name a copy of erasures.ndjson; an empty file repeats no deletion.',
    });
  });
}

export function tellErasures(erased: AppliedErasures | null, path: string): void {
  tell(
    erased === null
      ? `No deletion was repeated: there is no ${path}.`
      : `Deleted again: ${counted(erased.principals, 'principal')} and ${counted(erased.users, 'user')}, as ${path} says.`,
  );
  if (erased && erased.foreign > 0)
    tell(`Left out, because they are of another database: ${counted(erased.foreign, 'line')} of ${path}.`);
  if (erased && erased.kept.length > 0)
    tell(
      `Not deleted again, because they have users that were not deleted: principals with the IDs ${erased.kept.join(', ')}. Move these users, then delete the principals.`,
    );
}
