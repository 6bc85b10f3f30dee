import { openAuditLog } from '../audit/audit.store.ts';
import type { Actor } from '../audit/audit-log.ts';
import type { Connection, Database } from '../db/database.ts';
import { storeWithApiErrors } from '../db/errors.ts';
import { bothActive, epochsMatch, sessionsOfUsers } from '../db/lookups.ts';
import { preparedStatement } from '../db/statement.ts';
import { urlForAudit } from '../lib/network.ts';
import { SharedLookups } from '../lib/shared-lookup.ts';
import { type DisabledReason, describeReason } from '../lib/webhook-failures.ts';
import type { AccessStore, KnownClient, SignedInUser } from './access.ts';
import type { Client, ClientStore, NewClient } from './clients.ts';
import { endConsoleSessions, useConsoleSession } from './console-sessions.store.ts';
import { type ConsoleLimits, noSessions, useOperatorSession } from './operator-sessions.store.ts';

const clientColumns = `id, public_key as "publicKey", name, scopes, networks::text[] as networks,
  known_by_address as "knownByAddress", tags, created_at as "createdAt", revoked_at as "revokedAt"`;

const knownColumns = `client.id, client.name, client.scopes, client.tags, array(
    select digest from anagrafe.client_secrets
     where client_id = client.id and (expires_at is null or expires_at > now())
  ) as digests`;

/** Prepared, because every request runs one of them. Each reads at most a few rows, by an index. */
const findByKey = preparedStatement(
  'find client by key',
  `select ${knownColumns},
          cardinality(networks) = 0 or coalesce(:address::inet <<= any (networks), false) as "mayCallFrom"
     from anagrafe.clients as client where public_key = :publicKey and revoked_at is null`,
);
const anyClient = preparedStatement(
  'any client',
  'select from anagrafe.clients where not is_operator limit 1',
);

/**
 * Runs the lookups of authentication. Clients are not cached, so a revoked client is rejected on its next request;
 * concurrent requests of one client share a query.
 */
export function openAccess(database: Database, limits: ConsoleLimits = noSessions): AccessStore {
  let seen = false;
  const clients = new SharedLookups<KnownClient | null>();
  const presence = new SharedLookups<boolean>();
  return storeWithApiErrors<AccessStore>({
    findClient: (publicKey, address) =>
      clients.run(`${publicKey} ${address}`, async () => {
        const [client] = await database.execute<KnownClient>(findByKey, { publicKey, address });
        return client ?? null;
      }),
    findClientByAddress: (address) =>
      clients.run(address, async () => {
        const [client] = await database.query<KnownClient>(
          `select ${knownColumns}, true as "mayCallFrom"
             from anagrafe.clients as client
            where known_by_address and revoked_at is null and $1::inet <<= any (networks)`,
          [address],
        );
        return client ?? null;
      }),
    async findSignedIn(tokenDigest) {
      const [user] = await database.query<SignedInUser>(
        `select users.id, principal_id as "principalId", must_change_password as "mustChange"
           from ${sessionsOfUsers}
          where token_digest = $1 and token_expires_at > now() and ${bothActive} and ${epochsMatch}`,
        [tokenDigest],
      );
      return user ?? null;
    },
    findAtConsole: async (digest, address) =>
      (await useOperatorSession(database, digest, limits)) ?? useConsoleSession(database, digest, address),
    async hasClients() {
      // Clients are revoked, never deleted, so the result stays true and can be cached.
      seen ||= await presence.run('', () => hasClients(database));
      return seen;
    },
  });
}

async function hasClients(connection: Connection): Promise<boolean> {
  const rows = await connection.execute(anyClient, {});
  return rows.length > 0;
}

/** SQL that is true if another client, not revoked, is known by an address within `networks`. */
const isTaken = (networks: string, publicKey: string) => `exists (
  select from anagrafe.clients as other, unnest(other.networks) as theirs, unnest(${networks}::cidr[]) as ours
   where other.known_by_address and other.revoked_at is null and other.public_key <> ${publicKey} and theirs && ours)`;

/** Serialises the writes: two concurrent ones could make two clients known by the same address. */
const lockClients = 'lock table anagrafe.clients in share row exclusive mode';

export function openClientStore(database: Database): ClientStore {
  return storeWithApiErrors<ClientStore>({
    insertClient: (client, digest, actor) => insertClient(database, client, digest, { first: false, actor }),
    insertFirstClient: (client, digest, actor) =>
      insertClient(database, client, digest, { first: true, actor }),
    listClients: () =>
      database.query<Client>(
        `select ${clientColumns} from anagrafe.clients where not is_operator order by id`,
      ),
    updateClient: (publicKey, change, check, actor) =>
      database.transaction(async (connection) => {
        await connection.query(lockClients);
        const [known] = await connection.query<Client>(
          `select ${clientColumns} from anagrafe.clients
            where public_key = $1 and revoked_at is null and not is_operator`,
          [publicKey],
        );
        if (!known) return 'unknown';
        const { name, scopes, networks, knownByAddress } = { ...known, ...change };
        check({ name, scopes, networks, knownByAddress });
        const [updated] = await connection.query<Client>(
          `update anagrafe.clients set name = $2, scopes = $3, networks = $4::cidr[], known_by_address = $5
            where public_key = $1 and not ($5 and ${isTaken('$4', '$1')})
           returning ${clientColumns}`,
          [publicKey, name, scopes, networks, knownByAddress],
        );
        if (!updated) return 'taken';
        if (!scopes.includes('admin')) await endConsoleSessions(connection, updated.id);
        const details = { client: updated.id, publicKey, ...change };
        if (Object.keys(change).length > 0)
          await openAuditLog(connection).note(actor, { action: 'client.changed', details });
        if (!scopes.includes('admin'))
          await disableWebhooks(connection, { clientId: updated.id }, { code: 'client_lost_admin' }, actor);
        return updated;
      }),
    rotateSecret: (publicKey, digest, oldEndsAt, actor) =>
      database.transaction(async (connection) => {
        const [client] = await connection.query<{ id: number }>(
          'select id from anagrafe.clients where public_key = $1 and revoked_at is null and not is_operator for update',
          [publicKey],
        );
        if (!client) return false;
        await connection.query(
          `update anagrafe.client_secrets
              set expires_at = case when expires_at is null then $2::timestamptz else least(expires_at, now()) end
            where client_id = $1`,
          [client.id, oldEndsAt],
        );
        await connection.query(insertSecret, [client.id, digest]);
        const details = { client: client.id, publicKey, oldEndsAt };
        await openAuditLog(connection).note(actor, { action: 'client.rotated', details });
        return true;
      }),
    revokeClient: (publicKey, actor) =>
      database.transaction(async (connection) => {
        const [client] = await connection.query<{ id: number }>(
          'update anagrafe.clients set revoked_at = now() where public_key = $1 and revoked_at is null and not is_operator returning id',
          [publicKey],
        );
        if (!client) return false;
        const details = { client: client.id, publicKey };
        await openAuditLog(connection).note(actor, { action: 'client.revoked', details });
        await disableWebhooks(connection, { clientId: client.id }, { code: 'client_revoked' }, actor);
        return true;
      }),
  });
}

const insertSecret = 'insert into anagrafe.client_secrets (client_id, digest) values ($1, $2)';

async function insertClient(
  database: Database,
  client: NewClient,
  digest: Buffer,
  { first, actor }: { first: boolean; actor: Actor },
): Promise<Client | null> {
  return database.transaction(async (connection) => {
    await connection.query(lockClients);
    if (first && (await hasClients(connection))) return null;
    const [inserted] = await connection.query<Client>(
      `insert into anagrafe.clients (public_key, name, scopes, networks, known_by_address, tags)
       select $1, $2, $3, $4::cidr[], $5, $6::text[]
        where not ($5 and ${isTaken('$4', '$1')})
       on conflict do nothing
       returning ${clientColumns}`,
      [client.publicKey, client.name, client.scopes, client.networks, client.knownByAddress, client.tags],
    );
    if (!inserted) return null;
    await connection.query(insertSecret, [inserted.id, digest]);
    const { id, createdAt: _, revokedAt: __, ...details } = inserted;
    await openAuditLog(connection).note(actor, {
      action: 'client.created',
      details: { client: id, ...details },
    });
    return inserted;
  });
}

/** Disables one webhook, or all webhooks of a client, and writes an audit row for each. Returns their number. */
export async function disableWebhooks(
  connection: Connection,
  which: { readonly id: number } | { readonly clientId: number },
  reason: DisabledReason,
  actor: Actor,
): Promise<number> {
  const [column, value] = 'id' in which ? ['id', which.id] : ['client_id', which.clientId];
  const { code, ...details } = reason;
  const disabled = await connection.query<{ id: number; url: string }>(
    `update anagrafe.webhooks set disabled_at = now(), disabled_reason = $2, disabled_details = $3
      where ${column} = $1 and disabled_at is null and deleted_at is null returning id, url`,
    [value, code, details],
  );
  // An audit row cannot change after it is in the hash chain, so it stores the text beside the code.
  const why = describeReason(reason, 'en');
  for (const { id, url } of disabled) {
    const row = { webhook: id, url: urlForAudit(url), why, reason: code, ...details };
    await openAuditLog(connection).note(actor, { action: 'webhook.disabled', details: row });
  }
  return disabled.length;
}
