import type { Database } from '../../server/src/db/database.ts';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../server/src/embedded-postgres/embedded-postgres.ts';
import { makeCluster, requirePostmaster } from './embedded-postgres.ts';
import { afterTest } from './endings.ts';

/** Starts an external PostgreSQL that the test can stop and start again. */
export async function startOutside() {
  const dataFolder = await makeCluster();
  let engine: EmbeddedPostgres = await startEmbeddedPostgres({ dataFolder });
  afterTest(() => engine.stop());
  const { host, user, database } = engine.connection;
  const url = `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host ?? '')}`;
  return {
    dataFolder,
    url,
    stop: () => engine.stop(),
    async start() {
      engine = await startEmbeddedPostgres({ dataFolder });
    },
  };
}

/**
 * Suspends all processes of an external PostgreSQL, so that it accepts connections but does not answer. Returns a
 * function that resumes them, which also runs at the end of the test.
 */
export async function freeze(dataFolder: string, database: Database): Promise<() => void> {
  const backends = await database.query<{ pid: number }>('select pid from pg_stat_activity');
  const processes = [...backends.map(({ pid }) => pid), await requirePostmaster(dataFolder)];
  const thaw = () => {
    for (const pid of processes.splice(0)) process.kill(pid, 'SIGCONT');
  };
  afterTest(thaw);
  for (const pid of processes) process.kill(pid, 'SIGSTOP');
  return thaw;
}
