import { join } from 'node:path';
import { afterTest } from '@anagrafe/testing/endings';
import { until } from '@anagrafe/testing/until';
import pg from 'pg';

export interface RowLock {
  /** Waits until the lock blocks at least this many backends. */
  blocked(backends: number): Promise<void>;
  /** Terminates the backends that the lock blocks, and returns their number. */
  terminateBlocked(): Promise<number>;
  release(): Promise<void>;
}

/**
 * Locks principals, which blocks writes and no reads. The lock has a connection of its own; if the test stops the
 * database, the lock is released.
 *
 * The service cancels a blocked statement after 25 s, so a test must not start a process while it holds the lock.
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

/** Connection options for the embedded PostgreSQL of a data folder. */
export const embeddedConnection = (data: string): pg.ClientConfig => ({
  host: join(data, 'run'),
  user: 'anagrafe',
  database: 'anagrafe',
  ssl: false,
});
