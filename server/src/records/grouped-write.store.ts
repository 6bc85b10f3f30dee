import { actorColumns } from '../audit/audit.store.ts';
import { type ParameterValues, rowsParameter } from '../db/statement.ts';
import { columnNames, columnTypes, fieldColumns } from './field-columns.ts';
import { userFields } from './fields.ts';
import type { AppliedUser, PrincipalOutcome, WriteContext } from './outcome.ts';
import type { NewUser } from './user-item.ts';

// The parts that the statements of update.store.ts, insert.store.ts and change.store.ts share. Each statement writes a
// group of records of different principals, and applies every record as a whole or not at all, with its audit row and
// its outcome. A record whose principal or users are not as the checks found them is left out; an error, such as a
// username that was taken meanwhile, leaves out the whole group. All statements take their locks in the same order, so
// that two groups cannot wait for each other: principals by ID or external key, then users by ID, then new usernames,
// then row counts, then outcomes. Outcomes need no order: statements that store the same outcome, because two nodes run
// one chunk, also lock or insert the same principal before.

/** The columns of a record that its audit row and its outcome need. */
export const contextColumns = {
  actor: 'text',
  client_id: 'bigint',
  user_id: 'bigint',
  address: 'inet',
  request_id: 'text',
  call_id: 'uuid',
  position: 'integer',
  keeps_outcome: 'boolean',
  /** The applied users as JSON: `[[id, operation], ...]`, or `[id, operation, changed]` for an edited user. */
  applied: 'text',
  principal_change: 'text',
} as const;

/** The part of a record from which the columns are read. */
export interface RecordContext {
  readonly context: WriteContext;
  readonly users: readonly Pick<AppliedUser, 'id' | 'operation' | 'changed'>[];
  readonly outcome: PrincipalOutcome | null;
}

/** Returns a function for each column that reads it from a record. */
export function contextReaders<Row>(contextOf: (row: Row) => RecordContext) {
  const actorOf = (row: Row) => contextOf(row).context.actor;
  const referenceOf = (row: Row) => contextOf(row).context.reference;
  const keeps = (row: Row) => referenceOf(row)?.kept ?? false;
  return {
    actor: (row: Row) => actorOf(row).kind,
    client_id: (row: Row) => actorOf(row).clientId,
    user_id: (row: Row) => actorOf(row).userId,
    address: (row: Row) => actorOf(row).address,
    request_id: (row: Row) => actorOf(row).requestId,
    call_id: (row: Row) => referenceOf(row)?.callId ?? null,
    position: (row: Row) => referenceOf(row)?.position ?? null,
    keeps_outcome: keeps,
    applied: (row: Row) => (keeps(row) ? JSON.stringify(contextOf(row).users.map(keptUser)) : null),
    principal_change: (row: Row) => (keeps(row) ? contextOf(row).outcome : null),
  };
}

function keptUser({ id, operation, changed }: Pick<AppliedUser, 'id' | 'operation' | 'changed'>) {
  return changed ? [id, operation, changed] : [id, operation];
}

/** Stores the outcomes in the statement that writes the records, so that both are committed or neither is. */
export const storeOutcomes = `outcome as (
    insert into anagrafe.outcomes (call_id, position, principal_id, users, applied, principal_change)
    select call_id, position, principal.id, jsonb_array_length(applied::jsonb), applied::jsonb, principal_change
      from record join principal on principal.id = record.principal_id
     where keeps_outcome
  )`;

/** The audit row holds the position of a record that has no stored outcome. */
export const unstoredPosition = 'case when not keeps_outcome then position end';

/** Maximum number of users in one audit row. A record with more of them has several rows, numbered from 0. */
const usersPerAuditRow = 1000;

/** Row source with the numbers of the audit rows of a record that names `users` users; `users` is SQL. */
export const auditRowNumbers = (users: string) =>
  // As an array, of which the planner expects 10 elements: it would expect 1,000 rows for each record otherwise.
  `unnest(array(select generate_series(0, greatest(${users} - 1, 0) / ${usersPerAuditRow}))) as number`;

/** The first and the last index, from 1, of a list in the audit row `number`; `before` users are in lists before it. */
export const auditRowSlice = (before: string) => ({
  first: `number * ${usersPerAuditRow} + 1 - (${before})`,
  last: `(number + 1) * ${usersPerAuditRow} - (${before})`,
});

/** SQL for the part of an array that is in the audit row `number`; null if it is empty. */
export function inAuditRow(array: string, before: string): string {
  const { first, last } = auditRowSlice(before);
  return `nullif(${array}[${first} : ${last}], '{}')`;
}

/** The further audit rows of a record have the action `update`, and users only: other events would be repeated. */
export const appendAuditRows = (action: 'insert' | 'update') => `audit as (
    insert into anagrafe.audit_log (${actorColumns}, action, principal_id, registered, reset, details)
    select ${actorColumns}, case when number = 0 then '${action}' else 'update' end, principal.id,
           ${inAuditRow('named.registered', '0')}, ${inAuditRow('named.reset', 'cardinality(named.registered)')},
           case when number = 0 and ${unstoredPosition} is not null then jsonb_build_object('position', position) end
      from record join principal on principal.id = record.principal_id
           cross join lateral (
             select record.registered::bigint[] as registered, record.reset::bigint[] as reset offset 0) as named
           cross join lateral ${auditRowNumbers('cardinality(named.registered) + cardinality(named.reset)')}
     order by record.index, number
  )`;

const newUsers = rowsParameter('new_user', {
  id: 'bigint',
  principal_id: 'bigint',
  username: 'text',
  username_key: 'text',
  password_hash: 'text',
  state: 'text',
  ...columnTypes(userFields),
});

/** Common table expression that follows an expression `principal` with the columns `id` and `written_at`. */
export const registerUsers = `registered_user as (
    insert into anagrafe.users
      (id, principal_id, username, username_key, password_hash, state, ${columnNames(userFields)},
       created_at, updated_at, password_changed_at)
    select new_user.id, principal.id, username, username_key, password_hash, new_user.state,
           ${columnNames(userFields, 'new_user')},
           written_at, written_at, written_at
      from ${newUsers.sql} join principal on principal.id = new_user.principal_id
     order by username_key
    returning id
  )`;

/** Adds to the row counts. `rows` is a query with the columns `id` and `amount`, which is 1 or -1. */
export const countUsers = (rows: string) => `users_counted as (
    insert into anagrafe.row_counts as counted (kind, block, slot, amount)
    select 'users', id >> 12, pg_backend_pid() % 16, sum(amount) from (${rows}) as changed
     group by id >> 12 order by id >> 12
    on conflict (kind, block, slot) do update set amount = counted.amount + excluded.amount
    returning block
  )`;

/** Follows `users_counted`, so that all statements lock the row counts in the same order. */
export const countPrincipals = (rows: string) => `principals_counted as (
    insert into anagrafe.row_counts as counted (kind, block, slot, amount)
    select 'principals', id >> 12, pg_backend_pid() % 16, sum(amount) from (${rows}) as changed
     -- Always true; it makes sure that the counts of users are locked before those of principals.
     where (select count(*) from users_counted) >= 0
     group by id >> 12 order by id >> 12
    on conflict (kind, block, slot) do update set amount = counted.amount + excluded.amount
  )`;

interface NewUserOf {
  readonly principalId: number;
  readonly user: NewUser;
}

export function newUserValues(
  records: readonly { readonly principalId: number; readonly users: readonly NewUser[] }[],
): ParameterValues {
  const rows = records.flatMap(({ principalId, users }) => users.map((user) => ({ principalId, user })));
  return newUsers.values(rows, newUserColumns);
}

const newUserColumns = {
  id: ({ user }: NewUserOf) => user.id,
  principal_id: ({ principalId }: NewUserOf) => principalId,
  username: ({ user }: NewUserOf) => user.username,
  username_key: ({ user }: NewUserOf) => user.usernameKey,
  password_hash: ({ user }: NewUserOf) => user.passwordHash,
  state: ({ user }: NewUserOf) => user.state ?? 'active',
  ...fieldColumns(userFields, ({ user }: NewUserOf) => user.fields),
};

/** A single record waits for locked rows; a group leaves out the records whose principal or users are locked. */
export const lockOfGroup = { single: '', group: 'skip locked' };

/**
 * A group waits only this long for a username that another transaction is inserting; its records are then written
 * alone. The setting is part of the row source of the records, so that it is made before the first lock is taken.
 */
export const limitLockWaits = {
  single: '',
  group: `, (select set_config('lock_timeout', '1000', true)) as lock_wait (limit_ms)`,
};
export type GroupSize = keyof typeof lockOfGroup;

export function sizeOf(records: readonly unknown[]): GroupSize {
  return records.length === 1 ? 'single' : 'group';
}

/** A user that a statement changed. If it changed none of a principal, the columns of the user are null. */
export interface ChangedUser {
  readonly principalId: number;
  readonly id: number;
  readonly username: string;
  readonly email: string | null;
}

/** Returns the changed users of each principal that was written, by their IDs. */
export function byPrincipal(rows: readonly ChangedUser[]): Map<number, Map<number, ChangedUser>> {
  const principals = new Map<number, Map<number, ChangedUser>>();
  for (const row of rows) {
    const users = principals.get(row.principalId);
    if (users) users.set(row.id, row);
    else principals.set(row.principalId, new Map([[row.id, row]]));
  }
  return principals;
}

export function registeredUser({ id, username, fields }: NewUser): AppliedUser {
  return { id, username, email: fields.Email, operation: 'register' };
}
