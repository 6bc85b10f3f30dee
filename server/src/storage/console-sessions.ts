import type { ClientAtConsole } from '../core/access/access.ts';
import {
  type ConsoleSession,
  type ConsoleStore,
  hoursAtMost,
  idleMinutes,
  type NewConsoleSession,
} from '../core/access/console.ts';
import type { Author } from '../core/journal/journal.ts';
import type { Connection, Database } from './database.ts';
import { reading } from './failures.ts';
import { authorColumns, authorPlaces, authorValues, openJournal } from './journal.ts';

/** Sessions of the console, of whose tokens only digests are kept. */
export function openConsoleSessions(database: Database): ConsoleStore {
  return {
    begin: (session, author) => reading(() => begin(database, session, author)),
    find: (digest, address) => reading(() => find(database, digest, address)),
    end: (digest, author) => reading(() => end(database, digest, author)),
  };
}

const withClients = `anagrafe.client_secrets as secret join anagrafe.clients as client on client.id = secret.client_id`;
const mayBeAtConsole = `revoked_at is null and 'admin' = any (scopes)
  and (secret.expires_at is null or secret.expires_at > now())`;
const sessionColumns = `client.id as "clientId", public_key as "publicKey", name,
  least(session.used_at + make_interval(mins => ${idleMinutes}),
        session.created_at + make_interval(hours => ${hoursAtMost}), secret.expires_at) as "expiresAt"`;

async function begin(
  database: Database,
  { clientId, secretDigest, tokenDigest }: NewConsoleSession,
  author: Author,
): Promise<ConsoleSession | null> {
  const [begun] = await database.query<ConsoleSession>(
    `with session as (
       insert into anagrafe.console_sessions (token_digest, secret_id, secret_expires_at)
       select $3, secret.id, secret.expires_at from ${withClients}
        where client.id = $1 and digest = $2 and ${mayBeAtConsole}
       returning secret_id, created_at, used_at
     ), noted as (
       insert into anagrafe.journal (${authorColumns}, action, details)
       select ${authorPlaces(4)}, 'console.login', jsonb_build_object('client', $1::bigint) from session
     )
     select ${sessionColumns} from session join (${withClients}) on secret.id = secret_id`,
    [clientId, secretDigest, tokenDigest, ...authorValues(author)],
  );
  return begun ?? null;
}

interface FoundSession extends ConsoleSession, ClientAtConsole {
  /** Whether it is time to write down that it is used. */
  readonly stale: boolean;
}

async function find(
  database: Database,
  tokenDigest: Buffer,
  address: string | null,
): Promise<FoundSession | null> {
  const [session] = await database.query<FoundSession>(
    `select ${sessionColumns}, client.id, scopes, used_at < now() - interval '1 minute' as stale
       from anagrafe.console_sessions as session join (${withClients}) on secret.id = secret_id
      where token_digest = $1 and ${mayBeAtConsole}
        and secret.expires_at is not distinct from secret_expires_at
        and session.created_at > now() - make_interval(hours => ${hoursAtMost})
        and session.used_at > now() - make_interval(mins => ${idleMinutes})
        and (cardinality(networks) = 0 or $2::inet <<= any (networks))`,
    [tokenDigest, address],
  );
  return session ?? null;
}

/** The same, and it goes on from now. */
export async function useConsoleSession(
  database: Database,
  tokenDigest: Buffer,
  address: string | null,
): Promise<ClientAtConsole | null> {
  const session = await find(database, tokenDigest, address);
  if (session?.stale)
    await database.query('update anagrafe.console_sessions set used_at = now() where token_digest = $1', [
      tokenDigest,
    ]);
  return session;
}

async function end(database: Database, tokenDigest: Buffer, author: Author): Promise<void> {
  await database.transaction(async (connection) => {
    const ended = await connection.query(
      'delete from anagrafe.console_sessions where token_digest = $1 returning 1',
      [tokenDigest],
    );
    const details = { client: author.clientId };
    if (ended.length > 0) await openJournal(connection).note(author, { action: 'console.logout', details });
  });
}

/** Those of a client that has lost the scope; should it get the scope back, they stay ended. */
export async function endConsoleSessions(connection: Connection, clientId: number): Promise<void> {
  await connection.query(
    `delete from anagrafe.console_sessions using anagrafe.client_secrets as secret
      where secret.id = secret_id and client_id = $1`,
    [clientId],
  );
}
