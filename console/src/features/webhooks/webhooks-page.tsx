import type { Webhook } from '@anagrafe/client';
import { ActionIcon, Anchor, Button, Menu } from '@mantine/core';
import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { useWebhooksMessages } from '../../i18n/messages.ts';
import { Icon } from '../../ui/icon.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';
import { Moment } from '../../ui/moment.tsx';
import { useNotice } from '../../ui/notice.tsx';
import { Page, TableFrame } from '../../ui/page.tsx';
import { type Column, Empty, Table } from '../../ui/table.tsx';
import { useChangeWebhook, useWebhooks } from './queries.ts';
import { Create, Edit, Remove, Rotate, Try } from './webhook-dialogs.tsx';
import { OneWebhook } from './webhook-page.tsx';
import { State, Types } from './webhook-state.tsx';

interface Handlers {
  readonly onAct: (webhook: Webhook, act: ClientAction) => void;
  readonly onEnable: (webhook: Webhook, enabled: boolean) => void;
}

/** Returns the columns of the list of webhooks. */
export function useColumns(handlers: Handlers): readonly Column<Webhook>[] {
  const { columns, granularity } = useWebhooksMessages();
  return [
    {
      name: columns.url,
      cell: ({ ID, URL }) => (
        <Anchor
          component={Link}
          href={`/webhooks/${ID}`}
          size="sm"
          fw={600}
          style={{ overflowWrap: 'anywhere' }}
        >
          {URL}
        </Anchor>
      ),
    },
    { name: columns.state, cell: (webhook) => <State webhook={webhook} /> },
    { name: columns.types, wide: true, cell: ({ Types: types }) => <Types types={types} /> },
    {
      name: columns.granularity,
      wide: true,
      cell: ({ Granularity }) => granularity[Granularity],
    },
    { name: columns.created, wide: true, cell: ({ CreatedAt }) => <Moment at={CreatedAt} /> },
    {
      name: columns.actions,
      quiet: true,
      numeric: true,
      cell: (webhook) => <Actions webhook={webhook} {...handlers} />,
    },
  ];
}

function Actions({ webhook, onAct, onEnable }: Handlers & { webhook: Webhook }) {
  const messages = useWebhooksMessages();
  const disabled = webhook.DisabledAt !== null;
  return (
    <Menu position="bottom-end" width={230}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" c="inherit" aria-label={messages.actionsOf(webhook.URL)}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} href={`/webhooks/${webhook.ID}`}>
          {messages.deliveries}
        </Menu.Item>
        <Menu.Item onClick={() => onAct(webhook, 'try')}>{messages.test}</Menu.Item>
        <Menu.Item onClick={() => onAct(webhook, 'edit')}>{messages.edit}</Menu.Item>
        <Menu.Item onClick={() => onAct(webhook, 'rotate')}>{messages.rotate}</Menu.Item>
        <Menu.Item onClick={() => onEnable(webhook, disabled)}>
          {disabled ? messages.enable : messages.disable}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item c="var(--mantine-color-error)" onClick={() => onAct(webhook, 'remove')}>
          {messages.remove}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const dialogs = { edit: Edit, try: Try, rotate: Rotate, remove: Remove };
export type ClientAction = keyof typeof dialogs;

/** `/console/webhooks`: the list of webhooks, or the webhook whose ID is in the URL. */
export function Webhooks() {
  const { id } = useParams<{ id?: string }>();
  return id ? <OneWebhook id={Number(id)} /> : <AllWebhooks />;
}

function AllWebhooks() {
  const messages = useWebhooksMessages();
  const say = useNotice();
  const webhooks = useWebhooks();
  const change = useChangeWebhook();
  const [creating, setCreating] = useState(false);
  const [chosen, setChosen] = useState<{ webhook: Webhook; act: ClientAction } | null>(null);
  const ChosenDialog = chosen && dialogs[chosen.act];
  const columns = useColumns({
    onAct: (webhook, act) => setChosen({ webhook, act }),
    onEnable: ({ ID: id }, Enabled) =>
      change.mutate(
        { id, Enabled },
        { onSuccess: () => say(Enabled ? messages.wasEnabled : messages.wasDisabled) },
      ),
  });

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
      {change.error && <Failure error={change.error} title={messages.notChanged} />}
      <TableFrame>
        <Table
          caption={messages.caption}
          columns={columns}
          rows={webhooks.data}
          keyOf={({ ID }) => ID}
          error={webhooks.error}
          onRetry={webhooks.refetch}
          empty={<Empty title={messages.empty.title} hint={messages.empty.hint} action={createFirst} />}
        />
      </TableFrame>
      {creating && <Create onClose={() => setCreating(false)} />}
      {chosen && ChosenDialog && <ChosenDialog webhook={chosen.webhook} onClose={() => setChosen(null)} />}
    </Page>
  );
}
