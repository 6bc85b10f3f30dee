import type { Connection, Database } from '../db/database.ts';
import { ago, tableRule } from '../db/retention.ts';
import type { OperatorAtConsole } from './access.ts';
import { confirmedMinutes, maxSessionHours } from './console-session.ts';

export const operatorSessionRetention = tableRule({
  table: 'operator_sessions',
  condition: `used_at <= ${ago(1)}`,
});

export interface ConsoleLimits {
  /** The idle timeout of a session of an operator. */
  readonly idleMinutes: number;
  /** True if operators with the role `admin` need a second factor. */
  readonly secondFactor: boolean;
}

/** For commands, which look up no sessions. */
export const noSessions: ConsoleLimits = { idleMinutes: 0, secondFactor: true };

/** True for a session that has not ended; `$2` is the idle timeout in minutes. */
const isOperatorSession = `revoked_at is null and password_hash is not null
  and session.created_at > now() - make_interval(hours => ${maxSessionHours})
  and session.used_at > now() - make_interval(mins => $2::integer)`;

const operatorSessions = `anagrafe.operator_sessions as session
  join anagrafe.operators as operator using (client_id) join anagrafe.clients as client on client.id = client_id`;

interface FoundOperator extends OperatorAtConsole {
  /** True if `used_at` is more than a minute old; only then does a use of the session update it. */
  readonly stale: boolean;
}

/** Does not restart the idle timeout. */
export async function findOperatorSession(
  database: Connection,
  tokenDigest: Buffer,
  { idleMinutes, secondFactor }: ConsoleLimits,
): Promise<FoundOperator | null> {
  const [session] = await database.query<FoundOperator>(
    `select client.id, name, public_key as "publicKey", email, role, tags, totp_secret is not null as "hasSecondFactor",
            $3 and role = 'admin' and totp_secret is null as "mustEnrol",
            session.confirmed_at > now() - make_interval(mins => ${confirmedMinutes}) as confirmed,
            session.used_at < now() - interval '1 minute' as stale,
            least(session.used_at + make_interval(mins => $2::integer),
                  session.created_at + make_interval(hours => ${maxSessionHours})) as "expiresAt"
       from ${operatorSessions} where token_digest = $1 and ${isOperatorSession}`,
    [tokenDigest, idleMinutes, secondFactor],
  );
  return session ?? null;
}

export async function useOperatorSession(
  database: Database,
  tokenDigest: Buffer,
  limits: ConsoleLimits,
): Promise<OperatorAtConsole | null> {
  const session = await findOperatorSession(database, tokenDigest, limits);
  if (session?.stale)
    await database.query('update anagrafe.operator_sessions set used_at = now() where token_digest = $1', [
      tokenDigest,
    ]);
  return session;
}
