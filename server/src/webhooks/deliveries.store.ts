import { randomUUID } from 'node:crypto';
import { readEntries } from '../audit/audit.store.ts';
import { serviceActor } from '../audit/audit-log.ts';
import { type Entry, eventActions } from '../audit/events.ts';
import { disableWebhooks } from '../clients/clients.store.ts';
import type { Connection, Database } from '../db/database.ts';
import { withApiErrors } from '../db/errors.ts';
import { eventNamesOf } from '../db/lookups.ts';
import { Semaphore } from '../lib/semaphore.ts';
import type { DeliveryFailure } from '../lib/webhook-failures.ts';
import type { DeliveryAttempt, DeliveryStore, DueDelivery, DueOrder } from './deliver.ts';
import { subjectsOf } from './message.ts';
import type { Endpoint, Subscription } from './webhook.ts';
import { endpointColumns, isOwnerAllowed } from './webhooks.store.ts';

/** Maximum number of audit rows for which one transaction creates the deliveries of a webhook. */
const entriesAtOnce = 200;
/** Number of deliveries after which the transaction ends. */
const deliveriesAtOnce = 10_000;

interface WebhookCursor extends Subscription {
  readonly id: number;
  /** Position of the last audit row for which deliveries exist. */
  readonly position: number;
  /** Position of the last row in the hash chain. */
  readonly last: number;
}

/** Condition for a webhook that is neither disabled nor deleted, and whose owner still has the scope admin. */
const active = `disabled_at is null and deleted_at is null and ${isOwnerAllowed}`;

/**
 * Creates the next deliveries for every webhook whose position is behind the hash chain, for each in a transaction of
 * limited size, so that a webhook with many or large rows to catch up with does not stop the others. A row lock
 * makes sure that only one node does so for a webhook at a time. Returns true if more rows may be left. A webhook that
 * fails does not keep the others from getting theirs; its error is thrown at the end.
 */
export async function createDeliveries(database: Database): Promise<boolean> {
  const behind = await database.query<{ id: number }>(
    `select id from anagrafe.webhooks, anagrafe.audit_chain where position < last_position and ${active}`,
  );
  let more = false;
  const errors: unknown[] = [];
  for (const { id } of behind) {
    try {
      more = (await createDeliveriesFor(database, id)) || more;
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
  return more;
}

async function createDeliveriesFor(database: Database, id: number): Promise<boolean> {
  return database.transaction(async (connection) => {
    const [webhook] = await connection.query<WebhookCursor>(
      `select id, position, types, granularity, (select last_position from anagrafe.audit_chain) as last
         from anagrafe.webhooks where id = $1 and ${active} for update skip locked`,
      [id],
    );
    if (!webhook) return false;
    const { entries, ...read } = await readEntries(
      connection,
      'position > :position and position <= :last',
      { order: 'asc', limit: entriesAtOnce },
      { position: webhook.position, last: webhook.last },
    );
    let inserted = 0;
    let done = 0;
    for (; done < entries.length && inserted < deliveriesAtOnce; done++)
      inserted += await insertDeliveries(connection, webhook, entries[done] as Entry);
    const more = read.more || done < entries.length;
    const reached = more ? entries[done - 1]?.position : webhook.last;
    await connection.query('update anagrafe.webhooks set position = $2 where id = $1', [id, reached]);
    return more;
  });
}

/** Returns the number of deliveries. */
async function insertDeliveries(
  connection: Connection,
  webhook: WebhookCursor,
  entry: Entry,
): Promise<number> {
  const subjects = eventActions.includes(entry.action) ? subjectsOf(entry, webhook) : [];
  if (subjects.length === 0) return 0;
  await connection.query(
    `insert into anagrafe.deliveries (id, webhook_id, position, event, is_group, type)
     select id, $1, $2, event, $6, type from unnest($3::uuid[], $4::int[], $5::text[]) as made (id, event, type)`,
    [
      webhook.id,
      entry.position,
      subjects.map(() => randomUUID()),
      subjects.map(({ event }) => event),
      subjects.map(({ type }) => type),
      webhook.granularity !== 'user',
    ],
  );
  return subjects.length;
}

export async function dueWebhooks(database: Database): Promise<number[]> {
  const rows = await database.query<{ id: number }>(
    `select id from anagrafe.webhooks as webhook
      where ${active} and exists (
        select from anagrafe.deliveries
         where webhook_id = webhook.id and state = 'pending' and next_at <= now())`,
  );
  return rows.map(({ id }) => id);
}

/** Database connections that all deliveries of a node share; requests keep the rest of the pool. */
const connectionsAtOnce = 2;

type DueRow = Omit<DueDelivery, 'entry'> & { readonly position: number };

const dueOrders: Readonly<Record<DueOrder, string>> = {
  longest: 'next_at, position, event',
  'most attempts': 'attempts desc, next_at, position, event',
};

export function openDeliveries(database: Database): DeliveryStore {
  const connections = new Semaphore(connectionsAtOnce);
  const run = <Result>(work: () => Promise<Result>) => connections.run(() => withApiErrors(work));
  return {
    endpoint: (id) =>
      run(async () => {
        const [found] = await database.query<Endpoint>(
          `select ${endpointColumns} from anagrafe.webhooks where id = $1 and ${active}`,
          [id],
        );
        return found ?? null;
      }),
    due: (id, limit, order) => run(() => due(database, id, limit, order)),
    names: (subjects) => run(() => eventNamesOf(database, subjects, null)),
    settle: (id, attempted) => run(() => settle(database, id, attempted)),
  };
}

async function due(
  database: Database,
  webhookId: number,
  limit: number,
  order: DueOrder,
): Promise<DueDelivery[]> {
  const rows = await database.query<DueRow>(
    `select id, position, event, is_group as "isGroup", type, attempts from anagrafe.deliveries
      where webhook_id = $1 and state = 'pending' and next_at <= now()
      order by ${dueOrders[order]} limit $2`,
    [webhookId, limit],
  );
  const { entries, more } = await readEntries(
    database,
    'position = any(:positions::bigint[])',
    { order: 'asc', limit },
    { positions: rows.map(({ position }) => position) },
  );
  const byPosition = new Map(entries.map((entry) => [entry.position, entry]));
  // If the rows are large, only some of them are read, and the other deliveries stay due.
  if (!more && rows.some(({ position }) => !byPosition.has(position))) {
    await failOrphaned(database, webhookId);
    return due(database, webhookId, limit, order);
  }
  return rows.flatMap(({ position, ...delivery }) => {
    const entry = byPosition.get(position);
    return entry ? [{ ...delivery, entry }] : [];
  });
}

/** Fails the deliveries whose audit row was removed by retention. The webhook stays enabled. */
async function failOrphaned(database: Database, webhookId: number): Promise<void> {
  await database.query(
    `update anagrafe.deliveries set state = 'failed', failure_code = 'event_expired', failure_details = '{}'
      where id in (select id from anagrafe.deliveries as delivery
                    where webhook_id = $1 and state = 'pending'
                      and not exists (select from anagrafe.audit_log where audit_log.position = delivery.position)
                    limit 5000)`,
    [webhookId],
  );
}

async function settle(
  database: Database,
  webhookId: number,
  attempted: readonly DeliveryAttempt[],
): Promise<DeliveryFailure | null> {
  if (attempted.length === 0) return null;
  return database.transaction(async (connection) => {
    await connection.query(
      `update anagrafe.deliveries as delivery
          set attempts = attempts + 1, attempted_at = now(), status = result.status,
              failure_code = result.failure ->> 'code', failure_details = result.failure - 'code',
              answer = result.answer, milliseconds = result.milliseconds,
              state = case when result.delivered then 'delivered' when result.wait is null then 'failed' else 'pending' end,
              next_at = case when result.wait is null then next_at else now() + make_interval(secs => result.wait) end
         from unnest($1::uuid[], $2::boolean[], $3::int[], $4::jsonb[], $5::text[], $6::int[], $7::float8[])
              as result (id, delivered, status, failure, answer, milliseconds, wait)
        where delivery.id = result.id and state = 'pending'`,
      [
        attempted.map(({ id }) => id),
        attempted.map(({ delivered }) => delivered),
        attempted.map(({ status }) => status),
        attempted.map(({ failure }) => failure && JSON.stringify(failure)),
        attempted.map(({ answer }) => answer),
        attempted.map(({ milliseconds }) => milliseconds),
        attempted.map(({ waitSeconds }) => waitSeconds),
      ],
    );
    const last = attempted.find(({ delivered, waitSeconds }) => !delivered && waitSeconds === null);
    if (!last?.failure) return null;
    const { failure } = last;
    const disabled = await disableWebhooks(connection, { id: webhookId }, failure, serviceActor);
    return disabled > 0 ? failure : null;
  });
}
