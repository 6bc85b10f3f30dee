import { actorColumns, actorParameters, actorValues } from '../audit/audit.store.ts';
import type { Database } from '../db/database.ts';
import { storeWithApiErrors } from '../db/errors.ts';
import { bothActive } from '../db/lookups.ts';
import { ago, tableRule } from '../db/retention.ts';
import { statement } from '../db/statement.ts';
import type { CodeHolder, PasswordStore } from './password.ts';

/** Hours after which the mail to a user who has forgotten its password is no longer sent. */
const forgottenHours = 1;

export const passwordRetention = [
  tableRule({ table: 'password_codes', condition: `expires_at <= ${ago(0)}` }),
  tableRule({
    kind: 'forgotten_passwords',
    table: 'mails',
    condition: `kind = 'forgotten' and created_at <= now() - interval '${forgottenHours} hours'`,
  }),
];

/**
 * One statement, whether or not the account exists, so that the time of the answer does not reveal which accounts exist. The
 * worker that sends the mail decides whether the account gets one.
 */
const requestMailStatement = statement(`with requested as (
     insert into anagrafe.mails as pending (kind, user_id, lists_accounts) values ('forgotten', :userId::bigint, :listsAccounts)
     on conflict (user_id, kind) where state = 'pending' do update
        set created_at = now(), lists_accounts = pending.lists_accounts or excluded.lists_accounts
   )
   insert into anagrafe.audit_log (${actorColumns}, action, details)
   values (${actorParameters}, 'password.forgotten', jsonb_build_object('user', :userId::bigint))`);

export function openPasswords(database: Database): PasswordStore {
  return storeWithApiErrors<PasswordStore>({
    async findUser(name) {
      const [condition, value] =
        'usernameKey' in name
          ? ['username_key = $1', name.usernameKey]
          : ['email is not null and lower(email collate "C") = $1', name.email];
      const [user] = await database.query<{ id: number }>(
        `select id from anagrafe.users where ${condition} order by id limit 1`,
        [value],
      );
      return user?.id ?? null;
    },
    requestMail: (userId, { listsAccounts, actor }) =>
      database.execute(requestMailStatement, { userId, listsAccounts, ...actorValues(actor) }),
    async findByCode(digest) {
      const [holder] = await database.query<CodeHolder>(
        `select users.id as "userId", principal_id as "principalId", username, password_hash as "passwordHash"
           from anagrafe.password_codes join anagrafe.users on users.id = user_id
                join anagrafe.principals on principals.id = principal_id
          where digest = $1 and expires_at > now() and ${bothActive}`,
        [digest],
      );
      return holder ?? null;
    },
    async earlierHashes(userId, count) {
      const rows = await database.query<{ hash: string }>(
        `select password_hash as hash from anagrafe.password_history
          where user_id = $1 order by id desc limit $2`,
        [userId, count],
      );
      return rows.map(({ hash }) => hash);
    },
  });
}
