import { onTestFinished, vi } from 'vitest';
import type { Connection } from '../../server/src/db/database.ts';

/**
 * Freezes Date.now and performance.now of this process until the test ends; timers keep running. The window of a rate
 * limit then lasts as long as the test needs for its calls.
 */
export function stopClock(): void {
  const performanceNow = vi.spyOn(performance, 'now').mockReturnValue(Math.floor(performance.now()));
  const dateNow = vi.spyOn(Date, 'now').mockReturnValue(Date.now());
  onTestFinished(() => {
    performanceNow.mockRestore();
    dateNow.mockRestore();
  });
}

/**
 * Returns the time of the database clock. In whole milliseconds, which is the precision of dates in the API, it is later
 * than every time that the database has stored before.
 */
export async function databaseTime(database: Pick<Connection, 'query'>): Promise<Date> {
  const [row] = await database.query<{ now: Date }>('select clock_timestamp() as now from pg_sleep(0.002)');
  if (!row) throw new Error('the database returned no time');
  return row.now;
}
