import { randomUUID } from 'node:crypto';
import { actorColumns, actorParameters, actorValues, openAuditLog } from '../audit/audit.store.ts';
import { bothActive, epochsMatch, sessionsOfUsers } from '../clients/clients.store.ts';
import type { Connection, Database } from '../db/database.ts';
import { storeWithApiErrors } from '../db/errors.ts';
import { statement } from '../db/statement.ts';
import type { Account, SessionLimits, SessionStore, StoredAccount } from './session.ts';

const accountColumns = `users.id as "userId", principal_id as "principalId", username, denomination, surname, name`;
const usersOfPrincipals = 'anagrafe.users join anagrafe.principals on principals.id = principal_id';

async function findAccount(
  database: Database,
  condition: string,
  value: string | number,
): Promise<StoredAccount | null> {
  const [account] = await database.query<StoredAccount>(
    `select ${accountColumns}, password_hash as "passwordHash", ${bothActive} as active
       from ${usersOfPrincipals} where ${condition}`,
    [value],
  );
  return account ?? null;
}

const lifetimes = 'now() + make_interval(mins => :tokenMinutes), now() + make_interval(days => :refreshDays)';

const beginSql = statement(`with account as (
     update anagrafe.users set last_login_at = now(), password_hash = coalesce(:newHash, password_hash)
       from anagrafe.principals
      where users.id = :userId and password_hash = :passwordHash and principals.id = principal_id and ${bothActive}
     returning users.id, principal_id, users.sessions_epoch as user_epoch, principals.sessions_epoch as principal_epoch
   ), audit as (
     insert into anagrafe.audit_log (${actorColumns}, action, principal_id, details)
     select ${actorParameters}, 'login', principal_id, jsonb_build_object('user', id) from account
   )
   insert into anagrafe.sessions
     (user_id, user_epoch, principal_epoch, family, token_digest, refresh_digest, token_expires_at, refresh_expires_at)
   select id, user_epoch, principal_epoch, :family::uuid, :tokenDigest::bytea, :refreshDigest::bytea, ${lifetimes}
     from account
   returning token_expires_at as expires`);

const continueSql = statement(`insert into anagrafe.sessions
     (user_id, user_epoch, principal_epoch, family, token_digest, refresh_digest, token_expires_at, refresh_expires_at)
   select user_id, user_epoch, principal_epoch, family, :tokenDigest, :refreshDigest, ${lifetimes}
     from anagrafe.sessions where id = :id returning token_expires_at as expires`);

/** Stores the sessions of users. It stores only the digests of their tokens. */
export function openSessions(database: Database, limits: SessionLimits): SessionStore {
  return storeWithApiErrors<SessionStore>({
    findAccount: (usernameKey) => findAccount(database, 'username_key = $1', usernameKey),
    findAccountById: (userId) => findAccount(database, 'users.id = $1', userId),
    async begin({ userId, passwordHash }, session, newHash, actor) {
      const [created] = await database.execute<{ expires: Date }>(beginSql, {
        userId,
        passwordHash,
        newHash,
        family: randomUUID(),
        ...session,
        ...limits,
        ...actorValues({ ...actor, userId }),
      });
      return created?.expires ?? null;
    },
    exchange: (refreshDigest, next, actor) =>
      database.transaction(async (connection) => {
        await lockFamily(connection, 'refresh_digest', refreshDigest);
        const [found] = await connection.query<{
          id: number;
          userId: number;
          family: string;
          spent: boolean;
        }>(
          `select id, user_id as "userId", family, spent_at is not null as spent from anagrafe.sessions
            where refresh_digest = $1 and refresh_expires_at > now() for update`,
          [refreshDigest],
        );
        if (!found) return null;
        const { id, userId, family, spent } = found;
        const by = { ...actor, userId };
        const details = { user: userId };
        const auditLog = openAuditLog(connection);
        if (spent) {
          // Two parties have the token, and the user cannot be distinguished from a thief, so the whole family ends.
          await endFamily(connection, family);
          await auditLog.note(by, { action: 'login.reused', details });
          return null;
        }
        const [account] = await connection.query<Account>(
          `select ${accountColumns} from ${sessionsOfUsers}
            where sessions.id = $1 and ${bothActive} and ${epochsMatch}`,
          [id],
        );
        if (!account) return null;
        await connection.query('update anagrafe.sessions set spent_at = now() where id = $1', [id]);
        const [created] = await connection.execute<{ expires: Date }>(continueSql, {
          id,
          ...next,
          ...limits,
        });
        const { principalId } = account;
        await auditLog.note(by, { action: 'login.refreshed', principalId, details });
        return created ? { account, expiresAt: created.expires } : null;
      }),
    end: (tokenDigest, actor) =>
      database.transaction(async (connection) => {
        await lockFamily(connection, 'token_digest', tokenDigest);
        const [found] = await connection.query<{ family: string; userId: number }>(
          'select family, user_id as "userId" from anagrafe.sessions where token_digest = $1',
          [tokenDigest],
        );
        if (!found) return;
        await endFamily(connection, found.family);
        await openAuditLog(connection).note(actor, { action: 'logout', details: { user: found.userId } });
      }),
  });
}

/** Takes the advisory lock of a session family, so that ending it cannot miss a session that an exchange is adding. */
async function lockFamily(
  connection: Connection,
  column: 'token_digest' | 'refresh_digest',
  digest: Buffer,
): Promise<void> {
  await connection.query(
    `select pg_advisory_xact_lock(hashtextextended(family::text, 0)) from anagrafe.sessions where ${column} = $1`,
    [digest],
  );
}

async function endFamily(connection: Connection, family: string): Promise<void> {
  await connection.query('delete from anagrafe.sessions where family = $1', [family]);
}
