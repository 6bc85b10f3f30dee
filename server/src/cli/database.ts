import type { Database } from '../db/database.ts';
import { masterKeyIdentity } from '../db/lookups.ts';
import { refuseUnmigrated } from '../db/migrations.ts';
import { KeyRing } from '../encryption/key-ring.ts';
import { type Config, ConfigError } from '../settings/config.ts';
import { findMasterKey, wrongMasterKey } from '../settings/master-key-file.ts';
import { openStore } from '../store.ts';

/** Opens the database for one command and closes it afterwards. `place` names it in messages. */
export async function withDatabase<Result>(
  config: Config,
  work: (database: Database, place: string) => Promise<Result>,
): Promise<Result> {
  return withStore(config, async (database, place) => {
    await refuseUnmigrated(database);
    return work(database, place);
  });
}

/** The same for a database of any version. */
export async function withStore<Result>(
  config: Config,
  work: (database: Database, place: string) => Promise<Result>,
): Promise<Result> {
  const { database, place, close } = await openStore(config, { mode: 'existing', log: () => {} });
  try {
    return await work(database, place);
  } finally {
    await close();
  }
}

/**
 * Opens the database and the key ring for one command.
 *
 * @throws {ConfigError} if the master key is not the one that the database was first used with.
 */
export async function withKeyRing<Result>(
  config: Config,
  work: (keyRing: KeyRing, database: Database) => Promise<Result>,
): Promise<Result> {
  const key = await findMasterKey(config);
  return withDatabase(config, async (database) => {
    const identity = await masterKeyIdentity(database);
    if (!identity)
      throw new ConfigError('The database has no master key yet. Start the service once to create it.');
    const keyRing = key && new KeyRing(key);
    if (!keyRing?.identity.equals(identity)) throw wrongMasterKey(config, key);
    return work(keyRing, database);
  });
}
