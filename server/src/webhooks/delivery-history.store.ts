import { entryColumns, openAuditLog } from '../audit/audit.store.ts';
import { type Entry, testType } from '../audit/events.ts';
import type { Database } from '../db/database.ts';
import { eventNamesOf } from '../db/lookups.ts';
import { readNewest } from '../db/paging.ts';
import type { Delivery, DeliveryHistory, StoredDelivery } from './delivery.ts';

const deliveryColumns = `id, type, state, attempts, created_at as "createdAt", next_at as "nextAt",
  attempted_at as "attemptedAt", status,
  failure_details || jsonb_build_object('code', failure_code) as failure`;

/** Opens the store that lists and replays deliveries; `deliveries.store.ts` is the store of the delivery worker. */
export function openHistory(database: Database): DeliveryHistory {
  return {
    async deliveries(webhookId, { failedOnly, ...page }) {
      const { rows: deliveries, totalCount } = await readNewest<Delivery>(database, page, {
        from: `from anagrafe.deliveries where webhook_id = $1 ${failedOnly ? "and state = 'failed'" : ''}
                order by created_at desc, id`,
        values: [webhookId],
        select: (limited) => `select ${deliveryColumns} ${limited}`,
      });
      return { deliveries, totalCount };
    },
    async delivery(webhookId, id) {
      const [found] = await database.query<Omit<StoredDelivery, 'entry'> & { position: number | null }>(
        `select ${deliveryColumns}, answer, milliseconds, event, is_group as "isGroup", position from anagrafe.deliveries
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
    },
    names: (subjects) => eventNamesOf(database, subjects, null),
    // A test message has no audit row, and the worker never retries it.
    async storeTest(webhookId, { id, createdAt, delivered, status, failure, answer, milliseconds }) {
      const { code, ...details } = failure ?? { code: null };
      const state = delivered ? 'delivered' : 'failed';
      await database.query(
        `insert into anagrafe.deliveries
           (id, webhook_id, type, created_at, state, attempts, attempted_at, status, failure_code, failure_details,
            answer, milliseconds)
         values ($1, $2, '${testType}', $3, $4, 1, now(), $5, $6, $7, $8, $9)`,
        [id, webhookId, createdAt, state, status, code, code && details, answer, milliseconds],
      );
    },
    replay: (webhookId, id, actor) =>
      database.transaction(async (connection) => {
        const which = id === null ? `state = 'failed' and $2::uuid is null` : 'delivery.id = $2::uuid';
        const rows = await connection.query(
          `update anagrafe.deliveries as delivery set state = 'pending', attempts = 0, next_at = now()
            where webhook_id = $1 and ${which}
              and exists (select from anagrafe.webhooks where id = $1 and deleted_at is null)
              and exists (select from anagrafe.audit_log where audit_log.position = delivery.position)
           returning delivery.id`,
          [webhookId, id],
        );
        const details = { webhook: webhookId, delivery: id, count: rows.length };
        if (rows.length > 0)
          await openAuditLog(connection).note(actor, { action: 'webhook.replayed', details });
        return rows.length;
      }),
  };
}
