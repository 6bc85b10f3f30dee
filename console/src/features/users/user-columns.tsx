import type { UserOfPrincipal } from '@anagrafe/client';
import { Text } from '@mantine/core';
import { useCommonMessages, usePrincipalsMessages, useUsersMessages } from '../../i18n/language.tsx';
import { type Action, ActionsMenu } from '../../ui/actions-menu.tsx';
import type { OpenDialog } from '../../ui/dialog.tsx';
import { CellLink, type Column, Note } from '../../ui/table.tsx';
import { Moment } from '../../ui/time.tsx';
import { DeleteUser, EditUser } from './edit-user.tsx';
import { Reset } from './user-dialogs.tsx';
import { Sessions } from './user-sessions.tsx';
import { SetUserState, StateBadge } from './user-state.tsx';

/** Returns a function that lists the actions on a user, each of which opens a dialog. */
function useUserActions(open: OpenDialog): (user: UserOfPrincipal) => readonly Action[] {
  const { edit, remove, sessions } = useUsersMessages();
  const { setState, reset } = usePrincipalsMessages();
  return (user) => [
    { name: edit.action, onChoose: () => open((close) => <EditUser user={user} onClose={close} />) },
    { name: reset.submit, onChoose: () => open((close) => <Reset user={user} onClose={close} />) },
    { name: sessions.action, onChoose: () => open((close) => <Sessions user={user} onClose={close} />) },
    {
      name: setState[user.State === 'active' ? 'disabled' : 'active'].action,
      isDestructive: user.State === 'active',
      onChoose: () => open((close) => <SetUserState user={user} onClose={close} />),
    },
    {
      name: remove.action,
      isDestructive: true,
      onChoose: () => open((close) => <DeleteUser user={user} onClose={close} />),
    },
  ];
}

/**
 * Returns the columns of a table of users. `withPrincipal` shows the principal instead of the time of the password, for
 * users of several principals.
 */
export function useUserColumns(
  open: OpenDialog,
  { withPrincipal }: { withPrincipal: boolean },
): readonly Column<UserOfPrincipal>[] {
  const { columns: names, id, actionsOf } = useUsersMessages();
  const { userFields } = usePrincipalsMessages();
  const { never } = useCommonMessages();
  const actions = useUserActions(open);
  const principal: Column<UserOfPrincipal> = {
    name: names.principal,
    card: 'full',
    cell: ({ IRID, Denomination, ExternalKey, Username }) => (
      <>
        <CellLink href={`/principals/${IRID}?search=${encodeURIComponent(Username)}`}>
          {Denomination ?? ExternalKey ?? `#${IRID}`}
        </CellLink>
        {Denomination !== null && ExternalKey !== null && <Note>{ExternalKey}</Note>}
      </>
    ),
  };
  const passwordChanged: Column<UserOfPrincipal> = {
    name: names.passwordChanged,
    cell: ({ PasswordChangedAt }) => <Moment at={PasswordChangedAt} />,
  };
  return [
    {
      name: names.username,
      card: 'title',
      cell: (user) => (
        <>
          <Text size="sm" fw={600} miw={150} style={{ overflowWrap: 'anywhere' }}>
            {user.Username}
          </Text>
          <Note>{[fullNameOf(user), id(user.ID)].filter(Boolean).join(' · ')}</Note>
        </>
      ),
    },
    {
      name: userFields.Email,
      card: 'full',
      cell: ({ Email, Phone }) => (
        <>
          {Email ?? '—'}
          {Phone !== null && <Note>{Phone}</Note>}
        </>
      ),
    },
    ...(withPrincipal ? [principal] : []),
    { name: names.state, cell: ({ State }) => <StateBadge of="user" state={State} /> },
    {
      name: names.lastLogin,
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

function fullNameOf({ FirstName, LastName }: UserOfPrincipal): string {
  return [FirstName, LastName].filter(Boolean).join(' ');
}
