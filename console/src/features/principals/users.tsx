import type { Principal, UserOfPrincipal } from '@anagrafe/client';
import { ActionIcon, Menu, Text } from '@mantine/core';
import { useState } from 'react';
import { useCommonMessages, usePrincipalsMessages } from '../../i18n/messages.ts';
import { Icon } from '../../ui/icon.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Surface } from '../../ui/page.tsx';
import { PagedTable, usePageNumber } from '../../ui/paged-table.tsx';
import { Search, useSearchTerm } from '../../ui/search-field.tsx';
import { type Column, Empty } from '../../ui/table.tsx';
import { StateBadge, SwitchUser, type UserAct } from './principal-state.tsx';
import { useUsers } from './queries.ts';
import { Reset } from './user-dialogs.tsx';

/** Returns the columns of the list of users. `onAct` is called when an action is chosen from the menu of a user. */
export function useUserColumns(
  onAct: (user: UserOfPrincipal, act: UserAct) => void,
): readonly Column<UserOfPrincipal>[] {
  const { users: messages } = usePrincipalsMessages();
  const { never } = useCommonMessages();
  const { columns } = messages;
  return [
    {
      name: columns.username,
      cell: ({ Username, ID }) => (
        <>
          <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {Username}
          </Text>
          <Text size="xs" c="dimmed">
            {messages.id(ID)}
          </Text>
        </>
      ),
    },
    { name: columns.email, wide: true, cell: ({ Email }) => Email ?? '—' },
    { name: columns.state, cell: ({ State }) => <StateBadge of="user" state={State} /> },
    {
      name: columns.lastLogin,
      wide: true,
      cell: ({ LastLoginAt }) => (LastLoginAt === null ? never : <Moment at={LastLoginAt} />),
    },
    {
      name: columns.passwordChanged,
      wide: true,
      cell: ({ PasswordChangedAt }) => <Moment at={PasswordChangedAt} />,
    },
    {
      name: columns.actions,
      quiet: true,
      numeric: true,
      cell: (user) => <Actions user={user} onAct={(act) => onAct(user, act)} />,
    },
  ];
}

function Actions({ user, onAct }: { user: UserOfPrincipal; onAct: (act: UserAct) => void }) {
  const { users: messages, turn, reset } = usePrincipalsMessages();
  const isActive = user.State === 'active';
  return (
    <Menu position="bottom-end" width={210}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" c="inherit" aria-label={messages.actionsOf(user.Username)}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onAct('reset')}>{reset.submit}</Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={() => onAct('state')} {...(isActive && { c: 'var(--mantine-color-error)' })}>
          {turn[isActive ? 'disabled' : 'active'].action}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const pageSize = 10;
const dialogs = { reset: Reset, state: SwitchUser };

/** The paged list of the users of a principal, with a search by username. */
export function Users({ principal }: { principal: Principal }) {
  const { users: messages } = usePrincipalsMessages();
  const search = useSearchTerm();
  const [place, goTo] = usePageNumber(pageSize);
  const list = useUsers(principal.ID, search.term, place);
  const [chosen, setChosen] = useState<{ user: UserOfPrincipal; act: UserAct } | null>(null);
  const columns = useUserColumns((user, act) => setChosen({ user, act }));
  const ChosenDialog = chosen && dialogs[chosen.act];
  const field = (
    <Search
      label={messages.search}
      placeholder={messages.searchHint}
      search={search}
      busy={list.isPlaceholderData}
    />
  );
  return (
    <Surface title={messages.title} actions={field} flush>
      <PagedTable
        caption={messages.title}
        columns={columns}
        list={list}
        place={place}
        onPage={goTo}
        keyOf={({ ID }) => ID}
        empty={<Empty {...(principal.UsersCount === 0 ? messages.empty : messages.notFound)} />}
      />
      {chosen && ChosenDialog && <ChosenDialog user={chosen.user} onClose={() => setChosen(null)} />}
    </Surface>
  );
}
