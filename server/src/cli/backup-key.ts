import type { Backup } from '../backup/backup-folder.ts';
import { KeyRing } from '../encryption/key-ring.ts';
import { type Config, ConfigError, prefix } from '../settings/config.ts';
import { findMasterKey } from '../settings/master-key-file.ts';

/** @throws {ConfigError} if the settings name a PostgreSQL of its own, which has tools for backups. */
export function requireEmbedded(config: Config): void {
  if (config.DATABASE_URL === null) return;
  throw new ConfigError(`The database is the PostgreSQL of ${prefix}DATABASE_URL`, {
    code: 'backup_of_external_database',
    advice: 'back it up with the tools of PostgreSQL, such as pgBackRest or pg_dump.',
  });
}

/** @throws {ConfigError} if the settings do not have the master key of the database in a backup. */
export async function requireKeyOf({ folder, masterKey }: Backup, config: Config): Promise<KeyRing> {
  const found = await findMasterKey({ ...config, DATABASE_URL: null });
  const keyRing = found && new KeyRing(found);
  if (keyRing?.identity.toString('hex') === masterKey) return keyRing;
  const problem = keyRing ? `The master key is not that of the backup ${folder}` : 'There is no master key';
  throw new ConfigError(problem, {
    code: keyRing ? 'master_key_wrong' : 'master_key_missing',
    advice: `copy the file master.key of the service to ${config.DATA}, or set ${prefix}MASTER_KEY to its content.`,
  });
}
