import type { Database } from '../../server/src/db/database.ts';
import { openRetention } from '../../server/src/retention.ts';
import { type Config, readConfig } from '../../server/src/settings/config.ts';

/** Removes expired rows as the service does every hour, and throws if a kind of rows could not be removed. */
export function removeAllExpired(
  database: Database,
  periods: Partial<Config> = {},
): Promise<Record<string, number>> {
  return openRetention({ ...readConfig({}), ...periods }).removeExpired(database, {
    signal: new AbortController().signal,
    onError: (error) => {
      throw error;
    },
  });
}

/** Removes expired rows and returns the number of calls among them. */
export async function removeExpiredCalls(database: Database): Promise<number> {
  const { calls = 0, incomplete_calls: incomplete = 0 } = await removeAllExpired(database);
  return calls + incomplete;
}
