import { type Entry, testType } from '../core/events/event.ts';
import type { Author } from '../core/journal/journal.ts';
import type { Delivery, DeliveryHistory, DeliveryListing, KeptDelivery } from '../core/webhooks/delivery.ts';
import type { Tested } from '../core/webhooks/test.ts';
import type { Database } from './database.ts';
import { entryColumns } from './events.ts';
import { reading } from './failures.ts';
import { openJournal } from './journal.ts';
import { countNewest, pageOfNewest } from './newest.ts';
import { namesOf } from './outcomes.ts';

/** What was told to endpoints, to be looked at and to be told again; `deliveries.ts` has what is due. */
export function openHistory(database: Database): DeliveryHistory {
  return {
    deliveries: (webhookId, page) => reading(() => deliveries(database, webhookId, page)),
    delivery: (webhookId, id) => reading(() => delivery(database, webhookId, id)),
    names: (ids) => reading(() => namesOf(database, ids)),
    noteTest: (webhookId, tested) => reading(() => noteTest(database, webhookId, tested)),
    replay: (webhookId, id, author) => reading(() => replay(database, webhookId, id, author)),
  };
}

const deliveryColumns = `id, type, state, attempts, created_at as "createdAt", next_at as "nextAt",
  attempted_at as "attemptedAt", status, failure`;

async function deliveries(
  database: Database,
  id: number,
  { failedOnly, ...page }: DeliveryListing,
): Promise<{ deliveries: Delivery[]; totalCount: number }> {
  const newest = `from anagrafe.deliveries where webhook_id = $1 ${failedOnly ? "and state = 'failed'" : ''}
    order by created_at desc, id`;
  const { limit, offset } = pageOfNewest(page);
  const [totalCount, rows] = await Promise.all([
    countNewest(database, newest, [id]),
    database.query<Delivery>(`select ${deliveryColumns} ${newest} limit $2 offset $3`, [id, limit, offset]),
  ]);
  return { deliveries: rows, totalCount };
}

async function delivery(database: Database, webhookId: number, id: string): Promise<KeptDelivery | null> {
  const [found] = await database.query<Omit<KeptDelivery, 'entry'> & { readonly position: number | null }>(
    `select ${deliveryColumns}, answer, milliseconds, event, position from anagrafe.deliveries
      where id = $2 and webhook_id = $1
        and exists (select from anagrafe.webhooks where id = $1 and deleted_at is null)`,
    [webhookId, id],
  );
  if (!found) return null;
  const { position, ...kept } = found;
  const [entry] = await database.query<Entry>(
    `select ${entryColumns} from anagrafe.journal where position = $1`,
    [position],
  );
  return { ...kept, entry: entry ?? null };
}

/** It tells of no row of the journal, and is not attempted again. */
async function noteTest(
  database: Database,
  webhookId: number,
  { id, createdAt, delivered, status, failure, answer, milliseconds }: Tested,
): Promise<void> {
  await database.query(
    `insert into anagrafe.deliveries
       (id, webhook_id, type, created_at, state, attempts, attempted_at, status, failure, answer, milliseconds)
     values ($1, $2, '${testType}', $3, $4, 1, now(), $5, $6, $7, $8)`,
    [id, webhookId, createdAt, delivered ? 'delivered' : 'failed', status, failure, answer, milliseconds],
  );
}

async function replay(
  database: Database,
  id: number,
  deliveryId: string | null,
  author: Author,
): Promise<number> {
  return database.transaction(async (connection) => {
    const which = deliveryId === null ? `state = 'failed' and $2::uuid is null` : 'delivery.id = $2::uuid';
    const rows = await connection.query(
      `update anagrafe.deliveries as delivery set state = 'pending', attempts = 0, next_at = now()
        where webhook_id = $1 and ${which}
          and exists (select from anagrafe.webhooks where id = $1 and deleted_at is null)
          and exists (select from anagrafe.journal where journal.position = delivery.position)
       returning delivery.id`,
      [id, deliveryId],
    );
    const details = { webhook: id, delivery: deliveryId, count: rows.length };
    if (rows.length > 0) await openJournal(connection).note(author, { action: 'webhook.replayed', details });
    return rows.length;
  });
}
