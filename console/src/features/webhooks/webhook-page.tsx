import type { Delivery } from '@anagrafe/client';
import { Anchor, Button, Text } from '@mantine/core';
import { useFormats } from '../../i18n/formats.ts';
import { useEventTypeMessages, useFailureCauseMessages, useWebhooksMessages } from '../../i18n/language.tsx';
import { DetailPage } from '../../ui/detail-page.tsx';
import { useDialog } from '../../ui/dialog.tsx';
import { FailedOnly, useFailedOnly } from '../../ui/filters.tsx';
import { ListSection } from '../../ui/list-page.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';
import { useNotice } from '../../ui/notice.tsx';
import { useSearchParameters } from '../../ui/paging.tsx';
import { type Column, Note } from '../../ui/table.tsx';
import { Moment } from '../../ui/time.tsx';
import { OneDelivery } from './delivery-dialog.tsx';
import { causeOf } from './failure-cause.ts';
import { useDeliveries, useReplay } from './queries.ts';
import { Test } from './webhook-dialogs.tsx';
import { DeliveryState, State, Types, useNextAttempt } from './webhook-state.tsx';

/** The page of a webhook, `/console/webhooks/3`, and its deliveries. The ID of the open delivery is in `?open=`. */
export function OneWebhook({ id }: { id: number }) {
  const messages = useWebhooksMessages();
  const { number } = useFormats();
  const notify = useNotice();
  const [failed] = useFailedOnly();
  const [search, setParameters] = useSearchParameters();
  const openId = search.get('open');
  const [dialog, open] = useDialog();
  const list = useDeliveries(id, failed);
  const replay = useReplay(id);
  const webhook = list.data?.record;
  const enabled = webhook?.DisabledAt === null;

  function sendAgain(delivery: string | null) {
    replay.mutate(delivery, {
      onSuccess: (count) => {
        if (count === 0) notify(messages.list.noneGivenUp);
        else notify(enabled ? messages.list.sent(number(count)) : messages.list.whenEnabled);
      },
    });
  }

  const columns = useColumns(enabled, {
    onOpen: (delivery) => setParameters({ open: delivery }),
    onAgain: sendAgain,
  });
  const actions = (
    <>
      <Button
        variant="default"
        disabled={!webhook}
        onClick={() => webhook && open((close) => <Test webhook={webhook} onClose={close} />)}
      >
        {messages.test}
      </Button>
      <Button variant="default" loading={replay.isPending} onClick={() => sendAgain(null)}>
        {messages.list.allAgain}
      </Button>
    </>
  );
  return (
    <DetailPage
      title={messages.one(id)}
      back={{ href: '/webhooks', name: messages.all }}
      actions={actions}
      query={list}
      notice={replay.error && <Failure error={replay.error} title={messages.list.notSent} />}
      factsTitle={messages.figures}
      expectedFacts={5}
      facts={
        webhook && [
          [messages.columns.url, webhook.URL],
          [messages.columns.state, <State key="state" webhook={webhook} />],
          [messages.columns.types, <Types key="types" types={webhook.Types} />],
          [messages.columns.granularity, messages.granularity[webhook.Granularity]],
          [messages.columns.created, <Moment key="created" at={webhook.CreatedAt} />],
        ]
      }
    >
      <ListSection
        title={messages.list.title}
        actions={<FailedOnly label={messages.list.failedOnly} />}
        caption={messages.list.caption}
        columns={columns}
        list={list}
        keyOf={({ ID }) => ID}
        empty={
          failed
            ? { title: messages.list.noneFailed, hint: messages.list.noneFailedHint }
            : { title: messages.list.none, hint: messages.list.noneHint }
        }
      />
      {webhook && openId !== null && (
        <OneDelivery webhook={webhook} id={openId} onClose={() => setParameters({ open: null })} />
      )}
      {dialog}
    </DetailPage>
  );
}

interface Handlers {
  readonly onOpen: (delivery: string) => void;
  readonly onAgain: (delivery: string) => void;
}

function useColumns(enabled: boolean, { onOpen, onAgain }: Handlers): readonly Column<Delivery>[] {
  const { list } = useWebhooksMessages();
  const names = useEventTypeMessages();
  const { number } = useFormats();
  return [
    { name: list.at, cell: ({ CreatedAt }) => <Moment at={CreatedAt} /> },
    {
      name: list.type,
      card: 'title',
      cell: ({ ID, Type }) => (
        <Anchor component="button" type="button" size="sm" ta="left" onClick={() => onOpen(ID)}>
          {names[Type]}
          <Text size="xs" c="dimmed" component="span" display="block">
            {ID.slice(0, 8)}
          </Text>
        </Anchor>
      ),
    },
    { name: list.state, cell: (delivery) => <DeliveryState delivery={delivery} /> },
    { name: list.attempts, numeric: true, cell: ({ Attempts }) => number(Attempts) },
    { name: list.answer, cell: (delivery) => <LastAttempt delivery={delivery} enabled={enabled} /> },
    {
      name: list.actions,
      quiet: true,
      numeric: true,
      // A test delivery reports no event; a new test serves the same purpose.
      cell: ({ ID, Type, State }) =>
        Type !== 'webhook.test' &&
        State !== 'pending' && (
          <Button
            variant="default"
            size="compact-sm"
            aria-label={list.againOf(ID.slice(0, 8))}
            onClick={() => onAgain(ID)}
          >
            {list.again}
          </Button>
        ),
    },
  ];
}

function LastAttempt({ delivery, enabled }: { delivery: Delivery; enabled: boolean }) {
  const { answered } = useWebhooksMessages();
  const { causes } = useFailureCauseMessages();
  const { Status, NextAt } = delivery;
  const cause = causeOf(delivery);
  return (
    <>
      {Status !== null ? answered(Status) : cause ? causes[cause].what : '—'}
      {NextAt && <Next at={NextAt} enabled={enabled} />}
    </>
  );
}

function Next({ at, enabled }: { at: string; enabled: boolean }) {
  const { list } = useWebhooksMessages();
  return <Note>{list.next(useNextAttempt(at, enabled))}</Note>;
}
