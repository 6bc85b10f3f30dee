import { randomUUID } from 'node:crypto';
import { openAuditLog } from '../audit/audit.store.ts';
import type { Actor } from '../audit/audit-log.ts';
import type { Connection, Database } from '../db/database.ts';
import { bothActive } from '../db/lookups.ts';
import { readGroup } from '../db/paging.ts';
import { type CallerTags, seesPrincipal } from '../db/visibility.ts';
import { inGroups } from '../lib/in-groups.ts';
import type { CodeIssuer } from '../passwords/password-code.ts';
import type { OutcomeUserJson } from '../records/write/call-outcomes.store.ts';
import { issueCodes } from '../records/write/password-codes.store.ts';
import type { InvitedUser, JobInvitation } from './job-invitations.ts';

/** Records that are read at once, and their users, unless one record has more. */
const atOnce = { records: 500, users: 5000 };
/** Users that get their codes in one transaction. */
const usersPerTransaction = 500;

/** An invited user in the outcome of a record. */
type Invited = Pick<JobInvitation, 'position' | 'userId' | 'isNew'>;

interface IssueOptions {
  readonly issueCode: CodeIssuer;
  readonly actor: Actor;
  /** Users that the caller does not see any more count as deleted. */
  readonly callerTags: CallerTags;
}

export type JobInvitationStore = ReturnType<typeof openJobInvitations>;

export function openJobInvitations(database: Database) {
  return {
    /**
     * Issues new codes to the users that the job has invited with `Invite: "code"`, in the order of the records, in groups:
     * each when the one before has been read. Earlier codes of these users end. Another call for the same job ends this one
     * with an error, because its codes replace those of this one.
     */
    async *issue(
      jobId: string,
      { issueCode, actor, callerTags }: IssueOptions,
    ): AsyncGenerator<readonly JobInvitation[]> {
      const id = randomUUID();
      await database.query('update anagrafe.calls set invitations_id = $2 where id = $1', [jobId, id]);
      for await (const invited of invitedUsers(database, jobId)) {
        for (const group of inGroups(invited, usersPerTransaction, () => 1)) {
          yield await database.transaction(async (connection) => {
            const current = await connection.query(
              'select from anagrafe.calls where id = $1 and invitations_id = $2 for share',
              [jobId, id],
            );
            if (current.length === 0)
              throw new Error('another request issues the codes of the job, so those of this one have ended');
            const issued = await invitationsOf(connection, jobId, group, { issueCode, callerTags });
            const codes = issued.flatMap(({ userId, code }) =>
              code ? [{ userId, code, kind: 'invitation' as const, mailId: null }] : [],
            );
            await issueCodes(connection, codes);
            const details = { count: codes.length, invited: codes.map(({ userId }) => [userId, 'code']) };
            await openAuditLog(connection).note(actor, {
              action: 'invitations.issued',
              callId: jobId,
              details,
            });
            return issued;
          });
        }
      }
    },
  };
}

/** Yields the users that the records have invited with `Invite: "code"`. */
async function* invitedUsers(database: Database, jobId: string): AsyncGenerator<Invited[]> {
  for (let after = -1; ; ) {
    const rows = await readGroup(() =>
      database.query<{ position: number; applied: readonly OutcomeUserJson[] }>(
        `with next as (
           select position, row_number() over next_first as number, sum(users) over next_first as total
             from anagrafe.outcomes where call_id = $1 and position > $2 and applied is not null
           window next_first as (order by position) order by position limit ${atOnce.records}
         )
         select position, applied from anagrafe.outcomes join next using (position)
          where call_id = $1 and (total <= ${atOnce.users} or number = 1) order by position`,
        [jobId, after],
      ),
    );
    const last = rows.at(-1);
    if (!last) return;
    yield rows.flatMap(({ position, applied }) =>
      applied
        .filter(([, , , , , invite]) => invite?.[0] === 'code')
        .map(([userId, operation]) => ({ position, userId, isNew: operation === 'register' })),
    );
    after = last.position;
  }
}

interface UserRow extends InvitedUser {
  readonly id: number;
  readonly active: boolean;
  readonly hasNewPassword: boolean;
}

/** Locks the users, and issues a code to each that has not set its password since the job was submitted. */
async function invitationsOf(
  connection: Connection,
  jobId: string,
  invited: readonly Invited[],
  { issueCode, callerTags }: Pick<IssueOptions, 'issueCode' | 'callerTags'>,
): Promise<JobInvitation[]> {
  const ids = invited.map(({ userId }) => userId);
  // Before the users, as for every write: a principal that is disabled at the same time would miss these codes.
  await connection.query(
    `select from anagrafe.principals
      where id in (select principal_id from anagrafe.users where id = any($1)) order by id for share`,
    [ids],
  );
  const rows = await connection.query<UserRow>(
    `select users.id, principal_id as "principalId", external_key as "externalKey", denomination, username, users.email,
            first_name as "firstName", last_name as "lastName", language, ${bothActive} as active,
            coalesce(password_changed_at > (select submitted_at from anagrafe.calls where id = $2), false)
              as "hasNewPassword"
       from anagrafe.users join anagrafe.principals on principals.id = principal_id
      where users.id = any($1) and ${seesPrincipal('principals', '$3')} order by users.id for no key update of users`,
    [ids, jobId, callerTags],
  );
  const users = new Map(rows.map((row) => [row.id, row]));
  return invited.map((own) => {
    const user = users.get(own.userId) ?? null;
    const skipped = skippedReason(user);
    return { ...own, user, code: skipped === null ? issueCode() : null, skipped };
  });
}

function skippedReason(user: UserRow | null): JobInvitation['skipped'] {
  if (!user) return 'deleted';
  if (!user.active) return 'disabled';
  return user.hasNewPassword ? 'password_set' : null;
}
