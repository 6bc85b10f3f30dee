import type { Database } from '../db/database.ts';
import { arrayLiteral, preparedStatement, rowsParameter, statement } from '../db/statement.ts';
import {
  appendAuditRows,
  byPrincipal,
  type ChangedUser,
  contextColumns,
  contextReaders,
  countUsers,
  type GroupSize,
  limitLockWaits,
  lockOfGroup,
  newUserValues,
  registeredUser,
  registerUsers,
  sizeOf,
  storeOutcomes,
} from './grouped-write.store.ts';
import { type WriteContext, type Written, withNames } from './outcome.ts';
import type { RecordChange } from './update.ts';
import type { NewPassword, NewUser } from './user-item.ts';

export const updatedRecords = rowsParameter('record', {
  principal_id: 'bigint',
  registered: 'text',
  reset: 'text',
  expected_hash: 'text',
  ...contextColumns,
});

const newPasswords = rowsParameter('new_password', {
  id: 'bigint',
  principal_id: 'bigint',
  password_hash: 'text',
});

/** A group that resets no password gets a shorter statement: PostgreSQL starts each part, also for no rows. */
type Resets = 'without' | 'with';

const lockedResets = (size: GroupSize) => `, new_password as materialized (
    select * from ${newPasswords.sql}
  ), known as materialized (
    -- Locked, so that none of them can be deleted or reset until the rest is written.
    select users.id, owner.id as principal_id
      from owner join new_password on new_password.principal_id = owner.id
           join anagrafe.users on users.id = new_password.id and users.principal_id = owner.id
     where users.password_hash = coalesce(expected_hash, users.password_hash)
     order by users.id for no key update of users ${lockOfGroup[size]}
  ), complete as (
    select owner.* from owner
      left join (select principal_id, count(*) from known group by principal_id) as found
             on found.principal_id = owner.id
     where resets = coalesce(found.count, 0)
  )`;

const resetUsers = `, reset_user as (
    update anagrafe.users as stored
       set password_hash = new_password.password_hash, password_changed_at = written_at, updated_at = written_at,
           sessions_epoch = sessions_epoch + 1
      from new_password join principal on principal.id = new_password.principal_id
     where stored.id = new_password.id
    returning stored.id, stored.principal_id, stored.username, stored.email
  ), ended_session as (
    delete from anagrafe.sessions where user_id = any(array(select id from reset_user))
  ), cleared_throttle as (
    delete from anagrafe.throttles where user_id = any(array(select id from reset_user))
  ), forgotten_source as (
    delete from anagrafe.sign_in_sources where user_id = any(array(select id from reset_user))
  )`;

const updateSql = (size: GroupSize, resets: Resets) => `
  with record as materialized (
    select * from ${updatedRecords.sql}${limitLockWaits[size]}
  ), owner as materialized (
    -- Counts instead of the lists: PostgreSQL copies this row into every row that "known" locks.
    select principals.id, cardinality(registered::bigint[]) as registrations, cardinality(reset::bigint[]) as resets,
           expected_hash
      from record join anagrafe.principals on principals.id = record.principal_id
     where state = 'active' or registered = '{}'
     order by principals.id for no key update of principals ${lockOfGroup[size]}
  )${resets === 'with' ? lockedResets(size) : ''}, principal as (
    update anagrafe.principals as stored
       set users_count = users_count + registrations,
           updated_at = greatest(updated_at + interval '1 microsecond', clock_timestamp())
      from ${resets === 'with' ? 'complete' : 'owner'} as found
     where stored.id = found.id
    returning stored.id, updated_at as written_at
  ), ${registerUsers}, ${countUsers('select id, 1 as amount from registered_user')}${resets === 'with' ? resetUsers : ''},
  ${appendAuditRows('update')}, ${storeOutcomes}
  ${
    resets === 'with'
      ? `select principal.id as "principalId", reset_user.id, username, email
           from principal left join reset_user on reset_user.principal_id = principal.id`
      : `select id as "principalId", null as id, null as username, null as email from principal`
  }`;

const updateStatements = {
  without: {
    single: preparedStatement('register users', updateSql('single', 'without')),
    group: statement(updateSql('group', 'without')),
  },
  with: {
    single: preparedStatement('update record', updateSql('single', 'with')),
    group: statement(updateSql('group', 'with')),
  },
};

/** A record with its users by what happens to them. */
interface RecordByOperation {
  readonly principalId: number;
  readonly context: WriteContext;
  readonly all: RecordChange['users'];
  readonly users: readonly NewUser[];
  readonly resets: readonly NewPassword[];
}

export const updatedRecordColumns = {
  principal_id: ({ principalId }: RecordByOperation) => principalId,
  registered: ({ users }: RecordByOperation) => arrayLiteral(users.map(({ id }) => id)),
  reset: ({ resets }: RecordByOperation) => arrayLiteral(resets.map(({ id }) => id)),
  expected_hash: ({ context }: RecordByOperation) => context.expectedCurrentHash,
  ...contextReaders(({ context, all }: RecordByOperation) => ({ context, users: all, outcome: null })),
};

interface UserReset {
  readonly principalId: number;
  readonly reset: NewPassword;
}

const newPasswordColumns = {
  id: ({ reset }: UserReset) => reset.id,
  principal_id: ({ principalId }: UserReset) => principalId,
  password_hash: ({ reset }: UserReset) => reset.passwordHash,
};

/** Registers users and resets passwords. A result is null if the record was left out. */
export async function updateRecords(
  database: Database,
  records: readonly RecordChange[],
): Promise<(Written | null)[]> {
  const split = records.map(
    ({ principalId, users, context }): RecordByOperation => ({
      principalId,
      context,
      all: users,
      users: users.filter((user) => user.operation === 'register'),
      resets: users.filter((user) => user.operation === 'reset'),
    }),
  );
  const resets = split.some((record) => record.resets.length > 0) ? 'with' : 'without';
  const rows = await database.execute<ChangedUser>(updateStatements[resets][sizeOf(records)], {
    ...updatedRecords.values(split, updatedRecordColumns),
    ...newPasswords.values(
      split.flatMap((record) => record.resets.map((reset) => ({ principalId: record.principalId, reset }))),
      newPasswordColumns,
    ),
    ...newUserValues(split),
  });
  const changed = byPrincipal(rows);
  return records.map(({ principalId, users }) => {
    const known = changed.get(principalId);
    if (!known) return null;
    const applied = users.map((user) =>
      user.operation === 'register' ? registeredUser(user) : withNames(user.id, 'reset', known),
    );
    return { id: principalId, users: applied };
  });
}
