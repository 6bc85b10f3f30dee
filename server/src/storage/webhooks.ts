import { Refusal } from '../core/faults.ts';
import type { Author } from '../core/journal/journal.ts';
import type { Endpoint } from '../core/webhooks/attempt.ts';
import { urlForAudit, type Webhook, type WebhookStore, type WebhookWish } from '../core/webhooks/webhook.ts';
import type { Connection, Database } from './database.ts';
import { openHistory } from './delivery-history.ts';
import { reading } from './failures.ts';
import { openJournal } from './journal.ts';

const webhookColumns = `id, client_id as "clientId", url, types, granularity, created_at as "createdAt",
  disabled_at as "disabledAt", disabled_why as "disabledWhy"`;

export const endpointColumns = `id, url, array_remove(
    array[secret, case when old_secret_ends_at > now() then old_secret end], null) as "sealedSecrets"`;

/** True for a webhook that belongs to no client, or to one that is not revoked and has the scope admin. */
export const isOwnerAllowed = `(client_id is null or exists (
  select from anagrafe.clients as owner
   where owner.id = client_id and owner.revoked_at is null and 'admin' = any (owner.scopes)))`;

export function openWebhooks(database: Database): WebhookStore {
  return {
    ...openHistory(database),
    create: (wish, secret, clientId, author) =>
      reading(() => create(database, wish, secret, clientId, author)),
    list: () =>
      reading(() =>
        database.query<Webhook>(
          `select ${webhookColumns} from anagrafe.webhooks where deleted_at is null order by id`,
        ),
      ),
    find: (id) => reading(() => find(database, id)),
    change: (id, change, author) => reading(() => changeWebhook(database, id, change, author)),
    addSecret: (id, sealed, oldEndsAt, author) =>
      reading(() => addSecret(database, id, sealed, oldEndsAt, author)),
    endpoint: (id) => reading(() => endpoint(database, id)),
    remove: (id, author) => reading(() => remove(database, id, author)),
  };
}

async function find(connection: Connection, id: number): Promise<Webhook | null> {
  const [webhook] = await connection.query<Webhook>(
    `select ${webhookColumns} from anagrafe.webhooks where id = $1 and deleted_at is null`,
    [id],
  );
  return webhook ?? null;
}

async function create(
  database: Database,
  { url, types, granularity }: WebhookWish,
  sealSecret: (id: number) => Buffer,
  clientId: number | null,
  author: Author,
): Promise<Webhook> {
  return database.transaction(async (connection) => {
    const [next] = await connection.query<{ id: number }>(
      `select nextval(pg_get_serial_sequence('anagrafe.webhooks', 'id')) as id`,
    );
    const id = next?.id ?? 0;
    const [made] = await connection.query<Webhook>(
      `insert into anagrafe.webhooks (id, client_id, url, types, granularity, secret, position)
       overriding system value
       select $6, $1, $2, $3, $4, $5, last_position from anagrafe.journal_chain returning ${webhookColumns}`,
      [clientId, url, types, granularity, sealSecret(id), id],
    );
    if (!made) throw new Error('The journal has no beginning: its chain was removed.');
    await openJournal(connection).note(author, {
      action: 'webhook.created',
      details: { webhook: made.id, url: urlForAudit(made.url) },
    });
    return made;
  });
}

async function changeWebhook(
  database: Database,
  id: number,
  change: Partial<WebhookWish> & { readonly enabled?: boolean },
  author: Author,
): Promise<Webhook | null> {
  return database.transaction(async (connection) => {
    const [known] = await connection.query<{ url: string; allowed: boolean }>(
      `select url, ${isOwnerAllowed} as allowed from anagrafe.webhooks
        where id = $1 and deleted_at is null for update`,
      [id],
    );
    if (!known) return null;
    if (change.enabled && !known.allowed) throw new Refusal('FORBIDDEN', { variant: 'owner' });
    const [changed] = await connection.query<Webhook>(
      `update anagrafe.webhooks
          set url = coalesce($2, url), types = coalesce($3, types), granularity = coalesce($4, granularity),
              disabled_at = case $5::boolean when true then null when false then coalesce(disabled_at, now())
                                             else disabled_at end,
              disabled_why = case $5::boolean when true then null when false then coalesce(disabled_why, 'by hand')
                                              else disabled_why end
        where id = $1 returning ${webhookColumns}`,
      [id, change.url ?? null, change.types ?? null, change.granularity ?? null, change.enabled ?? null],
    );
    if (!changed) return null;
    const details = {
      webhook: id,
      changed: Object.keys(change),
      url: urlForAudit(changed.url),
      ...(changed.url !== known.url && { oldUrl: urlForAudit(known.url) }),
    };
    await openJournal(connection).note(author, { action: 'webhook.changed', details });
    return changed;
  });
}

async function addSecret(
  database: Database,
  id: number,
  sealed: Buffer,
  oldEndsAt: Date,
  author: Author,
): Promise<boolean> {
  return database.transaction(async (connection) => {
    const rows = await connection.query(
      `update anagrafe.webhooks set secret = $2, old_secret = secret, old_secret_ends_at = $3
        where id = $1 and deleted_at is null returning id`,
      [id, sealed, oldEndsAt],
    );
    if (rows.length === 0) return false;
    const details = { webhook: id, oldEndsAt };
    await openJournal(connection).note(author, { action: 'webhook.rotated', details });
    return true;
  });
}

async function endpoint(database: Database, id: number): Promise<Endpoint | null> {
  const [found] = await database.query<Endpoint>(
    `select ${endpointColumns} from anagrafe.webhooks where id = $1 and deleted_at is null`,
    [id],
  );
  return found ?? null;
}

/** What was sent stays to be seen until it is swept. */
async function remove(database: Database, id: number, author: Author): Promise<boolean> {
  return database.transaction(async (connection) => {
    const [removed] = await connection.query<{ url: string }>(
      'update anagrafe.webhooks set deleted_at = now() where id = $1 and deleted_at is null returning url',
      [id],
    );
    if (!removed) return false;
    await connection.query(`delete from anagrafe.deliveries where webhook_id = $1 and state = 'pending'`, [
      id,
    ]);
    const details = { webhook: id, url: urlForAudit(removed.url) };
    await openJournal(connection).note(author, { action: 'webhook.deleted', details });
    return true;
  });
}

/** Disables one endpoint, or all endpoints of a client, with an audit row for each. Returns how many it has disabled. */
export async function disableWebhooks(
  connection: Connection,
  which: { readonly id: number } | { readonly clientId: number },
  why: string,
  author: Author,
): Promise<number> {
  const [column, value] = 'id' in which ? ['id', which.id] : ['client_id', which.clientId];
  const disabled = await connection.query<{ id: number; url: string }>(
    `update anagrafe.webhooks set disabled_at = now(), disabled_why = $2
      where ${column} = $1 and disabled_at is null and deleted_at is null returning id, url`,
    [value, why],
  );
  for (const { id, url } of disabled) {
    const details = { webhook: id, url: urlForAudit(url), why };
    await openJournal(connection).note(author, { action: 'webhook.disabled', details });
  }
  return disabled.length;
}
