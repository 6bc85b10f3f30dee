import { actorColumns } from '../audit/audit.store.ts';
import type { Database } from '../db/database.ts';
import { preparedStatement, rowsParameter, statement } from '../db/statement.ts';
import {
  byPrincipal,
  type ChangedUser,
  contextColumns,
  contextValues,
  type GroupSize,
  limitLockWaits,
  lockOfGroup,
  sizeOf,
  storeOutcomes,
  unstoredPosition,
} from './grouped-write.store.ts';
import { type Written, withNames } from './outcome.ts';
import type { StateChange } from './state.ts';

const stateRecords = rowsParameter('record', {
  principal_id: 'bigint',
  state: 'text',
  users: 'integer',
  ...contextColumns,
});

const newStates = rowsParameter('new_state', { id: 'bigint', principal_id: 'bigint', state: 'text' });

const stateSql = (size: GroupSize) => `
  with record as materialized (
    select * from ${stateRecords.sql}${limitLockWaits[size]}
  ), new_state as materialized (
    select * from ${newStates.sql}
  ), owner as materialized (
    select principals.id, principals.state as old_state, record.state, record.users
      from record join anagrafe.principals on principals.id = record.principal_id
     order by principals.id for no key update of principals ${lockOfGroup[size]}
  ), known as materialized (
    select users.id, owner.id as principal_id, users.state as old_state, new_state.state
      from owner join new_state on new_state.principal_id = owner.id
           join anagrafe.users on users.id = new_state.id and users.principal_id = owner.id
     order by users.id for no key update of users ${lockOfGroup[size]}
  ), principal as (
    update anagrafe.principals as stored
       set state = coalesce(owner.state, stored.state), updated_at = greatest(updated_at, clock_timestamp()),
           sessions_epoch = sessions_epoch + case owner.state when 'disabled' then 1 else 0 end
      from owner left join (select principal_id, count(*) from known group by principal_id) as found
             on found.principal_id = owner.id
     where stored.id = owner.id and owner.users = coalesce(found.count, 0)
    returning stored.id, updated_at as written_at, owner.state as new_state, owner.old_state
  ), changed as (
    update anagrafe.users as stored
       set state = new_state.state, updated_at = written_at,
           sessions_epoch = sessions_epoch + case new_state.state when 'disabled' then 1 else 0 end
      from new_state join principal on principal.id = new_state.principal_id
     where stored.id = new_state.id
    returning stored.id, stored.principal_id, stored.username, stored.email, stored.state
  ), ended_session as (
    delete from anagrafe.sessions
     where user_id = any(array(
       select id from changed where state = 'disabled'
       union all select users.id from anagrafe.users
        where principal_id = any(array(select id from principal where new_state = 'disabled'))))
  ), state_change as (
    select principal_id, jsonb_agg(jsonb_build_array(id, state) order by id) as users
      from known where old_state <> state group by principal_id
  ), audit as (
    -- The details list only the states that are new.
    insert into anagrafe.audit_log (${actorColumns}, action, principal_id, details)
    select ${actorColumns}, 'state', principal.id, jsonb_strip_nulls(jsonb_build_object(
             'state', case when principal.new_state <> principal.old_state then principal.new_state end,
             'users', state_change.users,
             'position', ${unstoredPosition}))
      from record join principal on principal.id = record.principal_id
           left join state_change on state_change.principal_id = principal.id
     order by record.index
  ), ${storeOutcomes}
  select principal.id as "principalId", changed.id, username, email
    from principal left join changed on changed.principal_id = principal.id`;

const stateStatements = {
  single: preparedStatement('change state', stateSql('single')),
  group: statement(stateSql('group')),
};

/** Disables and enables principals and users. A result is null if the record was left out. */
export async function changeStates(
  database: Database,
  records: readonly StateChange[],
): Promise<(Written | null)[]> {
  const operation = 'state' as const;
  const rows = await database.execute<ChangedUser>(stateStatements[sizeOf(records)], {
    ...(await stateRecords.values(
      records.map(({ principalId, state, users, context }) => ({
        principal_id: principalId,
        state,
        users: users.length,
        ...contextValues(
          context,
          users.map(({ id }) => ({ id, operation })),
        ),
      })),
    )),
    ...(await newStates.values(
      records.flatMap(({ principalId, users }) =>
        users.map(({ id, state }) => ({ id, principal_id: principalId, state })),
      ),
    )),
  });
  const changed = byPrincipal(rows);
  return records.map(({ principalId, users }) => {
    const known = changed.get(principalId);
    return known ? { id: principalId, users: users.map(({ id }) => withNames(id, operation, known)) } : null;
  });
}
