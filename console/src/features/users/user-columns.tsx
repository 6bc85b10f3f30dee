import type { UserOfPrincipal } from '@anagrafe/client';
import { Box } from '@mantine/core';
import {
  useCommonMessages,
  useInvitationsMessages,
  usePrincipalsMessages,
  useUsersMessages,
} from '../../i18n/language.tsx';
import { type Action, ActionsMenu } from '../../ui/actions-menu.tsx';
import type { OpenDialog } from '../../ui/dialog.tsx';
import { CellLink, type Column, Note } from '../../ui/table.tsx';
import { Moment } from '../../ui/time.tsx';
import { InviteUser } from '../invitations/invite-user.tsx';
import { usePermitted } from '../session/session.ts';
import { DeleteUser, EditUser } from './edit-user.tsx';
import type { UserSort } from './queries.ts';
import { Reset } from './user-dialogs.tsx';
import { oppositeState, SetUserState, StateBadge } from './user-state.tsx';

/** Returns a function that lists the actions on a user, each of which opens a dialog. */
function useUserActions(open: OpenDialog): (user: UserOfPrincipal) => readonly Action[] {
  const { edit, remove } = useUsersMessages();
  const { setState, reset } = usePrincipalsMessages();
  const { action: invite } = useInvitationsMessages();
  const permitted = usePermitted();
  return (user) => [
    ...permitted('records.write', [
      { name: edit.action, onChoose: () => open((close) => <EditUser user={user} onClose={close} />) },
    ]),
    ...(user.State === 'disabled'
      ? []
      : permitted('users.invite', [
          {
            name: invite[user.State],
            onChoose: () => open((close) => <InviteUser user={user} onClose={close} />),
          },
        ])),
    ...permitted('passwords.reset', [
      { name: reset.submit, onChoose: () => open((close) => <Reset user={user} onClose={close} />) },
    ]),
    ...permitted('states.write', [
      {
        name: setState[oppositeState[user.State]].action,
        isDestructive: user.State !== 'disabled',
        onChoose: () => open((close) => <SetUserState user={user} onClose={close} />),
      },
    ]),
    ...permitted('records.delete', [
      {
        name: remove.action,
        isDestructive: true,
        onChoose: () => open((close) => <DeleteUser user={user} onClose={close} />),
      },
    ]),
  ];
}

interface UserColumnsOptions {
  /** Shows the principal instead of the time of the password, for users of several principals. */
  readonly withPrincipal: boolean;
  /** The order of the list and a function that changes it, for a list that can be sorted by the username. */
  readonly sort?: readonly [UserSort, (sort: UserSort) => void];
}

/** Returns the columns of a table of users. */
export function useUserColumns(
  open: OpenDialog,
  { withPrincipal, sort }: UserColumnsOptions,
): readonly Column<UserOfPrincipal>[] {
  const { columns: names, id, actionsOf } = useUsersMessages();
  const { userFields } = usePrincipalsMessages();
  const { never } = useCommonMessages();
  const actions = useUserActions(open);
  const principal: Column<UserOfPrincipal> = {
    name: names.principal,
    card: 'plain',
    cell: (user) => (
      <>
        <CellLink href={`/principals/${user.IRID}?search=${encodeURIComponent(user.Username)}`}>
          {nameOfPrincipal(user)}
        </CellLink>
        {user.Denomination !== null && user.ExternalKey !== null && <Note>{user.ExternalKey}</Note>}
      </>
    ),
  };
  const passwordChanged: Column<UserOfPrincipal> = {
    name: names.passwordChanged,
    cell: ({ PasswordChangedAt: at }) => (at === null ? never : <Moment at={at} />),
  };
  return [
    {
      name: names.username,
      card: 'title',
      ...(sort && { sort: sortByUsername(...sort) }),
      cell: (user) => (
        <>
          <Box miw={150}>
            <CellLink href={`/users/${user.ID}`} isName>
              {user.Username}
            </CellLink>
          </Box>
          <Note>{[fullNameOf(user), id(user.ID)].filter(Boolean).join(' · ')}</Note>
        </>
      ),
    },
    {
      name: userFields.Email,
      card: 'plain',
      cell: ({ Email, Phone }) => (
        <>
          {Email ?? '—'}
          {Phone !== null && <Note>{Phone}</Note>}
        </>
      ),
    },
    ...(withPrincipal ? [principal] : []),
    { name: names.state, card: 'half', cell: ({ State }) => <StateBadge of="user" state={State} /> },
    {
      name: names.lastLogin,
      card: 'inline',
      cell: ({ LastLoginAt }) => (LastLoginAt === null ? never : <Moment at={LastLoginAt} />),
    },
    ...(withPrincipal ? [] : [passwordChanged]),
    {
      name: names.actions,
      quiet: true,
      numeric: true,
      cell: (user) => <ActionsMenu label={actionsOf(user.Username)} actions={actions(user)} />,
    },
  ];
}

function sortByUsername(sort: UserSort, setSort: (sort: UserSort) => void) {
  const directions = { Username: 'ascending', '-Username': 'descending' } as const;
  return {
    direction: sort === 'Username' || sort === '-Username' ? directions[sort] : null,
    onSort: () => setSort(sort === 'Username' ? '-Username' : 'Username'),
  };
}

/** Returns the name of the principal of a user, or its ID. */
export function nameOfPrincipal({ IRID, Denomination, ExternalKey }: UserOfPrincipal): string {
  return Denomination ?? ExternalKey ?? `#${IRID}`;
}

function fullNameOf({ FirstName, LastName }: UserOfPrincipal): string {
  return [FirstName, LastName].filter(Boolean).join(' ');
}
