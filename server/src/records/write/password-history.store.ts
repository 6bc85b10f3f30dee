import { type Query, statement } from '../../db/statement.ts';
import { resetUsers } from './change.ts';
import { deletedIn, usersAndThoseOfPrincipals, withUsers } from './sign-ins.store.ts';
import { withIds } from './statement-values.ts';
import type { WritableChange } from './writable-change.ts';

// The earlier password hashes of users, which they may not choose again; see ANAGRAFE_PASSWORD_HISTORY.

const keepHistoryStatement = statement(
  `insert into anagrafe.password_history (user_id, password_hash)
   select id, password_hash from anagrafe.users
    where id = any(:ids::bigint[]) and password_hash is not null order by id`,
);
const trimHistoryStatement = statement(
  `delete from anagrafe.password_history where id in (
     select id from (select id, row_number() over (partition by user_id order by id desc) as age
                       from anagrafe.password_history where user_id = any(:ids::bigint[])) as kept
      where age > :passwordsKept::integer)`,
);

/** Stores the hashes that are about to be replaced. Must precede the resets and edits. */
export function keepHistory(changes: readonly WritableChange[], passwordsKept: number): Query[] {
  if (passwordsKept === 0) return [];
  const users = changes.flatMap(resetUsers);
  return [
    ...withIds(keepHistoryStatement, users),
    ...withIds(trimHistoryStatement, users, { passwordsKept }),
  ];
}

const eraseHistoryStatement = statement(
  `delete from anagrafe.password_history where user_id = any(${usersAndThoseOfPrincipals})`,
);

export function eraseHistory(changes: readonly WritableChange[]): Query[] {
  return withUsers(eraseHistoryStatement, deletedIn(changes));
}
