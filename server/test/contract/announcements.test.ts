import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { announceWork } from '../../src/storage/announcements.ts';
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

/** A node that listens, and how often it was told to look. The first time is when it has begun to listen. */
async function listener() {
  const node = { heard: 0 };
  const listening = store.listen(() => {
    node.heard++;
  });
  onTestFinished(() => listening.close());
  await until(() => node.heard === 1);
  return node;
}

const listeners = `select pid from pg_stat_activity where query = 'listen anagrafe_work' and datname = current_database()`;

describe('work that is announced', () => {
  it('is heard by every node, once the transaction is over and not before', async () => {
    const nodes = [await listener(), await listener()];
    await store.database.transaction(
      async (connection) => {
        await announceWork(connection);
        await announceWork(store.database);
        await until(() => nodes.every(({ heard }) => heard === 2));
      },
      { patient: true },
    );
    await until(() => nodes.every(({ heard }) => heard === 3));
  });

  it('is looked for by a node whose connection broke, as soon as it listens again', async () => {
    const node = await listener();
    await store.database.query(`select pg_terminate_backend(pid) from (${listeners}) as listening`);
    await until(() => node.heard === 2);
    await announceWork(store.database);
    await until(() => node.heard === 3);
  });

  it('is heard no more by a node that has stopped listening, which holds no connection either', async () => {
    const listening = store.listen(() => {});
    await until(async () => (await store.database.query(listeners)).length > 0);
    await listening.close();
    await until(async () => (await store.database.query(listeners)).length === 0);
    expect(await store.database.query(listeners)).toEqual([]);
  });
});
