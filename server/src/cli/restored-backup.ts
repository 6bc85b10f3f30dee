import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RestorePlan } from '../backup/backup-folder.ts';
import { checkRestored, type RestoredStore } from '../backup/check-restored.ts';
import { restoreFiles } from '../backup/restore-files.ts';
import { KeyRing } from '../encryption/key-ring.ts';
import { OperatorError } from '../lib/operator-error.ts';
import { type Config, ConfigError, prefix } from '../settings/config.ts';
import { findMasterKeys } from '../settings/master-key-file.ts';
import { withStore } from './database.ts';

/** @throws {ConfigError} if the settings name a PostgreSQL of its own, which has tools for backups. */
export function requireEmbedded(config: Config): void {
  if (config.DATABASE_URL === null) return;
  throw new ConfigError(`The database is the PostgreSQL of ${prefix}DATABASE_URL`, {
    code: 'backup_of_external_database',
    advice: 'back it up with the tools of PostgreSQL, such as pgBackRest or pg_dump.',
  });
}

/** @throws {ConfigError} if the settings do not have the master key of the database in a backup. */
export async function requireKeyOf(
  { backup: { folder, masterKey } }: RestorePlan,
  config: Config,
): Promise<KeyRing> {
  const found = await findMasterKeys({ ...config, DATABASE_URL: null });
  const keyRing = found.length > 0 ? new KeyRing(...found) : null;
  if (keyRing?.holds(Buffer.from(masterKey, 'hex'))) return keyRing;
  const problem = keyRing ? `The master key is not that of the backup ${folder}` : 'There is no master key';
  throw new ConfigError(problem, {
    code: keyRing ? 'master_key_wrong' : 'master_key_missing',
    advice: `copy the file master.key of the service to ${config.DATA}, or set ${prefix}MASTER_KEY to its content.`,
  });
}

/** Restores a backup into the data folder, starts PostgreSQL and checks the database. After an error nothing is left of it. */
export async function restoreAndCheck(
  plan: RestorePlan,
  config: Config,
  keyRing: KeyRing,
): Promise<RestoredStore> {
  const cluster = join(config.DATA, 'postgres');
  await restoreFiles(plan, config.DATA, keyRing);
  try {
    return await withStore({ ...config, DATABASE_URL: null }, (database) =>
      checkRestored(database, cluster, keyRing),
    );
  } catch (error) {
    await rm(cluster, { recursive: true, force: true });
    if (!(error as Error).message.includes('before configured recovery target was reached')) throw error;
    throw new OperatorError('The archived log ends before that time', {
      code: 'backup_too_old',
      advice: 'choose an earlier time, or leave out --to-time to restore everything that was archived.',
      cause: error,
    });
  }
}
