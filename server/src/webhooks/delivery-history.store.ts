import { entryColumns, openAuditLog } from '../audit/audit.store.ts';
import type { Actor } from '../audit/audit-log.ts';
import { type Entry, testType } from '../audit/events.ts';
import type { Database } from '../db/database.ts';
import { withApiErrors } from '../db/errors.ts';
import { countNewest, pageOfNewest } from '../db/newest-page.ts';
import { namesOf } from '../db/user-names.ts';
import type { Delivery, DeliveryHistory, DeliveryListing, StoredDelivery, TestResult } from './delivery.ts';

/** Opens the store that lists and replays deliveries; `deliveries.store.ts` is the store of the delivery worker. */
export function openHistory(database: Database): DeliveryHistory {
  return {
    deliveries: (webhookId, page) => withApiErrors(() => deliveries(database, webhookId, page)),
    delivery: (webhookId, id) => withApiErrors(() => delivery(database, webhookId, id)),
    names: (ids) => withApiErrors(() => namesOf(database, ids)),
    storeTest: (webhookId, result) => withApiErrors(() => storeTest(database, webhookId, result)),
    replay: (webhookId, id, actor) => withApiErrors(() => replay(database, webhookId, id, actor)),
  };
}

const deliveryColumns = `id, type, state, attempts, created_at as "createdAt", next_at as "nextAt",
  attempted_at as "attemptedAt", status,
  failure_details || jsonb_build_object('code', failure_code) as failure`;

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

async function delivery(database: Database, webhookId: number, id: string): Promise<StoredDelivery | null> {
  const [found] = await database.query<Omit<StoredDelivery, 'entry'> & { readonly position: number | null }>(
    `select ${deliveryColumns}, answer, milliseconds, event, position from anagrafe.deliveries
      where id = $2 and webhook_id = $1
        and exists (select from anagrafe.webhooks where id = $1 and deleted_at is null)`,
    [webhookId, id],
  );
  if (!found) return null;
  const { position, ...stored } = found;
  const [entry] = await database.query<Entry>(
    `select ${entryColumns} from anagrafe.audit_log where position = $1`,
    [position],
  );
  return { ...stored, entry: entry ?? null };
}

/** Stores a test message as a delivery without an audit row. The worker never retries it. */
async function storeTest(
  database: Database,
  webhookId: number,
  { id, createdAt, delivered, status, failure, answer, milliseconds }: TestResult,
): Promise<void> {
  const { code, ...details } = failure ?? { code: null };
  await database.query(
    `insert into anagrafe.deliveries
       (id, webhook_id, type, created_at, state, attempts, attempted_at, status, failure_code, failure_details,
        answer, milliseconds)
     values ($1, $2, '${testType}', $3, $4, 1, now(), $5, $6, $7, $8, $9)`,
    [
      id,
      webhookId,
      createdAt,
      delivered ? 'delivered' : 'failed',
      status,
      code,
      code && details,
      answer,
      milliseconds,
    ],
  );
}

async function replay(
  database: Database,
  id: number,
  deliveryId: string | null,
  actor: Actor,
): Promise<number> {
  return database.transaction(async (connection) => {
    const which = deliveryId === null ? `state = 'failed' and $2::uuid is null` : 'delivery.id = $2::uuid';
    const rows = await connection.query(
      `update anagrafe.deliveries as delivery set state = 'pending', attempts = 0, next_at = now()
        where webhook_id = $1 and ${which}
          and exists (select from anagrafe.webhooks where id = $1 and deleted_at is null)
          and exists (select from anagrafe.audit_log where audit_log.position = delivery.position)
       returning delivery.id`,
      [id, deliveryId],
    );
    const details = { webhook: id, delivery: deliveryId, count: rows.length };
    if (rows.length > 0) await openAuditLog(connection).note(actor, { action: 'webhook.replayed', details });
    return rows.length;
  });
}
