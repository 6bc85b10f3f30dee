import { openAuditStore } from '../audit/audit.store.ts';
import { verifyAuditLog } from '../audit/audit-log.ts';
import type { Verdict } from '../audit/hash-chain.ts';
import type { Database } from '../db/database.ts';
import { migrate } from '../db/migrations.ts';
import { raiseIds } from '../db/sequences.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import { OperatorError } from '../lib/operator-error.ts';
import type { Config } from '../settings/config.ts';
import { openStore } from '../store.ts';

export interface RestoredStore {
  readonly principals: number;
  readonly users: number;
  readonly audit: Verdict;
}

/** A restored database gives no ID again that was given after the backup, unless there were more of them than this. */
export const skippedIds = 1_000_000;

/**
 * Starts the restored database of a data folder, brings its schema up to date, skips IDs and checks what it contains.
 *
 * @throws {OperatorError} if the numbers of users contradict each other: the files do not belong together.
 */
export async function checkRestored(config: Config, keyRing: KeyRing): Promise<RestoredStore> {
  const { database, close } = await openStore(config, { mode: 'existing', log: () => undefined });
  try {
    await migrate(database);
    await raiseIds(database, skippedIds);
    const counts = await checkCounts(database);
    const audit = await verifyAuditLog(
      openAuditStore(database),
      (before, position, text) => keyRing.hashRow(before, position, text),
      null,
    );
    return { ...counts, audit };
  } finally {
    await close();
  }
}

/** Counts the principals and users, and compares the numbers that the service keeps of them. */
async function checkCounts(database: Database): Promise<Pick<RestoredStore, 'principals' | 'users'>> {
  const [found] = await database.query<{ principals: number; users: number; wrong: number }>(
    `with stored as (
       select 'principals' as kind, count(*) as rows from anagrafe.principals
       union all select 'users', count(*) from anagrafe.users
     ), counted as (
       select kind, sum(amount) as rows from anagrafe.row_counts group by kind
     ), of_principals as (
       select principal_id as id, count(*) as users from anagrafe.users group by principal_id
     )
     select (select rows from stored where kind = 'principals') as principals,
            (select rows from stored where kind = 'users') as users,
            (select count(*) from stored left join counted using (kind)
              where stored.rows <> coalesce(counted.rows, 0))
            + (select count(*) from anagrafe.principals full join of_principals using (id)
                where users_count is distinct from coalesce(users, 0)) as wrong`,
  );
  if (!found || found.wrong > 0)
    throw new OperatorError(
      'The restored database contradicts itself: it has other numbers of users than it says',
      {
        code: 'backup_damaged',
        advice: 'use another backup.',
      },
    );
  return { principals: found.principals, users: found.users };
}
