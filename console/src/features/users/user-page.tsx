import type { UserOfPrincipal } from '@anagrafe/client';
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import {
  useCommonMessages,
  useInvitationsMessages,
  usePrincipalsMessages,
  useUsersMessages,
} from '../../i18n/language.tsx';
import { ActionsMenu } from '../../ui/actions-menu.tsx';
import { DetailPage, type Fact } from '../../ui/detail-page.tsx';
import { useDialog } from '../../ui/dialog.tsx';
import { IconButton } from '../../ui/icon.tsx';
import { NotFound } from '../../ui/page.tsx';
import { CellLink, Note } from '../../ui/table.tsx';
import { Moment } from '../../ui/time.tsx';
import { History } from '../audit/history.tsx';
import { useAuditLog } from '../audit/queries.ts';
import { InviteUser } from '../invitations/invite-user.tsx';
import { MailsOfUser } from '../mails/mails-of-user.tsx';
import { useMay, usePermitted } from '../session/session.ts';
import { DeleteUser, EditUser } from './edit-user.tsx';
import { type UserPage, userTextFields, useUser } from './queries.ts';
import { nameOfPrincipal } from './user-columns.tsx';
import { Reset } from './user-dialogs.tsx';
import { Sessions } from './user-sessions.tsx';
import { SetUserState, StateBadge } from './user-state.tsx';

/** Replaces the page if no user has the ID in the URL. */
export function UserNotFound() {
  const { missing, all } = useUsersMessages();
  return <NotFound title={missing.title} text={missing.text} back={{ href: '/users', name: all }} />;
}

/** `/console/users/7`: the fields of a user, its sessions, its sign-ins and the changes to it. */
export function OneUser({ id }: { id: number }) {
  const messages = useUsersMessages();
  const { setState, reset, more } = usePrincipalsMessages();
  const { action: invite } = useInvitationsMessages();
  const query = useUser(id);
  const { data } = query;
  const [dialog, open] = useDialog();
  const [, goTo] = useLocation();
  const factsOf = useFacts();
  const may = useMay();
  const permitted = usePermitted();
  if (data === null) return <UserNotFound />;
  const user = data?.user;
  const openFor = (render: (user: UserOfPrincipal, close: () => void) => ReactNode) => () =>
    user && open((close) => render(user, close));
  const isActive = user?.State !== 'disabled';
  const isInvited = user?.State === 'invited';
  const openInvite = openFor((one, close) => <InviteUser user={one} onClose={close} />);
  const openReset = openFor((one, close) => <Reset user={one} onClose={close} />);
  const actions = (
    <>
      {may('passwords.reset') && (
        <Button disabled={!user} onClick={isInvited ? openInvite : openReset}>
          {isInvited ? invite.invited : reset.submit}
        </Button>
      )}
      {may('records.write') && (
        <Button
          variant="default"
          disabled={!user}
          onClick={openFor((one, close) => <EditUser user={one} onClose={close} />)}
        >
          {messages.edit.action}
        </Button>
      )}
      <ActionsMenu
        label={more}
        target={<IconButton icon="more" label={more} isOutlined />}
        actions={[
          ...(isInvited ? permitted('passwords.reset', [{ name: reset.submit, onChoose: openReset }]) : []),
          ...(user?.State === 'active'
            ? permitted('users.invite', [{ name: invite.active, onChoose: openInvite }])
            : []),
          ...permitted('states.write', [
            {
              name: setState[isActive ? 'disabled' : 'active'].action,
              isDestructive: isActive,
              onChoose: openFor((one, close) => <SetUserState user={one} onClose={close} />),
            },
          ]),
          ...permitted('records.delete', [
            {
              name: messages.remove.action,
              isDestructive: true,
              onChoose: openFor((one, close) => (
                <DeleteUser user={one} onDeleted={() => goTo('/users')} onClose={close} />
              )),
            },
          ]),
        ]}
      />
    </>
  );
  const usernames = new Map(user ? [[user.ID, user.Username]] : []);
  return (
    <DetailPage
      title={user?.Username ?? `#${id}`}
      back={{ href: '/users', name: messages.all }}
      actions={actions}
      query={query}
      factsTitle={messages.details.title}
      expectedFacts={12}
      facts={data && factsOf(data)}
    >
      <Sessions id={id} isLoading={!user} />
      <MailsOfUser id={id} />
      {may('service.read') && (
        <>
          <SignIns id={id} usernames={usernames} />
          <Changes id={id} usernames={usernames} />
        </>
      )}
      {dialog}
    </DetailPage>
  );
}

/** Returns a function that lists the fields of a user without those that are null. */
function useFacts(): (page: UserPage) => readonly Fact[] {
  const { details, columns } = useUsersMessages();
  const { userFields } = usePrincipalsMessages();
  const { never } = useCommonMessages();
  return ({ user, principal }) => {
    const facts: readonly Fact[] = [
      [
        columns.state,
        <div key="state">
          <StateBadge of="user" state={user.State} />
          {principal?.State === 'disabled' && <Note>{details.principalDisabled}</Note>}
          {user.MustChangePassword && <Note>{details.mustChange}</Note>}
        </div>,
      ],
      [
        columns.principal,
        <CellLink key="principal" href={`/principals/${user.IRID}`}>
          {nameOfPrincipal(user)}
        </CellLink>,
      ],
      [details.id, user.ID],
      ...userTextFields.map((field): Fact => [userFields[field], user[field]]),
      [columns.lastLogin, user.LastLoginAt === null ? never : <Moment key="login" at={user.LastLoginAt} />],
      [
        columns.passwordChanged,
        user.PasswordChangedAt === null ? never : <Moment key="password" at={user.PasswordChangedAt} />,
      ],
      [details.created, <Moment key="created" at={user.CreatedAt} />],
      [details.updated, <Moment key="updated" at={user.UpdatedAt} />],
      ...Object.entries(user.Attributes ?? {}).map((attribute): Fact => attribute),
    ];
    return facts.filter(([, value]) => value !== null);
  };
}

interface UserRowsProps {
  readonly id: number;
  readonly usernames: ReadonlyMap<number, string>;
}

function SignIns({ id, usernames }: UserRowsProps) {
  const { signIns } = useUsersMessages();
  const list = useAuditLog({ user: id, signIns: true, pageSize: 10 });
  return <History title={signIns.title} list={list} usernames={usernames} empty={signIns.empty} />;
}

function Changes({ id, usernames }: UserRowsProps) {
  const { history } = useUsersMessages();
  const list = useAuditLog({ user: id, signIns: false, pageSize: 20 });
  return <History title={history.title} list={list} usernames={usernames} user={id} empty={history.empty} />;
}
