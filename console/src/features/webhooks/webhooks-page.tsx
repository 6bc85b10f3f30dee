import type { Webhook } from '@anagrafe/client';
import { Button } from '@mantine/core';
import type { ComponentType } from 'react';
import { useParams } from 'wouter';
import { useWebhooksMessages } from '../../i18n/language.tsx';
import { ActionsMenu, CreateButton } from '../../ui/actions-menu.tsx';
import { useDialog } from '../../ui/dialog.tsx';
import { ListPage } from '../../ui/list-page.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';
import { useNotice } from '../../ui/notice.tsx';
import { idOf, NotFound } from '../../ui/page.tsx';
import { CellLink, type Column } from '../../ui/table.tsx';
import { Moment } from '../../ui/time.tsx';
import { useMay, usePermitted } from '../session/session.ts';
import { useChangeWebhook, useWebhooks } from './queries.ts';
import { Create, Edit, Remove, Rotate, Test, type WebhookDialogProps } from './webhook-dialogs.tsx';
import { OneWebhook } from './webhook-page.tsx';
import { State, Types } from './webhook-state.tsx';

/** `/console/webhooks`: the list of webhooks, or the webhook whose ID is in the URL. */
export function Webhooks() {
  const { all } = useWebhooksMessages();
  const { id: text } = useParams<{ id?: string }>();
  if (text === undefined) return <AllWebhooks />;
  const id = idOf(text);
  return id === null ? <NotFound back={{ href: '/webhooks', name: all }} /> : <OneWebhook id={id} />;
}

function AllWebhooks() {
  const messages = useWebhooksMessages();
  const { columns: names, granularity } = messages;
  const notify = useNotice();
  const { data, error, refetch } = useWebhooks();
  const change = useChangeWebhook();
  const may = useMay();
  const permitted = usePermitted();
  const [dialog, open] = useDialog();
  const create = () => open((close) => <Create onClose={close} />);

  function actionsOf(webhook: Webhook) {
    const isDisabled = webhook.DisabledAt !== null;
    const action = (name: string, Dialog: ComponentType<WebhookDialogProps>) => ({
      name,
      onChoose: () => open((close) => <Dialog webhook={webhook} onClose={close} />),
    });
    const toggle = () =>
      change.mutate(
        { id: webhook.ID, Enabled: isDisabled },
        { onSuccess: () => notify(isDisabled ? messages.wasEnabled : messages.wasDisabled) },
      );
    return [
      { name: messages.deliveries, href: `/webhooks/${webhook.ID}` },
      ...permitted('webhooks.write', [
        action(messages.test, Test),
        action(messages.edit, Edit),
        action(messages.rotate, Rotate),
        { name: isDisabled ? messages.enable : messages.disable, onChoose: toggle },
        { ...action(messages.remove, Remove), isDestructive: true },
      ]),
    ];
  }

  const columns: readonly Column<Webhook>[] = [
    {
      name: names.url,
      card: 'title',
      cell: ({ ID, URL }) => (
        <CellLink href={`/webhooks/${ID}`} isName>
          {URL}
        </CellLink>
      ),
    },
    { name: names.state, cell: (webhook) => <State webhook={webhook} /> },
    { name: names.types, cell: ({ Types: types }) => <Types types={types} /> },
    { name: names.granularity, cell: ({ Granularity }) => granularity[Granularity] },
    { name: names.created, cell: ({ CreatedAt }) => <Moment at={CreatedAt} /> },
    {
      name: names.actions,
      quiet: true,
      numeric: true,
      cell: (webhook) => <ActionsMenu label={messages.actionsOf(webhook.URL)} actions={actionsOf(webhook)} />,
    },
  ];
  return (
    <ListPage
      title={messages.title}
      intro={messages.intro}
      actions={may('webhooks.write') && <CreateButton onClick={create}>{messages.create}</CreateButton>}
      failure={change.error && <Failure error={change.error} title={messages.notChanged} />}
      caption={messages.caption}
      columns={columns}
      list={{ rows: data, error, refetch }}
      keyOf={({ ID }) => ID}
      empty={{
        ...messages.empty,
        action: (
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
