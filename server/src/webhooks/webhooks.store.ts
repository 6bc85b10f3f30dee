import { openAuditLog } from '../audit/audit.store.ts';
import type { Database } from '../db/database.ts';
import { storeWithApiErrors } from '../db/errors.ts';
import { ago, tableRule } from '../db/retention.ts';
import { ApiError } from '../lib/field-errors.ts';
import { urlForAudit } from '../lib/network.ts';
import type { WebhookStore } from './delivery.ts';
import { openHistory } from './delivery-history.store.ts';
import { checkSubscription, type Endpoint, type Webhook, type WebhookOptions } from './webhook.ts';

export const webhookRetention = [
  tableRule({
    kind: 'webhook_secrets',
    table: 'webhooks',
    condition: `old_secret_ends_at <= ${ago(0)}`,
    change: 'update anagrafe.webhooks set old_secret = null, old_secret_ends_at = null',
  }),
  tableRule({
    table: 'deliveries',
    condition: `state <> 'pending' and created_at <= ${ago(':deliveryDays::integer')}`,
  }),
];

const webhookColumns = `id, client_id as "clientId", url, types, granularity, created_at as "createdAt",
  disabled_at as "disabledAt", disabled_details || jsonb_build_object('code', disabled_reason) as "disabledReason"`;

export const endpointColumns = `id, url, array_remove(
    array[secret, case when old_secret_ends_at > now() then old_secret end], null) as "encryptedSecrets"`;

/** True for a webhook that belongs to no client, or to one that is not revoked and has the scope admin. */
export const isOwnerAllowed = `(client_id is null or exists (
  select from anagrafe.clients as owner
   where owner.id = client_id and owner.revoked_at is null and 'admin' = any (owner.scopes)))`;

export function openWebhookStore(database: Database): WebhookStore {
  return storeWithApiErrors<WebhookStore>({
    ...openHistory(database),
    create: ({ url, types, granularity }, encryptSecret, clientId, actor) =>
      database.transaction(async (connection) => {
        const [next] = await connection.query<{ id: number }>(
          `select nextval(pg_get_serial_sequence('anagrafe.webhooks', 'id')) as id`,
        );
        const id = next?.id ?? 0;
        const [made] = await connection.query<Webhook>(
          `insert into anagrafe.webhooks (id, client_id, url, types, granularity, secret, position)
           overriding system value
           select $6, $1, $2, $3, $4, $5, last_position from anagrafe.audit_chain returning ${webhookColumns}`,
          [clientId, url, types, granularity, await encryptSecret(connection, id), id],
        );
        if (!made) throw new Error('the row of the hash chain is missing');
        const details = { webhook: id, url: urlForAudit(made.url) };
        await openAuditLog(connection).note(actor, { action: 'webhook.created', details });
        return made;
      }),
    list: () =>
      database.query<Webhook>(
        `select ${webhookColumns} from anagrafe.webhooks where deleted_at is null order by id`,
      ),
    async find(id) {
      const [webhook] = await database.query<Webhook>(
        `select ${webhookColumns} from anagrafe.webhooks where id = $1 and deleted_at is null`,
        [id],
      );
      return webhook ?? null;
    },
    change: (id, change, actor) =>
      database.transaction(async (connection) => {
        const [known] = await connection.query<WebhookOptions & { allowed: boolean }>(
          `select url, types, granularity, ${isOwnerAllowed} as allowed from anagrafe.webhooks
            where id = $1 and deleted_at is null for update`,
          [id],
        );
        if (!known) return null;
        if (change.enabled && !known.allowed) throw new ApiError('FORBIDDEN', { variant: 'owner' });
        if (change.types || change.granularity) checkSubscription({ ...known, ...change });
        const [changed] = await connection.query<Webhook>(
          `update anagrafe.webhooks
              set url = coalesce($2, url), types = coalesce($3, types), granularity = coalesce($4, granularity),
                  ${disabledColumn('disabled_at', 'now()')}, ${disabledColumn('disabled_reason', "'manual'")},
                  ${disabledColumn('disabled_details', "'{}'")}
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
        await openAuditLog(connection).note(actor, { action: 'webhook.changed', details });
        return changed;
      }),
    rotateSecret: (id, encryptSecret, oldEndsAt, actor) =>
      database.transaction(async (connection) => {
        const rows = await connection.query(
          `update anagrafe.webhooks set secret = $2, old_secret = secret, old_secret_ends_at = $3
            where id = $1 and deleted_at is null returning id`,
          [id, await encryptSecret(connection, id), oldEndsAt],
        );
        if (rows.length === 0) return false;
        const details = { webhook: id, oldEndsAt };
        await openAuditLog(connection).note(actor, { action: 'webhook.rotated', details });
        return true;
      }),
    async endpoint(id) {
      const [found] = await database.query<Endpoint>(
        `select ${endpointColumns} from anagrafe.webhooks where id = $1 and deleted_at is null`,
        [id],
      );
      return found ?? null;
    },
    // The webhook is marked as deleted. Deliveries that are not pending stay until retention removes them.
    remove: (id, actor) =>
      database.transaction(async (connection) => {
        const [removed] = await connection.query<{ url: string }>(
          'update anagrafe.webhooks set deleted_at = now() where id = $1 and deleted_at is null returning url',
          [id],
        );
        if (!removed) return false;
        await connection.query(
          `delete from anagrafe.deliveries where webhook_id = $1 and state = 'pending'`,
          [id],
        );
        const details = { webhook: id, url: urlForAudit(removed.url) };
        await openAuditLog(connection).note(actor, { action: 'webhook.deleted', details });
        return true;
      }),
  });
}

/** Assigns a column by the parameter `enabled`: true clears it, false sets it unless it is set, null leaves it. */
function disabledColumn(column: string, value: string): string {
  return `${column} = case $5::boolean when true then null when false then coalesce(${column}, ${value}) else ${column} end`;
}
