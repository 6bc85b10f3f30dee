import type { Database } from '../db/database.ts';
import { refuseUnmigrated } from '../db/migrations.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import type { Config } from '../settings/config.ts';
import { findMasterKeys, openExistingKeyRing } from '../settings/master-key-file.ts';
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
 * @throws {ConfigError} if the master key that the database needs is missing.
 */
export async function withKeyRing<Result>(
  config: Config,
  work: (keyRing: KeyRing, database: Database) => Promise<Result>,
): Promise<Result> {
  const keys = await findMasterKeys(config);
  return withDatabase(config, async (database) =>
    work(await openExistingKeyRing(keys, config, database), database),
  );
}
