import type { Client } from '@anagrafe/client';
import { ActionIcon, Badge, Button, Code, Group, Menu, Text } from '@mantine/core';
import { useState } from 'react';
import { useClientsMessages } from '../../i18n/messages.ts';
import { Icon } from '../../ui/icon.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Page, TableFrame } from '../../ui/page.tsx';
import { type Column, Empty, Table } from '../../ui/table.tsx';
import { useSession } from '../session/session.ts';
import { Create, Edit, Revoke, Rotate } from './client-dialogs.tsx';
import { useClients } from './queries.ts';

/** Columns of the clients table. `own` is the public key of the client of the current console session. */
export function useColumns(
  own: string | null,
  onAct: (client: Client, act: ClientAction) => void,
): readonly Column<Client>[] {
  const messages = useClientsMessages();
  const { columns } = messages;
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
              {messages.revoked}
            </Badge>
          )}
          {PublicKey === own && <Badge flex="none">{messages.you}</Badge>}
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
          {Networks.length === 0 ? messages.anywhere : Networks.join(', ')}
          {KnownByAddress && (
            <Text size="xs" c="dimmed">
              {messages.knownByAddress}
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

function Actions({ name, onAct }: { name: string; onAct: (act: ClientAction) => void }) {
  const messages = useClientsMessages();
  return (
    <Menu position="bottom-end" width={210}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" c="inherit" aria-label={messages.actionsOf(name)}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onAct('edit')}>{messages.edit}</Menu.Item>
        <Menu.Item onClick={() => onAct('rotate')}>{messages.rotate}</Menu.Item>
        <Menu.Divider />
        <Menu.Item c="var(--mantine-color-error)" onClick={() => onAct('revoke')}>
          {messages.revoke}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

export type ClientAction = 'edit' | 'rotate' | 'revoke';

const dialogs = { edit: Edit, rotate: Rotate, revoke: Revoke };

/** `/console/clients`: the API clients of the service. */
export function Clients() {
  const messages = useClientsMessages();
  const clients = useClients();
  const own = useSession().data?.Client?.PublicKey ?? null;
  const [creating, setCreating] = useState(false);
  const [chosen, setChosen] = useState<{ client: Client; act: ClientAction } | null>(null);
  const columns = useColumns(own, (client, act) => setChosen({ client, act }));
  const ChosenDialog = chosen && dialogs[chosen.act];

  const create = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setCreating(true)}>
      {messages.create}
    </Button>
  );
  const createFirst = (
    <Button variant="default" mt="xs" onClick={() => setCreating(true)}>
      {messages.empty.action}
    </Button>
  );
  return (
    <Page title={messages.title} intro={messages.intro} actions={create}>
      <TableFrame>
        <Table
          caption={messages.caption}
          columns={columns}
          rows={clients.data}
          keyOf={({ ID }) => ID}
          error={clients.error}
          onRetry={clients.refetch}
          empty={<Empty title={messages.empty.title} hint={messages.empty.hint} action={createFirst} />}
        />
      </TableFrame>
      {creating && <Create onClose={() => setCreating(false)} />}
      {chosen && ChosenDialog && (
        <ChosenDialog
          client={chosen.client}
          own={chosen.client.PublicKey === own}
          onClose={() => setChosen(null)}
        />
      )}
    </Page>
  );
}
