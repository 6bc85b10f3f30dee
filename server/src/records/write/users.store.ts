import { preparedStatement, type Query, rowsParameter, statement } from '../../db/statement.ts';
import { columnNames, columnTypes, fieldColumns } from '../fields/field-columns.ts';
import { userFields } from '../fields/fields.ts';
import { changeIdOf } from './audited-change.ts';
import { type NewUser, type UserEdit, usersTo } from './change.ts';
import { changeColumns, columnsOfFields, joinBefore, storingChanges } from './changed-values.store.ts';
import { assignments, deletedUsers, idOf, withIds, withRows } from './statement-values.ts';
import type { WritableChange } from './writable-change.ts';

const newUsers = rowsParameter('new_user', {
  id: 'bigint',
  principal_id: 'bigint',
  username: 'text',
  username_key: 'text',
  password_hash: 'text',
  must_change_password: 'boolean',
  state: 'text',
  ...columnTypes(userFields),
});

const newUserColumns = {
  id: ({ user }: NewUserRow) => user.id,
  principal_id: ({ principalId }: NewUserRow) => principalId,
  username: ({ user }: NewUserRow) => user.username,
  username_key: ({ user }: NewUserRow) => user.usernameKey,
  password_hash: ({ user }: NewUserRow) => user.password?.hash ?? null,
  must_change_password: ({ user }: NewUserRow) => user.password?.mustChange ?? false,
  state: ({ user }: NewUserRow) => user.state,
  ...fieldColumns(userFields, ({ user }: NewUserRow) => user.fields),
};

interface NewUserRow {
  readonly principalId: number;
  readonly user: NewUser & { readonly id: number };
}

const insertUsersStatement = preparedStatement(
  'insert users',
  `insert into anagrafe.users 
     (id, principal_id, username, username_key, password_hash, must_change_password, state, ${columnNames(userFields)},
      created_at, updated_at, password_changed_at)
   select id, principal_id, username, username_key, password_hash, must_change_password, state, ${columnNames(userFields)},
          statement_timestamp(), statement_timestamp(),
          case when password_hash is not null then statement_timestamp() end
     from ${newUsers.sql} order by username_key`,
);

export function insertUsers(changes: readonly WritableChange[]): Query[] {
  const rows = changes.flatMap((change) =>
    usersTo(change, 'register').map((user) => ({ principalId: change.principalId, user })),
  );
  return withRows(insertUsersStatement, rows, newUsers.values(rows, newUserColumns));
}

const movedUsers = rowsParameter('moved', { id: 'bigint', principal_id: 'bigint' });

const moveUsersStatement = statement(
  `update anagrafe.users as stored
      set principal_id = moved.principal_id, updated_at = statement_timestamp(), sessions_epoch = sessions_epoch + 1
     from ${movedUsers.sql} where stored.id = moved.id`,
);

export function moveUsers(changes: readonly WritableChange[]): Query[] {
  const rows = changes.flatMap((change) =>
    usersTo(change, 'move').map(({ id }) => ({ id, principalId: change.principalId })),
  );
  const columns = { id: idOf, principal_id: (row: (typeof rows)[number]) => row.principalId };
  return withRows(moveUsersStatement, rows, movedUsers.values(rows, columns));
}

const newPasswords = rowsParameter('reset', {
  id: 'bigint',
  password_hash: 'text',
  must_change_password: 'boolean',
});

const resetPasswordsStatement = statement(
  `update anagrafe.users as stored
      set password_hash = reset.password_hash, must_change_password = reset.must_change_password,
          password_changed_at = statement_timestamp(), updated_at = statement_timestamp(),
          sessions_epoch = sessions_epoch + 1
     from ${newPasswords.sql} where stored.id = reset.id`,
);

export function resetPasswords(changes: readonly WritableChange[]): Query[] {
  const rows = changes.flatMap((change) => usersTo(change, 'reset'));
  const columns = {
    id: idOf,
    password_hash: ({ password }: (typeof rows)[number]) => password.hash,
    must_change_password: ({ password }: (typeof rows)[number]) => password.mustChange,
  };
  return withRows(resetPasswordsStatement, rows, newPasswords.values(rows, columns));
}

const editedUsers = rowsParameter('edited', {
  id: 'bigint',
  ...changeColumns,
  sets_fields: 'boolean',
  sets_attributes: 'boolean',
  username: 'text',
  username_key: 'text',
  password_hash: 'text',
  must_change_password: 'boolean',
  state: 'text',
  ...columnTypes(userFields),
});

const editedUserColumns = {
  id: ({ edit }: EditedUser) => edit.id,
  change_id: ({ changeId }: EditedUser) => changeId,
  call_id: ({ callId }: EditedUser) => callId,
  sets_fields: ({ edit }: EditedUser) => edit.fields !== undefined,
  sets_attributes: ({ edit }: EditedUser) => edit.fields?.Attributes !== undefined,
  username: ({ edit }: EditedUser) => edit.newUsername?.asSent ?? null,
  username_key: ({ edit }: EditedUser) => edit.newUsername?.key ?? null,
  password_hash: ({ edit }: EditedUser) => edit.password?.hash ?? null,
  must_change_password: ({ edit }: EditedUser) => edit.password?.mustChange ?? edit.mustChange ?? null,
  state: ({ edit }: EditedUser) => edit.state,
  ...fieldColumns(userFields, ({ edit }: EditedUser) => edit.fields ?? null),
};

interface EditedUser {
  readonly edit: UserEdit;
  readonly changeId: string;
  readonly callId: string | null;
}

const editUsersStatement = statement(
  storingChanges(
    `update anagrafe.users as stored
      set username = coalesce(edited.username, stored.username),
          username_key = coalesce(edited.username_key, stored.username_key),
          ${assignments(userFields, 'edited', (column) => (column === 'attributes' ? 'sets_attributes' : 'sets_fields'))},
          state = edited.state,
          must_change_password = coalesce(edited.must_change_password, stored.must_change_password),
          password_hash = coalesce(edited.password_hash, stored.password_hash),
          password_changed_at = case when edited.password_hash is null then stored.password_changed_at
                                     else statement_timestamp() end,
          sessions_epoch = stored.sessions_epoch + case
            when edited.password_hash is not null or (edited.state = 'disabled' and stored.state = 'active') then 1
            else 0 end,
          updated_at = statement_timestamp()
     from ${editedUsers.sql} ${joinBefore('users', 'edited.id')}
    where stored.id = edited.id`,
    { source: 'edited', userId: 'stored.id', principalId: 'stored.principal_id' },
    {
      Username: 'username',
      ...columnsOfFields(userFields),
      State: 'state',
      MustChangePassword: 'must_change_password::text',
    },
  ),
);

export function editUsers(changes: readonly WritableChange[]): Query[] {
  const rows = changes.flatMap((change) =>
    usersTo(change, 'edit').map((edit, index): EditedUser => {
      return { edit, changeId: changeIdOf(change, index), callId: change.context.call?.id ?? null };
    }),
  );
  return withRows(editUsersStatement, rows, editedUsers.values(rows, editedUserColumns));
}

const deleteUsersStatement = statement('delete from anagrafe.users where id = any(:ids::bigint[])');

export function deleteUsers(changes: readonly WritableChange[]): Query[] {
  return withIds(deleteUsersStatement, deletedUsers(changes));
}
