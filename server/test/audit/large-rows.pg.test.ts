import { createHash } from 'node:crypto';
import { newStore, type TestStore } from '@anagrafe/testing/store';
import { subscribe } from '@anagrafe/testing/webhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAuditStore } from '../../src/audit/audit.store.ts';
import { readAudit, verifyAuditLog } from '../../src/audit/audit-log.ts';
import { openEvents } from '../../src/audit/events.store.ts';
import { openChainWriter } from '../../src/audit/hash-chain.store.ts';
import { readEvents } from '../../src/audit/read-events.ts';
import type { Database } from '../../src/db/database.ts';
import type { Order } from '../../src/db/paging.ts';
import { readConfig } from '../../src/settings/config.ts';
import { openStore, type Store } from '../../src/store.ts';
import { createDeliveries, openDeliveries } from '../../src/webhooks/deliveries.store.ts';

const hash = (before: Buffer, position: number, text: string) =>
  createHash('sha256').update(before).update(`${position} ${text}`).digest();
const keys = { hashRow: hash, refresh: async () => undefined };

let made: TestStore;
let store: Store;
let database: Database;
/** Number of transactions that hashed the rows. */
let transactions = 0;

/** Large rows without an event, in groups, each followed by one row with an event. */
const groups = 3;
const largeInGroup = 8;
const last = groups * (largeInGroup + 1);

// No service runs on this database: the tests take the steps of its background tasks one by one.
beforeAll(async () => {
  made = await newStore();
  store = await openStore(readConfig(made.settings), { mode: 'existing', log: () => {} });
  ({ database } = store);
  for (let group = 0; group < groups; group++) {
    // 300 KB each, which cannot be compressed.
    await database.query(
      `insert into anagrafe.audit_log (actor, action, principal_id, details)
       select 'service', 'update', 7, jsonb_build_object('filler', (
                select string_agg(md5(m || '.' || random()), '') from generate_series(n, n + 9000) as m))
         from generate_series(1, $1) as n`,
      [largeInGroup],
    );
    await database.query(
      `insert into anagrafe.audit_log (actor, action, principal_id) values ('service', 'insert', 7)`,
    );
  }
  const extendChain = openChainWriter(database, keys);
  for (let more = true; more; transactions++) ({ more } = await extendChain());
});

afterAll(async () => {
  await store.close();
  await made.discard();
});

const everything = {
  reads: true,
  userId: null,
  signIns: null,
  action: null,
  actor: null,
  clientId: null,
  from: null,
  until: null,
};

describe('large audit rows', () => {
  it('are hashed by several transactions, and verified', async () => {
    expect(transactions).toBeGreaterThan(1);
    expect(await verifyAuditLog(openAuditStore(database), keys)).toMatchObject({ sound: true, rows: last });
  });

  it.each<Order>(['oldest', 'newest'])(
    'are listed in pages of limited size, each once: %s',
    async (order) => {
      const audit = openAuditStore(database);
      for (const principalId of [null, 7]) {
        const positions: (number | null)[] = [];
        let pages = 0;
        for (let after: number | null = null, more = true; more; pages++) {
          const page = await readAudit({ ...everything, order, after, principalId, limit: 1000 }, audit);
          expect(page.rows.length).toBeGreaterThan(0);
          // The second large row would be more than the answer may hold.
          expect(page.rows.filter(([{ details }]) => details !== null).length).toBeLessThanOrEqual(1);
          positions.push(...page.rows.map(([{ position }]) => position));
          ({ after, more } = page);
        }
        expect(pages).toBeGreaterThan(1);
        const all = Array.from({ length: last }, (_, at) => at + 1);
        expect(positions).toEqual(order === 'oldest' ? all : all.toReversed());
      }
    },
  );

  it.each<Order>(['oldest', 'newest'])('without events do not end a page of events: %s', async (order) => {
    const events = openEvents(database, { days: 90 });
    const first = await events.entries({ order, from: order === 'oldest' ? 1 : last, limit: 100 }, null);
    expect(first.entries.length).toBeLessThan(last);
    expect(first.more).toBe(true);
    const found: string[] = [];
    for (let after: string | null = null, more = true; more; ) {
      const page = await readEvents({ order, after, callerTags: null }, 1, events);
      expect(page.count).toBe(1);
      found.push(...Array.from(page.events, ({ id }) => id));
      ({ after, more } = page);
    }
    const ids = ['9.0', '18.0', '27.0'];
    expect(found).toEqual(order === 'oldest' ? ids : ids.toReversed());
  });

  it('that one webhook has to catch up with do not stop the deliveries of another', async () => {
    const service = { config: readConfig(made.settings), database };
    const [slow, other] = [
      await subscribe(service, 'https://one.example.com', { types: ['principal.inserted'] }),
      await subscribe(service, 'https://other.example.com', { types: ['principal.inserted'] }),
    ];
    await database.query(
      'update anagrafe.webhooks set position = case id when $1 then 0 else $2::bigint end',
      [slow.id, last - 1],
    );
    const deliveries = openDeliveries(database);
    const due = async (id: number) => (await deliveries.due(id, 200, 'longest')).length;
    expect(await createDeliveries(database)).toBe(true);
    expect([await due(slow.id), await due(other.id)]).toEqual([0, 1]);
    while (await createDeliveries(database));
    expect([await due(slow.id), await due(other.id)]).toEqual([groups, 1]);
  });
});
