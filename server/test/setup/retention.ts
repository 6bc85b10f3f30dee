import type { Database } from '../../src/db/database.ts';
import { type RetentionPeriods, removeExpired } from '../../src/retention.store.ts';

/** Removes expired rows as the service does every hour, and throws if a kind of rows could not be removed. */
export function removeAllExpired(
  database: Database,
  periods: Partial<RetentionPeriods> = {},
): Promise<Record<string, number>> {
  return removeExpired(
    database,
    { jobDays: 30, deliveryDays: 30, auditDays: 0, ...periods },
    {
      signal: new AbortController().signal,
      onError: (error) => {
        throw error;
      },
    },
  );
}

/** Removes expired rows and returns the number of calls among them. */
export async function removeExpiredCalls(database: Database): Promise<number> {
  const { calls = 0, incomplete_calls: incomplete = 0 } = await removeAllExpired(database);
  return calls + incomplete;
}
