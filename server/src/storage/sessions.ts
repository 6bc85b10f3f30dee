import { randomUUID } from 'node:crypto';
import type { SignedInUser } from '../core/access/access.ts';
import type { Author } from '../core/journal/journal.ts';
import type {
  Account,
  NewSession,
  SessionLimits,
  SessionStore,
  StoredAccount,
} from '../core/sessions/session.ts';
import type { Connection, Database } from './database.ts';
import { reading } from './failures.ts';
import { authorColumns, authorPlaces, authorValues, openJournal } from './journal.ts';

/** Signed-in users and their tokens, of which only digests are kept. */
export function openSessions(database: Database, limits: SessionLimits): SessionStore {
  return {
    findAccount: (usernameKey) => reading(() => findAccount(database, 'username_key = $1', usernameKey)),
    findAccountById: (userId) => reading(() => findAccount(database, 'users.id = $1', userId)),
    begin: (account, session, newHash, author) =>
      reading(() => begin(database, account, session, newHash, author, limits)),
    exchange: (digest, next, author) => reading(() => exchange(database, digest, next, author, limits)),
    end: (digest, author) => reading(() => end(database, digest, author)),
  };
}

const accountColumns = `users.id as "userId", principal_id as "principalId", username, denomination, surname, name`;
const bothActive = `users.state = 'active' and principals.state = 'active'`;
const ofToday = 'user_epoch = users.sessions_epoch and principal_epoch = principals.sessions_epoch';
const usersOfPrincipals = 'anagrafe.users join anagrafe.principals on principals.id = principal_id';
const sessionsOfUsers =
  'anagrafe.sessions join anagrafe.users on users.id = user_id join anagrafe.principals on principals.id = principal_id';

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

export async function findSignedIn(
  database: Database,
  tokenDigest: Buffer,
): Promise<(SignedInUser & { username: string }) | null> {
  const [user] = await database.query<SignedInUser & { username: string }>(
    `select users.id, principal_id as "principalId", username
       from ${sessionsOfUsers}
      where token_digest = $1 and token_expires_at > now() and ${bothActive} and ${ofToday}`,
    [tokenDigest],
  );
  return user ?? null;
}

const lifetimes = (first: number) =>
  `now() + make_interval(mins => $${first}), now() + make_interval(days => $${first + 1})`;

async function begin(
  database: Database,
  account: StoredAccount,
  session: NewSession,
  newHash: string | null,
  author: Author,
  limits: SessionLimits,
): Promise<Date | null> {
  const [begun] = await database.query<{ expires: Date }>(
    `with account as (
       update anagrafe.users set last_login_at = now(), password_hash = coalesce($3, password_hash)
         from anagrafe.principals
        where users.id = $1 and password_hash = $2 and principals.id = principal_id and ${bothActive}
       returning users.id, principal_id, users.sessions_epoch as user_epoch, principals.sessions_epoch as principal_epoch
     ), noted as (
       insert into anagrafe.journal (${authorColumns}, action, principal_id, details)
       select ${authorPlaces(9)}, 'login', principal_id, jsonb_build_object('user', id) from account
     )
     insert into anagrafe.sessions
       (user_id, user_epoch, principal_epoch, family, token_digest, refresh_digest, token_expires_at, refresh_expires_at)
     select id, user_epoch, principal_epoch, $4::uuid, $5::bytea, $6::bytea, ${lifetimes(7)} from account
     returning token_expires_at as expires`,
    [
      account.userId,
      account.passwordHash,
      newHash,
      randomUUID(),
      session.tokenDigest,
      session.refreshDigest,
      limits.tokenMinutes,
      limits.refreshDays,
      ...authorValues({ ...author, userId: account.userId }),
    ],
  );
  return begun?.expires ?? null;
}

interface StoredSession {
  readonly id: number;
  readonly userId: number;
  readonly family: string;
  readonly spent: boolean;
}

async function exchange(
  database: Database,
  refreshDigest: Buffer,
  next: NewSession,
  author: Author,
  limits: SessionLimits,
): Promise<{ account: Account; expiresAt: Date } | null> {
  return database.transaction(async (connection) => {
    await lockFamily(connection, 'refresh_digest', refreshDigest);
    const [found] = await connection.query<StoredSession>(
      `select id, user_id as "userId", family, spent_at is not null as spent from anagrafe.sessions
        where refresh_digest = $1 and refresh_expires_at > now() for update`,
      [refreshDigest],
    );
    if (!found) return null;
    const by = { ...author, userId: found.userId };
    const journal = openJournal(connection);
    if (found.spent) {
      // Somebody else has had it: neither of the two can be told from the other.
      await endFamily(connection, found.family);
      await journal.note(by, { action: 'login.reused', details: { user: found.userId } });
      return null;
    }
    const [account] = await connection.query<Account>(
      `select ${accountColumns} from ${sessionsOfUsers}
        where sessions.id = $1 and ${bothActive} and ${ofToday}`,
      [found.id],
    );
    if (!account) return null;
    await connection.query('update anagrafe.sessions set spent_at = now() where id = $1', [found.id]);
    const [begun] = await connection.query<{ expires: Date }>(
      `insert into anagrafe.sessions
         (user_id, user_epoch, principal_epoch, family, token_digest, refresh_digest, token_expires_at, refresh_expires_at)
       select user_id, user_epoch, principal_epoch, family, $2, $3, ${lifetimes(4)}
         from anagrafe.sessions where id = $1 returning token_expires_at as expires`,
      [found.id, next.tokenDigest, next.refreshDigest, limits.tokenMinutes, limits.refreshDays],
    );
    const { principalId } = account;
    await journal.note(by, { action: 'login.refreshed', principalId, details: { user: found.userId } });
    return begun ? { account, expiresAt: begun.expires } : null;
  });
}

async function end(database: Database, tokenDigest: Buffer, author: Author): Promise<void> {
  await database.transaction(async (connection) => {
    await lockFamily(connection, 'token_digest', tokenDigest);
    const [found] = await connection.query<{ family: string; userId: number }>(
      'select family, user_id as "userId" from anagrafe.sessions where token_digest = $1',
      [tokenDigest],
    );
    if (!found) return;
    await endFamily(connection, found.family);
    await openJournal(connection).note(author, { action: 'logout', details: { user: found.userId } });
  });
}

/** What came of one sign-in is exchanged and ended one after the other, so that nobody ends it while it gets longer. */
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
