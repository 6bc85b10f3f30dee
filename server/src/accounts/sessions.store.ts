import { randomUUID } from 'node:crypto';
import { actorColumns, actorParameters, actorValues, openAuditLog } from '../audit/audit.store.ts';
import { answerLimitMs, type Connection, type Database } from '../db/database.ts';
import { storeWithApiErrors } from '../db/errors.ts';
import { bothActive, epochsMatch, sessionsOfUsers } from '../db/lookups.ts';
import { ago, tableRule } from '../db/retention.ts';
import { statement } from '../db/statement.ts';
import { seesPrincipalId } from '../db/visibility.ts';
import { selectedColumns } from '../records/fields/field-columns.ts';
import { userFields } from '../records/fields/fields.ts';
import type {
  Account,
  SessionLimits,
  SessionStore,
  StoredAccount,
  UserSession,
  UserSessionStore,
} from './session.ts';

export const sessionRetention = tableRule({
  table: 'sessions',
  condition: `refresh_expires_at <= ${ago(0)}`,
});

const accountColumns = `users.id as "userId", principal_id as "principalId", username, denomination, surname, name,
  must_change_password as "mustChange", ${selectedColumns(userFields, 'users')}`;
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

// One statement and not a transaction: a caller that gets no answer may simply sign in again.
const beginSql = statement(`with account as (
     update anagrafe.users
        set last_login_at = now(), has_signed_in = true, password_hash = coalesce(:newHash, password_hash)
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
     (user_id, user_epoch, principal_epoch, family, predecessor_id, token_digest, refresh_digest, token_expires_at,
      refresh_expires_at)
   select user_id, user_epoch, principal_epoch, family, id, :tokenDigest, :refreshDigest, ${lifetimes}
     from anagrafe.sessions where id = :id returning token_expires_at as expires`);

/**
 * The seconds in which a refresh token whose answer was lost can be exchanged again. The service may notice only after
 * `answerLimitMs` that the database does not answer. The repetition gets as long, because it may wait for a connection.
 */
export const graceSeconds = (2 * answerLimitMs) / 1000;

/**
 * True for a session whose refresh token was exchanged a moment ago, once, for a pair that was not exchanged since. The
 * caller has probably not received that pair.
 */
const mayRepeat = `spent_at > now() - make_interval(secs => ${graceSeconds}) and (
    select count(*) = 1 and bool_and(next.spent_at is null) from anagrafe.sessions as next
     where next.family = sessions.family and next.predecessor_id = sessions.id)`;

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
        // Before the session: a deletion of the user locks the user first, and then its sessions.
        await connection.query(
          `select from anagrafe.users
            where id = (select user_id from anagrafe.sessions where refresh_digest = $1) for key share`,
          [refreshDigest],
        );
        const [found] = await connection.query<{
          id: number;
          userId: number;
          family: string;
          reused: boolean;
        }>(
          `select id, user_id as "userId", family, spent_at is not null and not (${mayRepeat}) as reused
             from anagrafe.sessions
            where refresh_digest = $1 and refresh_expires_at > now() for update`,
          [refreshDigest],
        );
        if (!found) return null;
        const { id, userId, family, reused } = found;
        const by = { ...actor, userId };
        const details = { user: userId };
        const auditLog = openAuditLog(connection);
        if (reused) {
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
        // A repeated exchange ends the use of the first pair: if a thief repeated it, the user's next exchange, with the
        // first pair, counts as reuse and ends the session.
        await connection.query(
          `update anagrafe.sessions set spent_at = now()
            where family = $2 and (id = $1 or predecessor_id = $1) and spent_at is null`,
          [id, family],
        );
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

/** The valid sessions of the user `$1`: a family is valid if its newest refresh token can still be exchanged. */
const validSessions = `select family as id, min(sessions.created_at) as "signedInAt",
         max(sessions.created_at) as "refreshedAt", max(refresh_expires_at) as "expiresAt"
    from ${sessionsOfUsers}
   where user_id = $1 and ${bothActive} and ${epochsMatch}
   group by family
  having bool_or(spent_at is null and refresh_expires_at > now())`;

export function openUserSessions(database: Database): UserSessionStore {
  return storeWithApiErrors<UserSessionStore>({
    async list({ userId, callerTags }, { page, pageSize }, tokenDigest = null) {
      const [user] = await database.query<{ count: number }>(
        `select (select count(*) from (${validSessions}) as valid) as count from anagrafe.users
          where id = $1 and ${seesPrincipalId('principal_id', '$2')}`,
        [userId, callerTags],
      );
      if (!user) return null;
      const sessions = await database.query<UserSession>(
        `select valid.*, id is not distinct from (
                  select family from anagrafe.sessions where token_digest = $4) as current
           from (${validSessions}) as valid order by "refreshedAt" desc, id limit $2 offset $3`,
        [userId, pageSize, (page - 1) * pageSize, tokenDigest],
      );
      return { sessions, totalCount: user.count };
    },
    endAll: ({ userId, callerTags }, actor) =>
      database.transaction(async (connection) => {
        const valid = await connection.query(validSessions, [userId]);
        // The new epoch also ends a session that a concurrent refresh is adding.
        const [user] = await connection.query<{ principalId: number }>(
          `update anagrafe.users set sessions_epoch = sessions_epoch + 1
            where id = $1 and ${seesPrincipalId('principal_id', '$2')} returning principal_id as "principalId"`,
          [userId, callerTags],
        );
        if (!user) return null;
        await connection.query('delete from anagrafe.sessions where user_id = $1', [userId]);
        const details = { user: userId, sessions: valid.length };
        await openAuditLog(connection).note(actor, { action: 'sessions.ended', ...user, details });
        return valid.length;
      }),
    endOne: ({ userId, callerTags }, sessionId, actor) =>
      database.transaction(async (connection) => {
        await connection.query('select pg_advisory_xact_lock(hashtextextended($1::uuid::text, 0))', [
          sessionId,
        ]);
        const [user] = await connection.query<{ principalId: number }>(
          `select principal_id as "principalId" from anagrafe.users
            where id = $1 and exists (select from anagrafe.sessions where user_id = $1 and family = $2)
              and ${seesPrincipalId('principal_id', '$3')}`,
          [userId, sessionId, callerTags],
        );
        if (!user) return false;
        await endFamily(connection, sessionId);
        const details = { user: userId, sessions: 1 };
        await openAuditLog(connection).note(actor, { action: 'sessions.ended', ...user, details });
        return true;
      }),
  });
}

async function endFamily(connection: Connection, family: string): Promise<void> {
  await connection.query('delete from anagrafe.sessions where family = $1', [family]);
}
