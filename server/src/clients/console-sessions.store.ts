import { actorColumns, actorParameters, actorValues, openAuditLog } from '../audit/audit.store.ts';
import type { Connection, Database } from '../db/database.ts';
import { storeWithApiErrors } from '../db/errors.ts';
import { ago, tableRule } from '../db/retention.ts';
import { statement } from '../db/statement.ts';
import type { ClientAtConsole } from './access.ts';
import { type ConsoleSession, type ConsoleStore, idleMinutes, maxSessionHours } from './console-session.ts';
import { type ConsoleLimits, findOperatorSession } from './operator-sessions.store.ts';

export const consoleSessionRetention = tableRule({
  table: 'console_sessions',
  condition: `used_at <= ${ago(1)}`,
});

const withClients = `anagrafe.client_secrets as secret join anagrafe.clients as client on client.id = secret.client_id`;
const mayBeAtConsole = `revoked_at is null and 'admin' = any (scopes)
  and (secret.expires_at is null or secret.expires_at > now())`;
const sessionColumns = `client.id as "clientId", public_key as "publicKey", name, tags,
  least(session.used_at + make_interval(mins => ${idleMinutes}),
        session.created_at + make_interval(hours => ${maxSessionHours}), secret.expires_at) as "expiresAt"`;

// One statement and not a transaction: a caller that gets no answer may simply sign in again.
const beginSql = statement(`with session as (
     insert into anagrafe.console_sessions (token_digest, secret_id, secret_expires_at)
     select :tokenDigest, secret.id, secret.expires_at from ${withClients}
      where client.id = :clientId and digest = :secretDigest and ${mayBeAtConsole}
     returning secret_id, created_at, used_at
   ), audit as (
     insert into anagrafe.audit_log (${actorColumns}, action, details)
     select ${actorParameters}, 'console.login', jsonb_build_object('client', :clientId::bigint) from session
   )
   select ${sessionColumns} from session join (${withClients}) on secret.id = secret_id`);

/** Stores the sessions of the console. It stores only the digest of a token. */
export function openConsoleSessions(database: Database, limits: ConsoleLimits): ConsoleStore {
  return storeWithApiErrors<ConsoleStore>({
    async begin(session, actor) {
      const values = { ...session, ...actorValues(actor) };
      const [created] = await database.execute<ConsoleSession>(beginSql, values);
      return created ?? null;
    },
    find: (digest, address) => find(database, digest, address),
    findOperator: (digest) => findOperatorSession(database, digest, limits),
    end: (digest, actor) =>
      database.transaction(async (connection) => {
        const ended = await connection.query(
          `with ended as (delete from anagrafe.console_sessions where token_digest = $1 returning 1),
                of_operator as (delete from anagrafe.operator_sessions where token_digest = $1 returning 1)
           select from ended union all select from of_operator`,
          [digest],
        );
        const details = { client: actor.clientId };
        if (ended.length > 0)
          await openAuditLog(connection).note(actor, { action: 'console.logout', details });
      }),
  });
}

interface FoundSession extends ConsoleSession, ClientAtConsole {
  /** True if `used_at` is more than a minute old; only then does a use of the session update it. */
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
        and session.created_at > now() - make_interval(hours => ${maxSessionHours})
        and session.used_at > now() - make_interval(mins => ${idleMinutes})
        and (cardinality(networks) = 0 or $2::inet <<= any (networks))`,
    [tokenDigest, address],
  );
  return session ?? null;
}

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

/** Deletes the sessions of a client that lost the scope `admin`: they must not be valid if it regains the scope. */
export async function endConsoleSessions(connection: Connection, clientId: number): Promise<void> {
  await connection.query(
    `delete from anagrafe.console_sessions using anagrafe.client_secrets as secret
      where secret.id = secret_id and client_id = $1`,
    [clientId],
  );
}
