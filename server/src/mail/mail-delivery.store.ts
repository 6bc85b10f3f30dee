import type { Connection, Database } from '../db/database.ts';
import { withApiErrors } from '../db/errors.ts';
import { bothActive } from '../db/lookups.ts';
import { ago, tableRule } from '../db/retention.ts';
import { rowsParameter, statement } from '../db/statement.ts';
import type { CodeKind } from '../records/write/password-codes.store.ts';
import { issueCodes } from '../records/write/password-codes.store.ts';
import type { MailedUser } from './compose.ts';
import type { MailAttempt, MailDeliveryStore, PreparedMail } from './deliver.ts';

/** Users with the same address that a mail lists. */
const listedAtMost = 20;
/** Failed mails of a call that never stop the others. */
const alwaysMayFail = 20;

export const mailRetention = [
  tableRule({ table: 'mails', condition: `settled_at <= ${ago(':jobDays')}` }),
  tableRule({
    table: 'mail_waves',
    condition: `created_at <= ${ago(':jobDays')} and not exists (
      select from anagrafe.mails where mails.call_id = mail_waves.call_id)`,
  }),
];

export function openMailDelivery(database: Database): MailDeliveryStore {
  return {
    prepare: (limit, issueCode) =>
      withApiErrors(() => database.transaction((connection) => prepare(connection, limit, issueCode))),
    settle: (attempted, maxFailed) =>
      withApiErrors(() => database.transaction((connection) => settle(connection, attempted, maxFailed))),
  };
}

export async function hasDueMails(database: Database): Promise<boolean> {
  const due = await database.query(
    `select from anagrafe.mails where state = 'pending' and next_at <= now() limit 1`,
  );
  return due.length > 0;
}

/** Seconds whose mails of a slowed job may be released at once, so that a job that has paused sends no burst. */
const releasedSeconds = 5;

/** Makes the mails of slowed jobs due, `per_minute` of each job in a minute. */
export async function releaseWaves(database: Database): Promise<void> {
  await database.query(
    `with wave as (
       select call_id, per_minute,
              greatest(released_at, now() - make_interval(secs => greatest(60.0 / per_minute + 1, ${releasedSeconds})))
                as reached
         from anagrafe.mail_waves
        where per_minute is not null and exists (
                select from anagrafe.mails
                 where mails.call_id = mail_waves.call_id and state = 'pending' and next_at = 'infinity')
          for update skip locked
     ), released as (
       select call_id, per_minute, reached, floor(extract(epoch from now() - reached) * per_minute / 60)::integer as count
         from wave where reached < now()
     ), made_due as (
       update anagrafe.mails set next_at = now() where id in (
         select next.id from released cross join lateral (
                  select id from anagrafe.mails
                   where call_id = released.call_id and state = 'pending' and next_at = 'infinity'
                   order by created_at, id limit released.count) as next)
     )
     update anagrafe.mail_waves as own set released_at = reached + make_interval(secs => count * 60.0 / released.per_minute)
       from released where own.call_id = released.call_id and count > 0`,
  );
}

interface DueRow {
  readonly id: string;
  readonly kind: CodeKind;
  readonly userId: number | null;
  readonly listsAccounts: boolean;
  readonly attempts: number;
}

type UserRow = Omit<MailedUser, 'code'>;

const dueColumns = 'id, kind, user_id as "userId", lists_accounts as "listsAccounts", attempts';

async function prepare(
  connection: Connection,
  limit: number,
  issueCode: Parameters<MailDeliveryStore['prepare']>[1],
): ReturnType<MailDeliveryStore['prepare']> {
  const due = await connection.query<DueRow>(
    `select ${dueColumns} from anagrafe.mails where state = 'pending' and next_at <= now()
      order by kind, next_at, id limit $1`,
    [limit],
  );
  if (due.length === 0) return { mails: [], more: false };
  const listed = await usersWithSameAddress(connection, due);
  const userIds = [...new Set([...due.flatMap(({ userId }) => userId ?? []), ...listed.values()].flat())];
  const users = await lockUsers(connection, userIds);
  // The change that has held a lock may have ended the mail.
  const pending = await connection.query<{ id: string }>(
    `select id from anagrafe.mails where id = any($1) and state = 'pending'`,
    [due.map(({ id }) => id)],
  );
  const stillDue = new Set(pending.map(({ id }) => id));
  const mails = due.flatMap((mail): PreparedMail[] => {
    const [first, ...others] = [mail.userId ?? 0, ...(listed.get(mail.userId ?? 0) ?? [])].flatMap(
      (id) => users.get(id) ?? [],
    );
    if (!first || !stillDue.has(mail.id)) return [];
    const withCode = (user: UserRow) => ({ ...user, code: issueCode(mail.kind) });
    const { id, kind, attempts } = mail;
    return [{ id, kind, attempts, users: [withCode(first), ...others.map(withCode)] }];
  });
  await issueCodes(
    connection,
    mails.flatMap(({ id, kind, users: mailed }) =>
      mailed.map(({ userId, code }) => ({ userId, code, kind, mailId: id })),
    ),
  );
  const kept = new Set(mails.map(({ id }) => id));
  await connection.query('delete from anagrafe.mails where id = any($1)', [
    due.flatMap(({ id }) => (kept.has(id) ? [] : id)),
  ]);
  return { mails, more: true };
}

/** Returns the other users with the address, by the user of each mail that lists them. */
async function usersWithSameAddress(
  connection: Connection,
  due: readonly DueRow[],
): Promise<Map<number, number[]>> {
  const ids = due.flatMap(({ userId, listsAccounts }) => (listsAccounts && userId !== null ? [userId] : []));
  const rows =
    ids.length === 0
      ? []
      : await connection.query<{ userId: number; others: number[] }>(
          `select own.id as "userId", array(
                    select id from anagrafe.users as other
                     where other.email is not null and other.id <> own.id
                       and lower(other.email collate "C") = lower(own.email collate "C")
                     order by id limit ${listedAtMost - 1})::text[]::bigint[] as others
             from anagrafe.users as own where own.id = any($1)`,
          [ids],
        );
  return new Map(rows.map(({ userId, others }) => [userId, others.map(Number)]));
}

/** Locks the users that may get mail. Principals come before users, as for every write. */
async function lockUsers(
  connection: Connection,
  ids: readonly number[],
): Promise<ReadonlyMap<number, UserRow>> {
  await connection.query(
    `select from anagrafe.principals
      where id in (select principal_id from anagrafe.users where id = any($1)) order by id for share`,
    [ids],
  );
  const rows = await connection.query<UserRow>(
    `select users.id as "userId", username, users.email, first_name as "firstName", last_name as "lastName", language,
            coalesce(denomination, nullif(concat_ws(' ', name, surname), '')) as "principalName"
       from anagrafe.users join anagrafe.principals on principals.id = principal_id
      where users.id = any($1) and users.email is not null and ${bothActive}
      order by users.id for no key update of users`,
    [ids],
  );
  return new Map(rows.map((row) => [row.userId, row]));
}

const attemptedRows = rowsParameter('attempted', {
  id: 'uuid',
  state: 'text',
  wait: 'integer',
  answer: 'text',
});

const settleStatement = statement(
  `update anagrafe.mails
      set state = attempted.state, attempts = attempts + 1, answer = attempted.answer,
          settled_at = case when attempted.state <> 'pending' then now() end,
          next_at = now() + make_interval(secs => coalesce(wait, 0))
     from ${attemptedRows.sql}
    where mails.id = attempted.id
      and (mails.state = 'pending' or mails.state = 'stopped' and attempted.state <> 'pending')
   returning case when mails.state = 'failed' then call_id end as "callId"`,
);

async function settle(
  connection: Connection,
  attempted: readonly MailAttempt[],
  maxFailed: number,
): Promise<string[]> {
  const settled = await connection.execute<{ callId: string | null }>(
    settleStatement,
    attemptedRows.values(attempted, {
      id: ({ id }) => id,
      state: ({ state }) => state,
      wait: ({ waitSeconds }) => waitSeconds,
      answer: ({ answer }) => answer,
    }),
  );
  const failed = [...new Set(settled.flatMap(({ callId }) => callId ?? []))];
  return failed.length === 0 ? [] : stopCalls(connection, failed, maxFailed);
}

async function stopCalls(
  connection: Connection,
  callIds: readonly string[],
  maxFailed: number,
): Promise<string[]> {
  const stopped = await connection.query<{ callId: string }>(
    `with counted as (
       select call_id, count(*) as settled, count(*) filter (where state = 'failed') as failed
         from anagrafe.mails left join anagrafe.mail_waves using (call_id)
        where call_id = any($1) and state in ('sent', 'failed')
          and settled_at > coalesce(counted_from, '-infinity')
        group by call_id
     )
     update anagrafe.mails set state = 'stopped', settled_at = now() from counted
      where mails.call_id = counted.call_id and state = 'pending'
        and failed > ${alwaysMayFail} and failed * 100 > settled * $2
     returning mails.call_id as "callId"`,
    [callIds, maxFailed],
  );
  return [...new Set(stopped.map(({ callId }) => callId))];
}
