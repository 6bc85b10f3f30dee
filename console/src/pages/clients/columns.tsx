import type { Client } from '@anagrafe/client';
import { ActionIcon, Badge, Code, Group, Menu, Text } from '@mantine/core';
import { Icon } from '../../parts/icon.tsx';
import { Moment } from '../../parts/moment.tsx';
import type { Column } from '../../parts/table.tsx';
import type { Act } from './clients.tsx';
import { useWords } from './words.ts';

/** What the list shows of a client; `own` is the public key of the one that is signed in. */
export function useColumns(
  own: string | null,
  onAct: (client: Client, act: Act) => void,
): readonly Column<Client>[] {
  const words = useWords();
  const { columns } = words;
  return [
    {
      name: columns.name,
      cell: ({ Name, PublicKey, RevokedAt }) => (
        <Group gap="xs">
          <Text fw={600} size="sm" {...(RevokedAt && { c: 'dimmed', td: 'line-through' })}>
            {Name}
          </Text>
          {RevokedAt && (
            <Badge color="red" flex="none">
              {words.revoked}
            </Badge>
          )}
          {PublicKey === own && <Badge flex="none">{words.you}</Badge>}
        </Group>
      ),
    },
    { name: columns.publicKey, wide: true, cell: ({ PublicKey }) => <Code>{PublicKey}</Code> },
    {
      name: columns.scopes,
      wide: true,
      cell: ({ Scopes }) => (
        <Group gap={4}>
          {Scopes.map((scope) => (
            <Badge key={scope} variant="default" fw={500}>
              {scope}
            </Badge>
          ))}
        </Group>
      ),
    },
    {
      name: columns.networks,
      wide: true,
      cell: ({ Networks, KnownByAddress }) => (
        <>
          {Networks.length === 0 ? words.anywhere : Networks.join(', ')}
          {KnownByAddress && (
            <Text size="xs" c="dimmed">
              {words.knownByAddress}
            </Text>
          )}
        </>
      ),
    },
    { name: columns.created, cell: ({ CreatedAt }) => <Moment at={CreatedAt} /> },
    {
      name: columns.actions,
      quiet: true,
      numeric: true,
      cell: (client) =>
        client.RevokedAt === null && <Actions name={client.Name} onAct={(act) => onAct(client, act)} />,
    },
  ];
}

function Actions({ name, onAct }: { name: string; onAct: (act: Act) => void }) {
  const words = useWords();
  return (
    <Menu position="bottom-end" width={210}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" c="inherit" aria-label={words.actionsOf(name)}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onAct('edit')}>{words.edit}</Menu.Item>
        <Menu.Item onClick={() => onAct('rotate')}>{words.rotate}</Menu.Item>
        <Menu.Divider />
        <Menu.Item c="var(--mantine-color-error)" onClick={() => onAct('revoke')}>
          {words.revoke}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
