import type { Database } from './database.ts';

/** So many rows go in one statement, which is soon done. */
const rowsAtOnce = 5000;

/**
 * Removes what is kept no longer: calls whose idempotency key has expired, and jobs that ended long ago. A job whose
 * key is still remembered stays, or the same call would be done again.
 */
export async function sweepCalls(database: Database, options: { jobDays: number }): Promise<number> {
  await database.query(
    'update anagrafe.calls set idempotency_key = null where idempotency_key is not null and is_job and key_expires_at <= now()',
  );
  const old = await database.query<{ id: string }>(
    `select id from anagrafe.calls
      where is_job and ended_at <= now() - make_interval(days => $1) and idempotency_key is null
     union all
     select id from anagrafe.calls where not is_job and key_expires_at <= now()`,
    [options.jobDays],
  );
  for (const { id } of old) await sweepCall(database, id);
  return old.length;
}

/** The outcomes first, which may be a hundred thousand: what is left of a call that is half gone is swept next time. */
async function sweepCall(database: Database, id: string): Promise<void> {
  for (let from = 0; ; from += rowsAtOnce) {
    await database.query(
      'delete from anagrafe.outcomes where call_id = $1 and position >= $2 and position < $3',
      [id, from, from + rowsAtOnce],
    );
    const left = await database.query('select from anagrafe.outcomes where call_id = $1 limit 1', [id]);
    if (left.length === 0) break;
  }
  await database.query('delete from anagrafe.calls where id = $1', [id]);
}
