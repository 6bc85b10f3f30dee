import { actorColumns } from '../audit/audit.store.ts';
import type { Connection, Database } from '../db/database.ts';
import { preparedStatement, statement } from '../db/statement.ts';
import { type ChangeKind, isUnchanged, kindOf, type PrincipalChange, takesLong } from './change.ts';
import {
  changedRecords,
  changedUsers,
  changeParameters,
  principalOutcome,
} from './change-parameters.store.ts';
import { columnNames, columnTypes } from './field-columns.ts';
import { principalFields, userFields } from './fields.ts';
import {
  auditRowNumbers,
  auditRowSlice,
  countPrincipals,
  countUsers,
  type GroupSize,
  inAuditRow,
  limitLockWaits,
  lockOfGroup,
  registerUsers,
  sizeOf,
  storeOutcomes,
  unstoredPosition,
} from './grouped-write.store.ts';
import { insertPrincipals } from './insert.store.ts';
import type { NewPrincipal } from './insert.ts';
import type { Written } from './outcome.ts';
import { eraseFailedRecords } from './outcomes.store.ts';

/**
 * SQL for the version of a principal: `updated_at` in microseconds, which a JavaScript date cannot hold. Every change
 * of the principal or of one of its users increases it.
 */
export function versionOf(table: string): string {
  return `(extract(epoch from ${table}.updated_at) * 1000000)::bigint::text`;
}

/** SQL that sets the columns of the fields where the condition for the column is true. */
const assign = (
  table: Parameters<typeof columnTypes>[0],
  source: string,
  conditionFor: (column: string) => string,
) =>
  Object.keys(columnTypes(table))
    .map(
      (column) =>
        `${column} = case when ${conditionFor(column)} then ${source}.${column} else stored.${column} end`,
    )
    .join(', ');
const setsColumn = (column: string) => (column === 'attributes' ? 'sets_attributes' : 'sets_fields');

/** The numbers of users of a record, for the audit rows; see `appendAuditRows`. */
const registeredCount = 'cardinality(named.registered)';
const resetCount = `${registeredCount} + cardinality(named.reset)`;
const editedCount = `${resetCount} + jsonb_array_length(named.edited)`;
const namedCount = `${editedCount} + cardinality(named.deleted)`;
const edited = auditRowSlice(resetCount);

/**
 * Common table expression for names that the records change. Failed records that mention the earlier name then mention
 * the ID as well, by which a later deletion finds them.
 */
const renamed = `renamed as materialized (
    select ('name:' || known.username_key) collate "C" as earlier, ('user:' || known.id) collate "C" as mention
      from known join changed_user on changed_user.id = known.id join principal on principal.id = known.principal_id
     where changed_user.username_key <> known.username_key
    union all
    select ('key:' || complete.external_key) collate "C", ('principal:' || complete.id) collate "C"
      from complete join record on record.principal_id = complete.id
     where record.step = 'edit' and complete.external_key is distinct from record.external_key
       and complete.external_key is not null
  )`;

/** A changed external key needs a lock that an equal one must not take; PostgreSQL compares the stored bytes. */
const editsColumn = (column: string) =>
  column === 'external_key'
    ? `record.step = 'edit' and record.external_key is distinct from stored.external_key`
    : `record.step = 'edit'`;

/**
 * The locks of principals and users by the kind of the change. A large record holds `for key share` on its principal,
 * and a sign-in that inserts a session on its user. A change that deletes or renames needs the full lock in the end, so
 * it takes it from the start, and waits for these. One that registers users waits for the large record, too: it would
 * otherwise hold the principal while it waits for a username of that record.
 */
const locks: Readonly<Record<ChangeKind, { readonly principals: string; readonly users: string }>> = {
  edit: { principals: 'for no key update', users: 'for no key update' },
  register: { principals: 'for update', users: 'for no key update' },
  rename: { principals: 'for update', users: 'for update' },
};

const changeSql = (size: GroupSize, kind: ChangeKind) => `
  with record as materialized (
    select * from ${changedRecords.sql}${limitLockWaits[size]}
  ), changed_user as materialized (
    select * from ${changedUsers.sql}
  ), owner as materialized (
    select principals.id, principals.external_key, record.step, cardinality(registered::bigint[]) as registrations,
           existing, deleted, expected_hash
      from record join anagrafe.principals on principals.id = record.principal_id
     where step in ('edit', 'keep', 'delete')
       and (expected_version is null or expected_version = ${versionOf('principals')})
       -- The checks of a record with a version have compared the stored state.
       and (expected_version is not null or principals.state = 'active' or registered = '{}')
     order by principals.id ${locks[kind].principals} of principals ${lockOfGroup[size]}
  ), known as materialized (
    select users.id, owner.id as principal_id, users.username_key
      from owner join changed_user on changed_user.principal_id = owner.id
           join anagrafe.users on users.id = changed_user.id and users.principal_id = owner.id
     where users.password_hash = coalesce(expected_hash, users.password_hash)
     order by users.id ${locks[kind].users} of users ${lockOfGroup[size]}
  ), complete as materialized (
    select owner.* from owner
      left join (select principal_id, count(*) from known group by principal_id) as found
             on found.principal_id = owner.id
     where existing = coalesce(found.count, 0)
  ), inserted_principal as (
    insert into anagrafe.principals (id, ${columnNames(principalFields)}, state, search_terms, users_count)
    select principal_id, ${columnNames(principalFields)}, state, array_to_tsvector(search_terms::text[]),
           cardinality(registered::bigint[])
      from record where step = 'insert' order by external_key, principal_id
    returning id, updated_at as written_at
  ), updated_principal as (
    update anagrafe.principals as stored
       set ${assign(principalFields, 'record', editsColumn)},
           state = coalesce(record.state, stored.state),
           search_terms = case when record.step = 'edit' then array_to_tsvector(record.search_terms::text[])
                               else stored.search_terms end,
           sessions_epoch = sessions_epoch + case when record.state = 'disabled' and stored.state = 'active' then 1 else 0 end,
           users_count = users_count + registrations - cardinality(complete.deleted::bigint[]),
           updated_at = greatest(updated_at + interval '1 microsecond', clock_timestamp())
      from complete join record on record.principal_id = complete.id
     where stored.id = complete.id and complete.step <> 'delete'
    returning stored.id, updated_at as written_at, record.state
  ), deleted_principal as (
    delete from anagrafe.principals where id = any(array(select id from complete where step = 'delete'))
    returning id, external_key, clock_timestamp() as written_at
  ), principal as materialized (
    select id, written_at from inserted_principal
    union all select id, written_at from updated_principal
    union all select id, written_at from deleted_principal
    -- An earlier record of the same call may have changed the values that this record was equal to.
    union all select principal_id, null from record
     where step = 'none' and (expected_version is null or exists (
       select from anagrafe.principals where id = principal_id and expected_version = ${versionOf('principals')}))
  ), ${registerUsers}, updated_user as (
    update anagrafe.users as stored
       set username = coalesce(changed_user.username, stored.username),
           username_key = coalesce(changed_user.username_key, stored.username_key),
           ${assign(userFields, 'changed_user', setsColumn)},
           state = coalesce(changed_user.state, stored.state),
           password_hash = coalesce(changed_user.password_hash, stored.password_hash),
           password_changed_at = case when changed_user.password_hash is null then password_changed_at
                                      else written_at end,
           sessions_epoch = sessions_epoch + case
             when changed_user.password_hash is not null then 1
             when changed_user.state = 'disabled' and stored.state = 'active' then 1
             else 0 end,
           updated_at = written_at
      from changed_user join principal on principal.id = changed_user.principal_id
     where stored.id = changed_user.id and not deletes
    returning stored.id, changed_user.password_hash is not null as is_reset, stored.state
  ), deleted_user as (
    delete from anagrafe.users as stored
     using changed_user join principal on principal.id = changed_user.principal_id
     where stored.id = changed_user.id and deletes
    returning stored.id, stored.username_key
  ), user_of_deleted_principal as (
    delete from anagrafe.users where principal_id = any(array(select id from deleted_principal))
    returning id, username_key, principal_id
  ), gone_user as materialized (
    select id, username_key from deleted_user union all select id, username_key from user_of_deleted_principal
  ), ${countUsers(`select id, 1 as amount from registered_user union all select id, -1 from gone_user`)},
  ${countPrincipals(`select id, 1 as amount from inserted_principal union all select id, -1 from deleted_principal`)},
  ended_session as (
    delete from anagrafe.sessions
     where user_id = any(array(
       select id from gone_user
       union all select id from updated_user where is_reset or state = 'disabled'
       union all select users.id from anagrafe.users
        where principal_id = any(array(select id from updated_principal where state = 'disabled'))))
  ), cleared_throttle as (
    delete from anagrafe.throttles
     where user_id = any(array(select id from gone_user union all select id from updated_user where is_reset))
  ), forgotten_source as (
    delete from anagrafe.sign_in_sources
     where user_id = any(array(select id from gone_user union all select id from updated_user where is_reset))
  ), named as materialized (
    select record.index, registered::bigint[], reset::bigint[], coalesce(gone.users, deleted::bigint[]) as deleted,
           coalesce(details::jsonb -> 'users', '[]') as edited, details::jsonb - 'users' as others
      from record left join (
             select principal_id, array_agg(id order by id) as users from user_of_deleted_principal group by principal_id
           ) as gone on gone.principal_id = record.principal_id
     where step <> 'none'
  ), audit as (
    insert into anagrafe.audit_log (${actorColumns}, action, principal_id, registered, reset, deleted, details)
    select ${actorColumns}, case when number = 0 then action else 'update' end, principal.id,
           ${inAuditRow('named.registered', '0')}, ${inAuditRow('named.reset', registeredCount)},
           ${inAuditRow('named.deleted', editedCount)},
           nullif(
             case when number = 0 then others else others - array['changed', 'state'] end
             || jsonb_strip_nulls(jsonb_build_object(
               'users', nullif(jsonb_path_query_array(edited, '$[$first to $last]', jsonb_build_object(
                 'first', ${edited.first} - 1, 'last', ${edited.last} - 1)), '[]'),
               'position', case when number = 0 then ${unstoredPosition} end)),
             '{}')
      from record join principal on principal.id = record.principal_id
           join named on named.index = record.index
           cross join lateral ${auditRowNumbers(namedCount)}
     order by record.index, number
  ), ${kind === 'rename' ? `${renamed}, ${eraseFailedRecords}, ` : ''}${storeOutcomes}
  select id from principal`;

/** A statement that deletes is planned each time: how many failed records it finds by their index varies. */
const statements = {
  edit: {
    single: preparedStatement('edit record', changeSql('single', 'edit')),
    group: statement(changeSql('group', 'edit')),
  },
  register: {
    single: preparedStatement('change record', changeSql('single', 'register')),
    group: statement(changeSql('group', 'register')),
  },
  rename: {
    single: statement(changeSql('single', 'rename')),
    group: statement(changeSql('group', 'rename')),
  },
};

/** Returns the principal that the record inserts; null if it changes an existing one. */
function insertedPrincipal(change: PrincipalChange): NewPrincipal | null {
  const { principal, principalId: id, registrations: users, context } = change;
  if (principal.kind !== 'insert') return null;
  return { id, ...principal.values, users, outcome: 'inserted', context };
}

/** Applies the changes of a group of records. A result is null if the record was left out. */
export async function writeChanges(
  database: Database,
  changes: readonly PrincipalChange[],
): Promise<(Written | null)[]> {
  const inserted = changes.map(insertedPrincipal).filter((principal) => principal !== null);
  // If all records insert, a shorter statement has the same effect. PostgreSQL plans it once.
  if (inserted.length === changes.length) return insertPrincipals(database, inserted);
  const values = await changeParameters(changes);
  const execute = (connection: Connection) =>
    connection.execute<{ id: number }>(statements[kindOf(changes)][sizeOf(changes)], values);
  const rows = await (changes.some(takesLong)
    ? database.transaction(execute, { patient: true })
    : execute(database));
  const written = new Set(rows.map(({ id }) => id));
  return changes.map((change) => {
    const { principalId: id, applied: users } = change;
    const principal = principalOutcome(change);
    return written.has(id)
      ? { id, users, ...(principal && { principal }), unchanged: isUnchanged(change) }
      : null;
  });
}
