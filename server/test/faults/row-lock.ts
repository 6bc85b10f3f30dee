import { join } from 'node:path';
import pg from 'pg';
import { afterTest } from '../setup/endings.ts';
import { until } from '../setup/until.ts';

export interface RowLock {
  /** Waits until so many backends are blocked by the lock. */
  blocked(backends: number): Promise<void>;
  /** Ends the backends that are blocked by the lock, and returns their number. */
  terminateBlocked(): Promise<number>;
  release(): Promise<void>;
}

/**
 * Locks principals, so that records of them can be read and not be written. The lock has a connection of its own,
 * which the test may break together with its database: then the lock is gone too.
 *
 * The service gives up a blocked statement after 25 s, so a test must not start a process while it waits.
 */
export async function lockPrincipals(
  connection: string | pg.ClientConfig,
  ids: readonly number[],
): Promise<RowLock> {
  const client = new pg.Client(connection);
  client.on('error', () => {});
  afterTest(() => client.end().catch(() => {}));
  await client.connect();
  await client.query('begin');
  await client.query('select from anagrafe.principals where id = any($1) for update', [ids]);
  const blocked = async () => (await client.query<{ pid: number }>(blockedBackends)).rows;
  return {
    async blocked(backends) {
      let found = 0;
      await until(
        async () => {
          found = (await blocked()).length;
          return found >= backends;
        },
        () => `${backends} blocked backends; ${found} are blocked`,
      );
    },
    async terminateBlocked() {
      const pids = (await blocked()).map(({ pid }) => pid);
      const { rowCount } = await client.query(
        'select pg_terminate_backend(pid) from unnest($1::int[]) as pid',
        [pids],
      );
      return rowCount ?? 0;
    },
    release: () => client.end(),
  };
}

const blockedBackends = `
  select distinct pid from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`;

/** Connects to the embedded PostgreSQL that runs on a data folder. */
export const embeddedConnection = (data: string): pg.ClientConfig => ({
  host: join(data, 'run'),
  user: 'anagrafe',
  database: 'anagrafe',
  ssl: false,
});
