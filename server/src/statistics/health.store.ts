import type { Database } from '../db/database.ts';
import { withApiErrors } from '../db/errors.ts';
import type { DatabaseHealth } from './health.ts';

export function readDatabaseHealth(database: Database): Promise<DatabaseHealth> {
  return withApiErrors(async () => {
    const [health] = await database.query<DatabaseHealth>(
      `select current_setting('server_version') as version, pg_database_size(current_database()) as bytes,
              (select count(*) from anagrafe.mails where state = 'pending') as "mailsPending"`,
    );
    if (!health) throw new Error('the query of the database returned no row');
    return health;
  });
}
