import { actorColumns } from '../audit/audit.store.ts';
import type { Database } from '../db/database.ts';
import { arrayLiteral, rowsParameter, statement } from '../db/statement.ts';
import { columnNames, columnTypes, columnValues, principalFields, userFields } from './fields.ts';
import type { NewPrincipal } from './insert.ts';
import type { AppliedUser, WriteContext, Written } from './outcome.ts';
import type { StateChange } from './state.ts';
import type { RecordChange } from './update.ts';
import type { NewUser } from './user-item.ts';

// The statements of this file write a group of records of different principals. Each record is applied as a whole or
// not at all, with its audit row and its outcome. A record whose principal or users are not as the checks found them
// is left out; an error, such as a username that was taken meanwhile, leaves out the whole group. All statements take
// their locks in the same order, so that two groups cannot wait for each other: principals by ID or external key, then
// users by ID, then new usernames, then tallies.

/** The columns of a record that its audit row and its outcome need. */
const contextColumns = {
  actor: 'text',
  client_id: 'bigint',
  user_id: 'bigint',
  address: 'inet',
  request_id: 'text',
  call_id: 'uuid',
  position: 'integer',
  /** True if the outcome is stored. */
  keeps_outcome: 'boolean',
  /** The applied users as JSON: `[[id, operation], ...]`. */
  applied: 'text',
} as const;

function contextValues(
  { actor, reference }: WriteContext,
  users: readonly Pick<AppliedUser, 'id' | 'operation'>[],
) {
  const keeps = reference?.kept ?? false;
  return {
    actor: actor.kind,
    client_id: actor.clientId,
    user_id: actor.userId,
    address: actor.address,
    request_id: actor.requestId,
    call_id: reference?.callId ?? null,
    position: reference?.position ?? null,
    keeps_outcome: keeps,
    applied: keeps ? JSON.stringify(users.map(({ id, operation }) => [id, operation])) : null,
  };
}

/** Stores the outcomes in the statement that writes the records, so that both are committed or neither is. */
const storeOutcomes = `outcome as (
    insert into anagrafe.outcomes (call_id, position, principal_id, users, applied)
    select call_id, position, principal.id, jsonb_array_length(applied::jsonb), applied::jsonb
      from record join principal on principal.id = record.principal_id
     where keeps_outcome
  )`;

/** The audit row holds the position of a record that has no stored outcome. */
const unstoredPosition = 'case when not keeps_outcome then position end';

const appendAuditRows = (action: 'insert' | 'update') => `audit as (
    insert into anagrafe.journal (${actorColumns}, action, principal_id, registered, reset, details)
    select ${actorColumns}, '${action}', principal.id, nullif(registered::bigint[], '{}'), nullif(reset::bigint[], '{}'),
           case when ${unstoredPosition} is not null then jsonb_build_object('position', position) end
      from record join principal on principal.id = record.principal_id
     order by record.index
  )`;

const newUsers = rowsParameter('new_user', {
  id: 'bigint',
  principal_id: 'bigint',
  username: 'text',
  username_key: 'text',
  password_hash: 'text',
  ...columnTypes(userFields),
});

/** Common table expressions that follow an expression `principal` with the columns `id` and `written_at`. */
const insertUsers = `registered_user as (
    insert into anagrafe.users
      (id, principal_id, username, username_key, password_hash, ${columnNames(userFields)},
       created_at, updated_at, password_changed_at)
    select new_user.id, principal.id, username, username_key, password_hash, ${columnNames(userFields, 'new_user')},
           written_at, written_at, written_at
      from ${newUsers.sql} join principal on principal.id = new_user.principal_id
     order by username_key
    returning id
  ), users_tally as (
    insert into anagrafe.tallies as tally (kind, block, slot, amount)
    select 'users', id >> 12, pg_backend_pid() % 16, count(*) from registered_user group by id >> 12 order by id >> 12
    on conflict (kind, block, slot) do update set amount = tally.amount + excluded.amount
    returning block
  )`;

function newUserValues(
  records: readonly { readonly principalId: number; readonly users: readonly NewUser[] }[],
) {
  return newUsers.values(
    records.flatMap(({ principalId, users }) =>
      users.map((user) => ({
        id: user.id,
        principal_id: principalId,
        username: user.username,
        username_key: user.usernameKey,
        password_hash: user.passwordHash,
        ...columnValues(userFields, user.fields),
      })),
    ),
  );
}

const updatedRecords = rowsParameter('record', {
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

/** A single record waits for the lock of its principal; a group leaves out the records whose principal is locked. */
const lockOfGroup = { single: '', group: 'skip locked' };
type GroupSize = keyof typeof lockOfGroup;

const updateSql = (size: GroupSize) => `
  with record as materialized (
    select * from ${updatedRecords.sql}
  ), new_password as materialized (
    select * from ${newPasswords.sql}
  ), owner as materialized (
    select principals.id, registered, reset, expected_hash
      from record join anagrafe.principals on principals.id = record.principal_id
     where state = 'active' or registered = '{}'
     order by principals.id for no key update of principals ${lockOfGroup[size]}
  ), known as materialized (
    -- Locked, so that none of them can be deleted or reset until the rest is written.
    select users.id, owner.id as principal_id
      from owner join new_password on new_password.principal_id = owner.id
           join anagrafe.users on users.id = new_password.id and users.principal_id = owner.id
     where users.password_hash = coalesce(expected_hash, users.password_hash)
     order by users.id for no key update of users
  ), principal as (
    update anagrafe.principals as stored
       set users_count = users_count + cardinality(registered::bigint[]),
           updated_at = greatest(updated_at, clock_timestamp())
      from owner left join (select principal_id, count(*) from known group by principal_id) as found
             on found.principal_id = owner.id
     where stored.id = owner.id and cardinality(reset::bigint[]) = coalesce(found.count, 0)
    returning stored.id, updated_at as written_at
  ), ${insertUsers}, reset_user as (
    update anagrafe.users as stored
       set password_hash = new_password.password_hash, password_changed_at = written_at, updated_at = written_at,
           sessions_epoch = sessions_epoch + 1
      from new_password join principal on principal.id = new_password.principal_id
     where stored.id = new_password.id
    returning stored.id, stored.principal_id, stored.username, ${columnNames(userFields, 'stored')}
  ), ended_session as (
    delete from anagrafe.sessions where user_id = any(array(select id from reset_user))
  ), cleared_throttle as (
    delete from anagrafe.throttles where user_id = any(array(select id from reset_user))
  ), forgotten_source as (
    delete from anagrafe.sign_in_sources where user_id = any(array(select id from reset_user))
  ), ${appendAuditRows('update')}, ${storeOutcomes}
  select principal.id as "principalId", reset_user.id, username, email
    from principal left join reset_user on reset_user.principal_id = principal.id`;

const updateStatements = {
  single: statement('update record', updateSql('single')),
  group: statement('update records', updateSql('group')),
};

/** Registers users and resets passwords. A result is null if the record was left out. */
export async function updateRecords(
  database: Database,
  records: readonly RecordChange[],
): Promise<(Written | null)[]> {
  const split = records.map(({ principalId, users, context }) => ({
    principalId,
    context,
    all: users,
    users: users.filter((user) => user.operation === 'register'),
    resets: users.filter((user) => user.operation === 'reset'),
  }));
  const rows = await database.execute<ChangedUser>(updateStatements[sizeOf(records)], {
    ...(await updatedRecords.values(
      split.map(({ principalId, context, all, users, resets }) => ({
        principal_id: principalId,
        registered: arrayLiteral(users.map(({ id }) => id)),
        reset: arrayLiteral(resets.map(({ id }) => id)),
        expected_hash: context.expectedCurrentHash,
        ...contextValues(context, all),
      })),
    )),
    ...(await newPasswords.values(
      split.flatMap(({ principalId, resets }) =>
        resets.map(({ id, passwordHash }) => ({
          id,
          principal_id: principalId,
          password_hash: passwordHash,
        })),
      ),
    )),
    ...(await newUserValues(split)),
  });
  const changed = byPrincipal(rows);
  return records.map(({ principalId, users }) => {
    const known = changed.get(principalId);
    if (!known) return null;
    const applied = users.map((user) =>
      user.operation === 'register' ? registeredUser(user) : changedUser(user, known),
    );
    return { id: principalId, users: applied };
  });
}

const newPrincipals = rowsParameter('record', {
  principal_id: 'bigint',
  registered: 'text',
  reset: 'text',
  search_terms: 'text',
  ...columnTypes(principalFields),
  ...contextColumns,
});

const insertPrincipalsSql = statement(
  'insert principals',
  `with record as materialized (
    select * from ${newPrincipals.sql}
  ), principal as (
    insert into anagrafe.principals (id, ${columnNames(principalFields)}, search_terms, users_count)
    select principal_id, ${columnNames(principalFields)}, array_to_tsvector(search_terms::text[]),
           cardinality(registered::bigint[])
      from record order by external_key
    returning id, updated_at as written_at
  ), ${insertUsers}, principals_tally as (
    insert into anagrafe.tallies as tally (kind, block, slot, amount)
    select 'principals', id >> 12, pg_backend_pid() % 16, count(*) from principal
     -- Always true; it makes the tallies the last locks that are taken.
     where (select count(*) from users_tally) >= 0
     group by id >> 12 order by id >> 12
    on conflict (kind, block, slot) do update set amount = tally.amount + excluded.amount
  ), ${appendAuditRows('insert')}, ${storeOutcomes}
  select id from principal`,
);

/** Inserts principals with their users. */
export async function insertPrincipals(
  database: Database,
  principals: readonly NewPrincipal[],
): Promise<Written[]> {
  await database.execute(insertPrincipalsSql, {
    ...(await newPrincipals.values(
      principals.map(({ id, fields, searchTerms, users, context }) => ({
        principal_id: id,
        registered: arrayLiteral(users.map((user) => user.id)),
        reset: '{}',
        search_terms: arrayLiteral(searchTerms),
        ...columnValues(principalFields, fields),
        ...contextValues(context, users),
      })),
    )),
    ...(await newUserValues(principals.map(({ id, users }) => ({ principalId: id, users })))),
  });
  return principals.map(({ id, users }) => ({ id, users: users.map(registeredUser) }));
}

const stateRecords = rowsParameter('record', {
  principal_id: 'bigint',
  /** Null if only users change. */
  state: 'text',
  users: 'integer',
  ...contextColumns,
});

const newStates = rowsParameter('new_state', { id: 'bigint', principal_id: 'bigint', state: 'text' });

const stateSql = (size: GroupSize) => `
  with record as materialized (
    select * from ${stateRecords.sql}
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
     order by users.id for no key update of users
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
    insert into anagrafe.journal (${actorColumns}, action, principal_id, details)
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
  single: statement('change state', stateSql('single')),
  group: statement('change states', stateSql('group')),
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
    return known
      ? { id: principalId, users: users.map(({ id }) => changedUser({ id, operation }, known)) }
      : null;
  });
}

function sizeOf(records: readonly unknown[]): GroupSize {
  return records.length === 1 ? 'single' : 'group';
}

/** A user that a statement changed. If it changed none of a principal, the columns of the user are null. */
interface ChangedUser {
  readonly principalId: number;
  readonly id: number;
  readonly username: string;
  readonly email: string | null;
}

/** Returns the changed users of each principal that was written, by their IDs. */
function byPrincipal(rows: readonly ChangedUser[]): Map<number, Map<number, ChangedUser>> {
  const principals = new Map<number, Map<number, ChangedUser>>();
  for (const row of rows) {
    const users = principals.get(row.principalId);
    if (users) users.set(row.id, row);
    else principals.set(row.principalId, new Map([[row.id, row]]));
  }
  return principals;
}

function registeredUser({ id, username, fields }: NewUser): AppliedUser {
  return { id, username, email: fields.Email, operation: 'register' };
}

function changedUser(
  { id, operation }: Pick<AppliedUser, 'id' | 'operation'>,
  changed: ReadonlyMap<number, ChangedUser>,
): AppliedUser {
  const { username = '', email = null } = changed.get(id) ?? {};
  return { id, username, email, operation };
}
