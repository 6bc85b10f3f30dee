import { openAuditLog } from '../audit/audit.store.ts';
import type { Connection, Database } from '../db/database.ts';
import { storeWithApiErrors } from '../db/errors.ts';
import { bothActive } from '../db/lookups.ts';
import { readNewest } from '../db/paging.ts';
import { seesCaller, seesPrincipal, seesUserId } from '../db/visibility.ts';
import type { MailHistory, ResentMails, StoredMail } from './mail.ts';

/** Users whose mails are queued in one transaction. */
const usersAtOnce = 1000;

export function openMailHistory(database: Database): MailHistory {
  return storeWithApiErrors<MailHistory>({
    async list({ state, callId, run, userId, callerTags, ...page }) {
      const from = `from anagrafe.mails
        where user_id is not null and ($1::text is null or state = $1) and ($2::uuid is null or call_id = $2)
          and ($3::bigint is null or user_id = $3)
          and ($4::uuid is null or call_id in (select id from anagrafe.calls where run_id = $4))
          and ${seesUserId('user_id', '$5')}
          and (coalesce($2, $4) is null or ${seesCall('mails.call_id', '$5')})
        order by created_at desc, id`;
      const { rows: mails, totalCount } = await readNewest<StoredMail>(database, page, {
        from,
        values: [state, callId, userId, run, callerTags],
        select: (limited) =>
          `select mail.id, kind, mail.state, user_id as "userId", username, email, principal_id as "principalId",
                  case when ${seesCall('mail.call_id', '$5')} then call_id end as "callId", mail.created_at as "createdAt", attempts, settled_at as "settledAt", answer,
                  case when mail.state = 'pending' and next_at < 'infinity' then next_at end as "nextAt"
             from (select * ${limited}) as mail left join anagrafe.users on users.id = user_id
            order by mail.created_at desc, mail.id`,
      });
      return { mails, totalCount };
    },
    async resend(which, actor) {
      let count = 0;
      for (let after = 0, length = usersAtOnce; length === usersAtOnce; ) {
        const queued = await database.transaction(async (connection) => {
          const rows = await queueAgain(connection, which, after);
          if (rows.length === 0) return rows;
          await openAuditLog(connection).note(actor, {
            action: 'invitations.issued',
            callId: which.callId,
            details: { count: rows.length, invited: rows.map((userId) => [userId, 'email']) },
          });
          return rows;
        });
        after = queued.at(-1) ?? after;
        ({ length } = queued);
        count += length;
      }
      return count;
    },
  });
}

/** SQL: true if the caller may know the call that a mail is from. */
function seesCall(id: string, callerTags: string): string {
  return `(${callerTags}::text[] is null or exists (
    select from anagrafe.calls where calls.id = ${id} and ${seesCaller('calls.client_id', callerTags)}))`;
}

/** Queues the mails of the next users, and returns the IDs of these users in ascending order. */
async function queueAgain(
  connection: Connection,
  { callId, state, perMinute, callerTags }: ResentMails,
  after: number,
): Promise<number[]> {
  if (callId !== null)
    await connection.query(
      `insert into anagrafe.mail_waves as wave (call_id, per_minute, counted_from) select $1::uuid, $2::integer, now() where ${seesCall('$1::uuid', '$3')}
       on conflict (call_id) do update
          set per_minute = $2, counted_from = now(), released_at = greatest(wave.released_at, now())`,
      [callId, perMinute, callerTags],
    );
  const rows = await connection.query<{ userId: number }>(
    `with chosen as (
       select user_id, last.call_id from (
         select distinct on (user_id) user_id, call_id, state, created_at from anagrafe.mails
          where kind = 'invitation' and user_id > $1 and ($2::uuid is null or user_id in (
                  select user_id from anagrafe.mails where call_id = $2))
          order by user_id, created_at desc) as last
         join anagrafe.users on users.id = user_id join anagrafe.principals on principals.id = principal_id
        where last.state <> 'pending' and ($2::uuid is null or last.call_id = $2)
          and ($3::text is null or last.state = $3)
          and coalesce(password_changed_at < last.created_at, true) and users.email is not null and ${bothActive}
          and ${seesPrincipal('principals', '$5')} and ($2::uuid is null or ${seesCall('$2::uuid', '$5')})
        order by user_id limit ${usersAtOnce}
     ), replaced as (
       delete from anagrafe.mails using chosen
        where mails.user_id = chosen.user_id and kind = 'invitation' and state in ('failed', 'stopped')
     )
     insert into anagrafe.mails (kind, user_id, call_id, next_at)
     select 'invitation', user_id, call_id, case when $4::integer is null then now() else 'infinity' end from chosen
     on conflict (user_id, kind) where state = 'pending' do nothing
     returning user_id as "userId"`,
    [after, callId, state, perMinute, callerTags],
  );
  return rows.map(({ userId }) => userId).sort((one, other) => one - other);
}
