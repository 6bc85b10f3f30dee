import { randomUUID } from 'node:crypto';
import { type Entry, type EventType, eventActions } from '../core/events/event.ts';
import { theService } from '../core/journal/journal.ts';
import type { Attempted, DeliveryStore, DueDelivery, Endpoint } from '../core/webhooks/deliver.ts';
import { subjectsOf } from '../core/webhooks/message.ts';
import type { Granularity } from '../core/webhooks/webhook.ts';
import type { Connection, Database } from './database.ts';
import { entryColumns } from './events.ts';
import { reading } from './failures.ts';
import { openJournal } from './journal.ts';
import { namesOf } from './outcomes.ts';

/** So many rows of the journal are made out for an endpoint at a time. */
const entriesAtOnce = 200;

interface Follower {
  readonly id: number;
  readonly position: number;
  readonly types: readonly EventType[];
  readonly granularity: Granularity;
}

/**
 * Makes out what has happened since as deliveries, for one endpoint that is behind. One node at a time does so for an
 * endpoint. Says whether there may be more.
 */
export async function makeOutDeliveries(database: Database): Promise<boolean> {
  const [behind] = await database.query(
    `select from anagrafe.webhooks, anagrafe.journal_chain
      where position < last_position and disabled_at is null and deleted_at is null limit 1`,
  );
  if (!behind) return false;
  return database.transaction(async (connection) => {
    const [webhook] = await connection.query<Follower>(
      `select id, position, types, granularity from anagrafe.webhooks
        where position < (select last_position from anagrafe.journal_chain)
          and disabled_at is null and deleted_at is null
        order by position limit 1 for update skip locked`,
    );
    if (!webhook) return false;
    const entries = await connection.query<Entry>(
      `select ${entryColumns} from anagrafe.journal where position > $1 order by position limit ${entriesAtOnce}`,
      [webhook.position],
    );
    for (const entry of entries) await putDeliveries(connection, webhook, entry);
    const last = entries.at(-1)?.position ?? webhook.position;
    await connection.query('update anagrafe.webhooks set position = $2 where id = $1', [webhook.id, last]);
    return true;
  });
}

async function putDeliveries(connection: Connection, webhook: Follower, entry: Entry): Promise<void> {
  if (!eventActions.includes(entry.action)) return;
  const subjects = subjectsOf(entry, webhook);
  if (subjects.length === 0) return;
  await connection.query(
    `insert into anagrafe.deliveries (id, webhook_id, position, event, type)
     select id, $1, $2, event, type from unnest($3::uuid[], $4::int[], $5::text[]) as made (id, event, type)`,
    [
      webhook.id,
      entry.position,
      subjects.map(() => randomUUID()),
      subjects.map(({ event }) => event),
      subjects.map(({ type }) => type),
    ],
  );
}

/** The endpoints to which something is due. */
export async function dueWebhooks(database: Database): Promise<number[]> {
  const rows = await database.query<{ id: number }>(
    `select id from anagrafe.webhooks as webhook
      where disabled_at is null and deleted_at is null and exists (
        select from anagrafe.deliveries
         where webhook_id = webhook.id and state = 'pending' and next_at <= now())`,
  );
  return rows.map(({ id }) => id);
}

export function openDeliveries(database: Database): DeliveryStore {
  return {
    endpoint: (id) => reading(() => endpoint(database, id)),
    due: (id, limit) => reading(() => due(database, id, limit)),
    names: (ids) => reading(() => namesOf(database, ids)),
    settle: (id, attempted) => reading(() => settle(database, id, attempted)),
  };
}

async function endpoint(database: Database, id: number): Promise<Endpoint | null> {
  const [found] = await database.query<Endpoint>(
    `select id, url, secret as "sealedSecret" from anagrafe.webhooks
      where id = $1 and disabled_at is null and deleted_at is null`,
    [id],
  );
  return found ?? null;
}

type DueRow = Omit<DueDelivery, 'entry'> & Entry & { deliveryId: string };

async function due(database: Database, webhookId: number, limit: number): Promise<DueDelivery[]> {
  const rows = await database.query<DueRow>(
    `select due.id as "deliveryId", due.event, due.type, due.attempts, due.created_at as "createdAt", entry.*
       from (select * from anagrafe.deliveries
              where webhook_id = $1 and state = 'pending' and next_at <= now()
              order by next_at limit $2) as due
            join lateral (select ${entryColumns} from anagrafe.journal where position = due.position) as entry on true
      order by due.next_at, entry.position, due.event`,
    [webhookId, limit],
  );
  return rows.map(({ deliveryId: id, event, type, attempts, createdAt, ...entry }) => {
    return { id, event, type, attempts, createdAt, entry };
  });
}

async function settle(database: Database, webhookId: number, attempted: readonly Attempted[]): Promise<void> {
  if (attempted.length === 0) return;
  await database.transaction(async (connection) => {
    await connection.query(
      `update anagrafe.deliveries as delivery
          set attempts = attempts + 1, attempted_at = now(), status = came.status, failure = came.failure,
              state = case when came.delivered then 'delivered' when came.wait is null then 'failed' else 'pending' end,
              next_at = case when came.wait is null then next_at else now() + make_interval(secs => came.wait) end
         from unnest($1::uuid[], $2::boolean[], $3::int[], $4::text[], $5::float8[])
              as came (id, delivered, status, failure, wait)
        where delivery.id = came.id and state = 'pending'`,
      [
        attempted.map(({ id }) => id),
        attempted.map(({ delivered }) => delivered),
        attempted.map(({ status }) => status),
        attempted.map(({ failure }) => failure),
        attempted.map(({ waitSeconds }) => waitSeconds),
      ],
    );
    const givenUp = attempted.find(({ delivered, waitSeconds }) => !delivered && waitSeconds === null);
    if (givenUp) await disable(connection, webhookId, givenUp);
  });
}

async function disable(connection: Connection, id: number, { status, failure }: Attempted): Promise<void> {
  const why = status === null ? (failure ?? '') : `the receiver answered ${status}`;
  const [disabled] = await connection.query<{ url: string }>(
    `update anagrafe.webhooks set disabled_at = now(), disabled_why = $2
      where id = $1 and disabled_at is null returning url`,
    [id, why],
  );
  if (!disabled) return;
  const details = { webhook: id, url: disabled.url, why };
  await openJournal(connection).note(theService, { action: 'webhook.disabled', details });
}
