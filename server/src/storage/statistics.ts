import type { StatisticsStore, Totals } from '../core/statistics/statistics.ts';
import { readSpans } from './activity.ts';
import type { Database } from './database.ts';
import { reading } from './failures.ts';

export function openStatistics(database: Database): StatisticsStore {
  return {
    read: () =>
      reading(async () => {
        const [totals, hours, days] = await Promise.all([
          readTotals(database),
          readSpans(database, 'hour', 24),
          readSpans(database, 'day', 30),
        ]);
        return { ...totals, hours, days };
      }),
  };
}

async function readTotals(database: Database): Promise<Totals> {
  const [totals] = await database.query<Totals>(`
    select (select coalesce(sum(amount), 0)::bigint from anagrafe.tallies where kind = 'principals') as principals,
           (select coalesce(sum(amount), 0)::bigint from anagrafe.tallies where kind = 'users') as users,
           (select count(*) from anagrafe.sessions where refresh_expires_at > now() and spent_at is null) as sessions,
           (select count(*) from anagrafe.journal where position is null) as unsealed,
           jobs.*
      from (select count(*) filter (where state = 'queued') as "jobsQueued",
                   count(*) filter (where state = 'running') as "jobsRunning"
              from anagrafe.calls where is_job and ended_at is null) as jobs`);
  if (!totals) throw new Error('a statement without a table gives one row');
  return totals;
}
