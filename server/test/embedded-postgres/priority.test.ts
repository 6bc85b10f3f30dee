import { constants, getPriority } from 'node:os';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import type { Database } from '../../src/db/database.ts';
import { openStore } from '../../src/store.ts';
import { afterTest } from '../setup/endings.ts';
import { makeCluster } from './harness.ts';

test('backends of jobs, the queue and exports have a lower priority than those of calls and sign-ins', async () => {
  const data = await makeCluster();
  const store = await openStore(readConfig({ ANAGRAFE_DATA: data }), { mode: 'exclusive', log: () => {} });
  afterTest(() => store.close());
  const priorityOf = async (pool: Database) => {
    const [backend] = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
    return getPriority(backend?.pid ?? 0);
  };
  const own = getPriority();
  expect([await priorityOf(store.database), await priorityOf(store.front)]).toEqual([own, own]);
  const lowered = Math.max(own, constants.priority.PRIORITY_BELOW_NORMAL);
  for (const pool of [store.jobs, store.queue, store.exports]) expect(await priorityOf(pool)).toBe(lowered);
});
