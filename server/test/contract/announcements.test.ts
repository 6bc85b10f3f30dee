import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { notifyWorkers } from '../../src/db/notify.ts';
import { openStore, type Store } from '../../src/store.ts';
import { emptyStore } from '../setup/store.ts';
import { until } from '../setup/until.ts';

let empty: Awaited<ReturnType<typeof emptyStore>>;
let store: Store;

beforeAll(async () => {
  empty = await emptyStore();
  store = await openStore(readConfig(empty.settings), { as: 'founder', log: () => {} });
});

afterAll(async () => {
  await store.close();
  await empty.discard();
});

/** Starts a listener and counts its notifications. It gets the first one when it has begun to listen. */
async function listener() {
  const node = { notified: 0 };
  const listening = store.listen(() => {
    node.notified++;
  });
  onTestFinished(() => listening.close());
  await until(() => node.notified === 1);
  return node;
}

const listeners = `select pid from pg_stat_activity where query = 'listen anagrafe_work' and datname = current_database()`;

describe('a notification of new work', () => {
  it('reaches every node when its transaction commits and not before', async () => {
    const nodes = [await listener(), await listener()];
    await store.database.transaction(
      async (connection) => {
        await notifyWorkers(connection);
        await notifyWorkers(store.database);
        await until(() => nodes.every(({ notified }) => notified === 2));
      },
      { patient: true },
    );
    await until(() => nodes.every(({ notified }) => notified === 3));
  });

  it('is assumed by a node that listens again after its connection broke', async () => {
    const node = await listener();
    await store.database.query(`select pg_terminate_backend(pid) from (${listeners}) as listening`);
    await until(() => node.notified === 2);
    await notifyWorkers(store.database);
    await until(() => node.notified === 3);
  });

  it('does not reach a node that has stopped listening, which holds no connection either', async () => {
    const listening = store.listen(() => {});
    await until(async () => (await store.database.query(listeners)).length > 0);
    await listening.close();
    await until(async () => (await store.database.query(listeners)).length === 0);
    expect(await store.database.query(listeners)).toEqual([]);
  });
});
