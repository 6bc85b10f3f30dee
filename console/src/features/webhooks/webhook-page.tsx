import type { Delivery } from '@anagrafe/client';
import { Anchor, Box, Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { useFormats } from '../../i18n/formats.ts';
import { useFailureCauseMessages, useWebhooksMessages } from '../../i18n/messages.ts';
import { Facts } from '../../ui/facts.tsx';
import { Failure, LoadingOrError } from '../../ui/loading-or-error.tsx';
import { Moment } from '../../ui/moment.tsx';
import { useNotice } from '../../ui/notice.tsx';
import { Page, Surface } from '../../ui/page.tsx';
import { FailedOnly, PagedTable, useFailedOnly, usePageNumber } from '../../ui/paged-table.tsx';
import { type Column, Empty } from '../../ui/table.tsx';
import { useEventTypeMessages } from '../events/event-types.ts';
import { OneDelivery } from './delivery-dialog.tsx';
import { causeOf } from './failure-cause.ts';
import { useDeliveries, useReplay } from './queries.ts';
import { Try } from './webhook-dialogs.tsx';
import { DeliveryState, State, Types, useNextAttempt } from './webhook-state.tsx';

/** Keeps the ID of the open dialog in the URL (`?open=<id>`), so that links and the back button work. */
export function useOpenId(): [id: string | null, open: (id: string | null) => void] {
  const [search, setSearch] = useSearchParams();
  const open = (id: string | null) =>
    setSearch((before) => {
      const after = new URLSearchParams(before);
      if (id === null) after.delete('open');
      else after.set('open', id);
      return after;
    });
  return [search.get('open'), open];
}

interface Handlers {
  readonly onOpen: (delivery: string) => void;
  readonly onAgain: (delivery: string) => void;
}

/** Returns the columns of the list of deliveries. `enabled` is the state of the webhook. */
export function useDeliveryColumns(
  enabled: boolean,
  { onOpen, onAgain }: Handlers,
): readonly Column<Delivery>[] {
  const { list } = useWebhooksMessages();
  const names = useEventTypeMessages();
  const { number } = useFormats();
  const lastAttempt = (delivery: Delivery) => <LastAttempt delivery={delivery} enabled={enabled} />;
  return [
    { name: list.at, wide: true, cell: ({ CreatedAt }) => <Moment at={CreatedAt} /> },
    {
      name: list.type,
      cell: (delivery) => (
        <>
          <Anchor component="button" type="button" size="sm" ta="left" onClick={() => onOpen(delivery.ID)}>
            {names[delivery.Type]}
            <Text size="xs" c="dimmed" component="span" display="block">
              {delivery.ID.slice(0, 8)}
            </Text>
          </Anchor>
          <Box hiddenFrom="sm" fz="xs">
            <Moment at={delivery.CreatedAt} />
            <br />
            {lastAttempt(delivery)}
          </Box>
        </>
      ),
    },
    { name: list.state, cell: (delivery) => <DeliveryState delivery={delivery} /> },
    { name: list.attempts, wide: true, numeric: true, cell: ({ Attempts }) => number(Attempts) },
    { name: list.answer, wide: true, cell: lastAttempt },
    {
      name: list.actions,
      wide: true,
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
  return (
    <Text size="xs" c="dimmed">
      {list.next(useNextAttempt(at, enabled))}
    </Text>
  );
}

/** `/console/webhooks/3`: a webhook and its deliveries. */
export function OneWebhook({ id }: { id: number }) {
  const messages = useWebhooksMessages();
  const { number } = useFormats();
  const say = useNotice();
  const [place, goTo] = usePageNumber();
  const [failed, chooseFailed] = useFailedOnly();
  const [opened, open] = useOpenId();
  const [isTesting, setIsTesting] = useState(false);
  const list = useDeliveries(id, place, failed);
  const replay = useReplay(id);
  const webhook = list.data?.record;
  const enabled = webhook?.DisabledAt === null;

  function sendAgain(delivery: string | null) {
    replay.mutate(delivery, {
      onSuccess: (count) => {
        if (count === 0) say(messages.list.noneGivenUp);
        else say(enabled ? messages.list.sent(number(count)) : messages.list.whenEnabled);
      },
    });
  }

  const columns = useDeliveryColumns(enabled, { onOpen: open, onAgain: sendAgain });
  const actions = (
    <>
      {webhook && (
        <Button variant="default" onClick={() => setIsTesting(true)}>
          {messages.test}
        </Button>
      )}
      <Button variant="default" loading={replay.isPending} onClick={() => sendAgain(null)}>
        {messages.list.allAgain}
      </Button>
    </>
  );
  const filter = <FailedOnly label={messages.list.failedOnly} failed={failed} onFailed={chooseFailed} />;
  return (
    <Page title={messages.one(id)} back={{ href: '/webhooks', name: messages.all }} actions={actions}>
      {!webhook && <LoadingOrError list={list} />}
      {replay.error && <Failure error={replay.error} title={messages.list.notSent} />}
      {webhook && (
        <>
          <Surface title={messages.figures}>
            <Facts
              facts={[
                [messages.columns.url, webhook.URL],
                [messages.columns.state, <State key="state" webhook={webhook} />],
                [messages.columns.types, <Types key="types" types={webhook.Types} />],
                [messages.columns.granularity, messages.granularity[webhook.Granularity]],
                [messages.columns.created, <Moment key="created" at={webhook.CreatedAt} />],
              ]}
            />
          </Surface>
          <Surface title={messages.list.title} actions={filter} flush>
            <PagedTable
              caption={messages.list.caption}
              columns={columns}
              list={list}
              place={place}
              onPage={goTo}
              keyOf={({ ID }) => ID}
              empty={
                failed ? (
                  <Empty title={messages.list.noneFailed} hint={messages.list.noneFailedHint} />
                ) : (
                  <Empty title={messages.list.none} hint={messages.list.noneHint} />
                )
              }
            />
          </Surface>
          {opened !== null && <OneDelivery webhook={webhook} id={opened} onClose={() => open(null)} />}
          {isTesting && <Try webhook={webhook} onClose={() => setIsTesting(false)} />}
        </>
      )}
    </Page>
  );
}
