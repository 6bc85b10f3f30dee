import type { UserOfPrincipal } from '@anagrafe/client';
import { ActionIcon, Menu, Text } from '@mantine/core';
import { useWords as useCommonWords } from '../../language/words.ts';
import { Icon } from '../../parts/icon.tsx';
import { Moment } from '../../parts/moment.tsx';
import type { Column } from '../../parts/table.tsx';
import { StateBadge } from './state-badge.tsx';
import type { UserAct } from './user-act.ts';
import { useWords } from './words.ts';

/** What the list shows of a user. */
export function useUserColumns(
  onAct: (user: UserOfPrincipal, act: UserAct) => void,
): readonly Column<UserOfPrincipal>[] {
  const { users: words } = useWords();
  const { never } = useCommonWords();
  const { columns } = words;
  return [
    {
      name: columns.username,
      cell: ({ Username, ID }) => (
        <>
          <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {Username}
          </Text>
          <Text size="xs" c="dimmed">
            {words.id(ID)}
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
  const { users: words, turn, reset } = useWords();
  const isActive = user.State === 'active';
  return (
    <Menu position="bottom-end" width={210}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" c="inherit" aria-label={words.actionsOf(user.Username)}>
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
