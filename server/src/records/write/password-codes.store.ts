import type { Connection } from '../../db/database.ts';
import { arrayLiteral, type Query, rowsParameter, statement } from '../../db/statement.ts';
import type { IssuedCode } from '../../passwords/password-code.ts';
import { usersTo } from './change.ts';
import { deletedIn, usersAndThoseOfPrincipals, usersWithoutAccess, withUsers } from './sign-ins.store.ts';
import { idOf, withRows } from './statement-values.ts';
import type { ReadyInvitation, WritableChange } from './writable-change.ts';

// The codes with which users set their passwords. The caller that issues codes holds locks of the users, so that they
// cannot be deleted or disabled at the same time.

const newCodes = rowsParameter('issued', {
  user_id: 'bigint',
  kind: 'text',
  channel: 'text',
  mail_id: 'uuid',
  digest: 'text',
  issued_at: 'text',
  expires_at: 'text',
});

const endReplacedStatement = statement(
  `delete from anagrafe.password_codes as code using ${newCodes.sql}
    where code.user_id = issued.user_id and (code.kind = issued.kind or issued.kind = 'invitation')
      and (issued.mail_id is null or code.mail_id is distinct from issued.mail_id)`,
);
const issueCodesStatement = statement(
  `insert into anagrafe.password_codes (user_id, kind, channel, mail_id, digest, issued_at, expires_at)
   select user_id, kind, channel, mail_id, decode(digest, 'hex'), issued_at::timestamptz, expires_at::timestamptz
     from ${newCodes.sql}`,
);

export type CodeKind = 'invitation' | 'forgotten';

/** A code that its user gets in an answer, on paper or in a mail. */
interface UserCode {
  readonly userId: number;
  readonly code: IssuedCode;
  readonly kind: CodeKind;
  /** The mail with the code; null for a code that is not mailed. */
  readonly mailId: string | null;
}

const codeColumns = {
  user_id: ({ userId }: UserCode) => userId,
  kind: ({ kind }: UserCode) => kind,
  channel: ({ mailId }: UserCode) => (mailId === null ? 'code' : 'email'),
  mail_id: ({ mailId }: UserCode) => mailId,
  digest: ({ code }: UserCode) => code.digest.toString('hex'),
  issued_at: ({ code }: UserCode) => code.issuedAt.toISOString(),
  expires_at: ({ code }: UserCode) => code.expiresAt.toISOString(),
};

/**
 * Stores codes in the transaction of `connection`, which has locked the users. Their earlier codes end, except those of
 * the same mail.
 */
export async function issueCodes(connection: Connection, codes: readonly UserCode[]): Promise<void> {
  for (const { statement: sql, values } of queriesToIssue(codes)) await connection.execute(sql, values);
}

function queriesToIssue(codes: readonly UserCode[]): Query[] {
  const values = newCodes.values(codes, codeColumns);
  return [...withRows(endReplacedStatement, codes, values), ...withRows(issueCodesStatement, codes, values)];
}

const newMails = rowsParameter('invited', { user_id: 'bigint', call_id: 'uuid' });

const queueMailsStatement = statement(
  `insert into anagrafe.mails as pending (user_id, kind, call_id, next_at)
   select user_id, 'invitation', call_id,
          case when exists (select from anagrafe.mail_waves as wave
                             where wave.call_id = invited.call_id and per_minute is not null)
               then 'infinity' else now() end
     from ${newMails.sql} order by user_id
   on conflict (user_id, kind) where state = 'pending' do update
      set call_id = excluded.call_id, created_at = now(), attempts = 0, next_at = excluded.next_at`,
);

/** The new mail replaces one that has not arrived. */
const replaceMailsStatement = statement(
  `delete from anagrafe.mails using ${newMails.sql}
    where mails.user_id = invited.user_id and kind = 'invitation' and state in ('failed', 'stopped')`,
);

interface InvitedUser extends ReadyInvitation {
  readonly callId: string | null;
}

/** Stores the codes that the change issues, and the mails whose codes are issued when they are sent. */
export function inviteUsers(changes: readonly WritableChange[]): Query[] {
  const invited = changes.flatMap(({ invitations, context }) =>
    invitations.map((invitation): InvitedUser => {
      return { ...invitation, callId: context.call?.id ?? null };
    }),
  );
  const codes = invited.flatMap(({ userId, code }) =>
    code ? [{ userId, code, kind: 'invitation' as const, mailId: null }] : [],
  );
  const mails = invited.filter(({ channel }) => channel === 'email');
  const mailColumns = {
    user_id: ({ userId }: InvitedUser) => userId,
    call_id: ({ callId }: InvitedUser) => callId,
  };
  return [
    ...queriesToIssue(codes),
    ...withRows(replaceMailsStatement, mails, newMails.values(mails, mailColumns)),
    ...withRows(queueMailsStatement, mails, newMails.values(mails, mailColumns)),
  ];
}

const endCodesStatement = statement(
  `delete from anagrafe.password_codes where user_id = any(${usersAndThoseOfPrincipals})`,
);
const endMailsStatement = statement(
  `delete from anagrafe.mails where user_id = any(${usersAndThoseOfPrincipals}) and state = 'pending'`,
);
const eraseMailsStatement = statement(
  `delete from anagrafe.mails where user_id = any(${usersAndThoseOfPrincipals})`,
);
/** A code in a mail that went to an earlier address, which may have been a wrong one. */
const endMailedCodesStatement = statement(
  `delete from anagrafe.password_codes where user_id = any(:ids::bigint[]) and channel = 'email'`,
);

/**
 * Ends the codes and pending mails of users that are disabled or deleted, or whose password is set, and the mailed codes
 * of users whose address changes.
 */
export function endCodes(changes: readonly WritableChange[]): Query[] {
  const ended = usersWithoutAccess(changes);
  const readdressed = changes.flatMap((change) =>
    usersTo(change, 'edit').filter(({ changed }) => changed.includes('Email')),
  );
  return [
    ...withUsers(endCodesStatement, ended),
    ...withUsers(endMailsStatement, ended),
    ...withUsers(eraseMailsStatement, deletedIn(changes)),
    ...withRows(endMailedCodesStatement, readdressed, { ids: arrayLiteral(readdressed.map(idOf)) }),
  ];
}
