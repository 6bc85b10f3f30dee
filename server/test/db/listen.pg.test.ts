import { emptyStore } from '@anagrafe/testing/store';
import { until } from '@anagrafe/testing/until';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Connection } from '../../src/db/database.ts';
import { readConfig } from '../../src/settings/config.ts';
import { openStore, type Store } from '../../src/store.ts';

let empty: Awaited<ReturnType<typeof emptyStore>>;
let store: Store;
const log: string[] = [];

beforeAll(async () => {
  empty = await emptyStore();
  store = await openStore(readConfig(empty.settings), {
    mode: 'create',
    log: (line) => log.push(line),
  });
});

afterAll(async () => {
  await store.close();
  await empty.discard();
});

const channel = 'news of the day';

/** Starts a listener, waits until it is connected, and returns what it receives. */
async function listener() {
  const node = { connects: 0, payloads: [] as string[] };
  const listening = store.listen({
    channel,
    onNotification: (payload) => node.payloads.push(payload),
    onConnect: () => {
      node.connects++;
    },
  });
  onTestFinished(() => listening.close());
  await until(() => node.connects === 1);
  return node;
}

async function notify(connection: Connection, payload: string): Promise<void> {
  await connection.query('select pg_notify($1, $2)', [channel, payload]);
}

const listeners = `select pid from pg_stat_activity where query = 'listen "${channel}"' and datname = current_database()`;

describe('a notification', () => {
  it('reaches every node when its transaction commits and not before', async () => {
    const nodes = [await listener(), await listener()];
    await store.database.transaction(
      async (connection) => {
        await notify(connection, 'inside');
        await notify(store.database, 'outside');
        await until(() => nodes.every(({ payloads }) => payloads.length === 1));
      },
      { patient: true },
    );
    await until(() => nodes.every(({ payloads }) => payloads.length === 2));
    for (const { payloads } of nodes) expect(payloads).toEqual(['outside', 'inside']);
  });

  it('reaches a node that listens again after its connection broke, and the node learns of the new connection', async () => {
    const node = await listener();
    await store.database.query(`select pg_terminate_backend(pid) from (${listeners}) as listening`);
    await until(() => node.connects === 2);
    await notify(store.database, 'again');
    await until(() => node.payloads.length === 1);
    expect(log).toEqual([expect.stringContaining('A connection to the database was lost: terminating')]);
  });

  it('does not reach a node that has stopped listening, which holds no connection either', async () => {
    const listening = store.listen({ channel, onNotification: () => {}, onConnect: () => {} });
    await until(async () => (await store.database.query(listeners)).length > 0);
    await listening.close();
    await until(async () => (await store.database.query(listeners)).length === 0);
    expect(await store.database.query(listeners)).toEqual([]);
  });
});
