import type { AccessStore, KnownClient } from '../core/access/access.ts';
import type { Client, ClientChange, ClientStore, ClientWish, NewClient } from '../core/access/clients.ts';
import type { Author } from '../core/journal/journal.ts';
import { endConsoleSessions, useConsoleSession } from './console-sessions.ts';
import type { Connection, Database } from './database.ts';
import { reading } from './failures.ts';
import { openJournal } from './journal.ts';
import { findSignedIn } from './sessions.ts';
import { disableWebhooks } from './webhooks.ts';

const clientColumns = `id, public_key as "publicKey", name, scopes, networks::text[] as networks,
  known_by_address as "knownByAddress", created_at as "createdAt", revoked_at as "revokedAt"`;

const knownColumns = `client.id, client.name, client.scopes, array(
    select digest from anagrafe.client_secrets
     where client_id = client.id and (expires_at is null or expires_at > now())
  ) as digests`;

/** What access needs at every call. Nothing is kept in memory, so a revoked client is out with its next request. */
export function openAccess(database: Database): AccessStore {
  let seen = false;
  return {
    findClient: (publicKey, address) => reading(() => findClient(database, publicKey, address)),
    findClientByAddress: (address) => reading(() => findClientByAddress(database, address)),
    findSignedIn: (digest) => reading(() => findSignedIn(database, digest)),
    findAtConsole: (digest, address) => reading(() => useConsoleSession(database, digest, address)),
    async hasClients() {
      // Clients are revoked, never deleted: once there is one, the answer stays.
      seen ||= await reading(() => hasClients(database));
      return seen;
    },
  };
}

export function openClients(database: Database): ClientStore {
  return {
    insertClient: (client, digest, author) =>
      reading(() => insertClient(database, client, digest, { first: false, author })),
    insertFirstClient: (client, digest, author) =>
      reading(() => insertClient(database, client, digest, { first: true, author })),
    listClients: () =>
      reading(() => database.query<Client>(`select ${clientColumns} from anagrafe.clients order by id`)),
    updateClient: (publicKey, change, check, author) =>
      reading(() => updateClient(database, publicKey, change, check, author)),
    addSecret: (publicKey, digest, oldEndsAt, author) =>
      reading(() => addSecret(database, publicKey, digest, oldEndsAt, author)),
    revokeClient: (publicKey, author) => reading(() => revokeClient(database, publicKey, author)),
  };
}

async function findClient(
  database: Database,
  publicKey: string,
  address: string | null,
): Promise<KnownClient | null> {
  const [client] = await database.query<KnownClient>(
    `select ${knownColumns},
            cardinality(networks) = 0 or coalesce($2::inet <<= any (networks), false) as "mayCallFrom"
       from anagrafe.clients as client where public_key = $1 and revoked_at is null`,
    [publicKey, address],
  );
  return client ?? null;
}

async function findClientByAddress(database: Database, address: string): Promise<KnownClient | null> {
  const [client] = await database.query<KnownClient>(
    `select ${knownColumns}, true as "mayCallFrom"
       from anagrafe.clients as client
      where known_by_address and revoked_at is null and $1::inet <<= any (networks)`,
    [address],
  );
  return client ?? null;
}

async function hasClients(database: Connection): Promise<boolean> {
  const rows = await database.query('select from anagrafe.clients limit 1');
  return rows.length > 0;
}

/** Whether another live client than that of the public key is known by an address of the networks. */
const isTaken = (networks: string, publicKey: string) => `exists (
  select from anagrafe.clients as other, unnest(other.networks) as theirs, unnest(${networks}::cidr[]) as ours
   where other.known_by_address and other.revoked_at is null and other.public_key <> ${publicKey} and theirs && ours)`;

/** One at a time: two clients known by the same address would make it unclear who calls. */
const oneAtATime = 'lock table anagrafe.clients in share row exclusive mode';

async function insertClient(
  database: Database,
  client: NewClient,
  digest: Buffer,
  { first, author }: { first: boolean; author: Author },
): Promise<Client | null> {
  return database.transaction(async (connection) => {
    await connection.query(oneAtATime);
    if (first && (await hasClients(connection))) return null;
    const [inserted] = await connection.query<Client>(
      `insert into anagrafe.clients (public_key, name, scopes, networks, known_by_address)
       select $1, $2, $3, $4::cidr[], $5
        where not ($5 and ${isTaken('$4', '$1')})
       on conflict do nothing
       returning ${clientColumns}`,
      [client.publicKey, client.name, client.scopes, client.networks, client.knownByAddress],
    );
    if (!inserted) return null;
    await connection.query('insert into anagrafe.client_secrets (client_id, digest) values ($1, $2)', [
      inserted.id,
      digest,
    ]);
    const { id, publicKey, name, scopes, networks, knownByAddress } = inserted;
    const details = { client: id, publicKey, name, scopes, networks, knownByAddress };
    await openJournal(connection).note(author, { action: 'client.created', details });
    return inserted;
  });
}

async function updateClient(
  database: Database,
  publicKey: string,
  change: ClientChange,
  check: (wish: ClientWish) => void,
  author: Author,
): Promise<Client | 'unknown' | 'taken'> {
  return database.transaction(async (connection) => {
    await connection.query(oneAtATime);
    const [known] = await connection.query<Client>(
      `select ${clientColumns} from anagrafe.clients where public_key = $1 and revoked_at is null`,
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
      await openJournal(connection).note(author, { action: 'client.changed', details });
    if (!scopes.includes('admin'))
      await disableWebhooks(connection, { clientId: updated.id }, 'its client lost the scope admin', author);
    return updated;
  });
}

async function addSecret(
  database: Database,
  publicKey: string,
  digest: Buffer,
  oldEndsAt: Date,
  author: Author,
): Promise<boolean> {
  return database.transaction(async (connection) => {
    const [client] = await connection.query<{ id: number }>(
      'select id from anagrafe.clients where public_key = $1 and revoked_at is null for update',
      [publicKey],
    );
    if (!client) return false;
    await connection.query(
      `update anagrafe.client_secrets
          set expires_at = case when expires_at is null then $2::timestamptz else least(expires_at, now()) end
        where client_id = $1`,
      [client.id, oldEndsAt],
    );
    await connection.query('insert into anagrafe.client_secrets (client_id, digest) values ($1, $2)', [
      client.id,
      digest,
    ]);
    const details = { client: client.id, publicKey, oldEndsAt };
    await openJournal(connection).note(author, { action: 'client.rotated', details });
    return true;
  });
}

async function revokeClient(database: Database, publicKey: string, author: Author): Promise<boolean> {
  return database.transaction(async (connection) => {
    const [client] = await connection.query<{ id: number }>(
      'update anagrafe.clients set revoked_at = now() where public_key = $1 and revoked_at is null returning id',
      [publicKey],
    );
    if (!client) return false;
    const details = { client: client.id, publicKey };
    await openJournal(connection).note(author, { action: 'client.revoked', details });
    await disableWebhooks(connection, { clientId: client.id }, 'its client was revoked', author);
    return true;
  });
}
