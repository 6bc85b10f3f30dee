import type { DeliveryDetails } from '@anagrafe/client';
import { Button, Group, Skeleton, Stack } from '@mantine/core';
import { useFormats } from '../../i18n/formats.ts';
import { useCommonMessages, useEventTypeMessages, useWebhooksMessages } from '../../i18n/language.tsx';
import { Facts } from '../../ui/detail-page.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';
import { Moment } from '../../ui/time.tsx';
import { Answer, DeliveryResult, Message } from './delivery-result.tsx';
import { useDelivery, useReplay } from './queries.ts';
import type { WebhookDialogProps } from './webhook-dialogs.tsx';
import { DeliveryState, useNextAttempt } from './webhook-state.tsx';

/** One delivery of a webhook: the request, the response and a button to send it again. */
export function OneDelivery({ webhook, id, onClose }: WebhookDialogProps & { id: string }) {
  const { delivery: messages, list } = useWebhooksMessages();
  const { close, table } = useCommonMessages();
  const { data, error, refetch } = useDelivery(webhook.ID, id);
  const replay = useReplay(webhook.ID);
  const isWaiting = replay.isPending || (data?.State === 'pending' && data.Attempts === 0);
  return (
    <Dialog title={messages.title(id.slice(0, 8))} onClose={onClose}>
      <Stack>
        {!data && !error && <Skeleton height={260} />}
        {!data && error && <Failure error={error} title={table.failed} onRetry={refetch} />}
        {data && <Details delivery={data} enabled={webhook.DisabledAt === null} />}
        {replay.error && <Failure error={replay.error} title={list.notSent} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {close}
          </Button>
          {data && isSendable(data) && (
            <Button
              // `disabled` would drop the focus, and keyboard users would lose their position on the page.
              aria-disabled={isWaiting}
              data-disabled={isWaiting}
              onClick={() => isWaiting || replay.mutate(id)}
            >
              {list.again}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}

/** False for a test, which reports no event, and for a delivery whose message is no longer stored. */
function isSendable({ Type, Message: message }: DeliveryDetails): boolean {
  return Type !== 'webhook.test' && message !== null;
}

function Details({ delivery, enabled }: { delivery: DeliveryDetails; enabled: boolean }) {
  const { list, delivery: messages, next } = useWebhooksMessages();
  const names = useEventTypeMessages();
  const { number } = useFormats();
  const { AttemptedAt, NextAt } = delivery;
  return (
    <>
      <DeliveryResult result={delivery} delivered={delivery.State === 'delivered'} />
      {delivery.Status !== null && <Answer text={delivery.Answer} />}
      <Facts
        facts={[
          [messages.type, names[delivery.Type]],
          [list.state, <DeliveryState key="state" delivery={delivery} />],
          [list.attempts, number(delivery.Attempts)],
          [messages.created, <Moment key="created" at={delivery.CreatedAt} />],
          AttemptedAt !== null && [messages.attempted, <Moment key="attempted" at={AttemptedAt} />],
          NextAt !== null && [next.attempt, <Next key="next" at={NextAt} enabled={enabled} />],
          ['webhook-id', delivery.ID],
        ]}
      />
      <Message body={delivery.Message} />
    </>
  );
}

function Next({ at, enabled }: { at: string; enabled: boolean }) {
  return useNextAttempt(at, enabled);
}
