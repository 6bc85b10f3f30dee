import type { Client } from '@anagrafe/client';
import { Badge, Button, Code, Group, Text } from '@mantine/core';
import type { ComponentType } from 'react';
import { useClientsMessages } from '../../i18n/language.tsx';
import { ActionsMenu, CreateButton } from '../../ui/actions-menu.tsx';
import { useDialog } from '../../ui/dialog.tsx';
import { ListPage } from '../../ui/list-page.tsx';
import { type Column, Note } from '../../ui/table.tsx';
import { Tags } from '../../ui/tags.tsx';
import { Moment } from '../../ui/time.tsx';
import { useMay, usePermitted, useSession } from '../session/session.ts';
import { Create, Edit, Revoke, Rotate } from './client-dialogs.tsx';
import { useClients } from './queries.ts';

export function Clients() {
  const messages = useClientsMessages();
  const { data, error, refetch } = useClients();
  const may = useMay();
  const [dialog, open] = useDialog();
  const ownKey = useSession().data?.Client?.PublicKey;
  const create = () => open((close) => <Create onClose={close} />);
  return (
    <ListPage
      title={messages.title}
      intro={messages.intro}
      actions={may('clients.write') && <CreateButton onClick={create}>{messages.create}</CreateButton>}
      caption={messages.caption}
      columns={useColumns(open, ownKey)}
      list={{ rows: data, error, refetch }}
      keyOf={({ ID }) => ID}
      empty={{
        ...messages.empty,
        action: may('clients.write') && (
          <Button variant="default" mt="xs" onClick={create}>
            {messages.empty.action}
          </Button>
        ),
      }}
    >
      {dialog}
    </ListPage>
  );
}

/** `ownKey` is the public key of the client of the current console session. */
function useColumns(
  open: ReturnType<typeof useDialog>[1],
  ownKey: string | undefined,
): readonly Column<Client>[] {
  const messages = useClientsMessages();
  const { columns } = messages;
  const permitted = usePermitted();
  const action = (name: string, client: Client, Dialog: ComponentType<Parameters<typeof Edit>[0]>) => ({
    name,
    onChoose: () =>
      open((close) => <Dialog client={client} own={client.PublicKey === ownKey} onClose={close} />),
  });
  return [
    {
      name: columns.name,
      card: 'title',
      cell: ({ Name, PublicKey, Tags: tags, RevokedAt }) => (
        <Group gap="xs">
          <Text fw={600} size="sm" {...(RevokedAt && { c: 'dimmed', td: 'line-through' })}>
            {Name}
          </Text>
          {RevokedAt && (
            <Badge color="red" flex="none">
              {messages.revoked}
            </Badge>
          )}
          {PublicKey === ownKey && <Badge flex="none">{messages.you}</Badge>}
          <Tags tags={tags} />
        </Group>
      ),
    },
    { name: columns.publicKey, card: 'full', cell: ({ PublicKey }) => <Code>{PublicKey}</Code> },
    {
      name: columns.scopes,
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
      cell: ({ Networks, KnownByAddress }) => (
        <>
          {Networks.length === 0 ? messages.anywhere : Networks.join(', ')}
          {KnownByAddress && <Note>{messages.knownByAddress}</Note>}
        </>
      ),
    },
    { name: columns.created, cell: ({ CreatedAt }) => <Moment at={CreatedAt} /> },
    {
      name: columns.actions,
      quiet: true,
      numeric: true,
      cell: (client) =>
        client.RevokedAt === null && (
          <ActionsMenu
            label={messages.actionsOf(client.Name)}
            actions={permitted('clients.write', [
              action(messages.edit, client, Edit),
              action(messages.rotate, client, Rotate),
              { ...action(messages.revoke, client, Revoke), isDestructive: true },
            ])}
          />
        ),
    },
  ];
}
