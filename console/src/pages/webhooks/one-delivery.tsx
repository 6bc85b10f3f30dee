import type { Webhook, WholeDelivery } from '@anagrafe/client';
import { Button, Group, Skeleton, Stack } from '@mantine/core';
import { useDelivery, useReplay } from '../../api/webhooks.ts';
import { useFormats } from '../../language/formats.ts';
import { useWords as useCommonWords } from '../../language/words.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { useTypeWords } from '../../parts/event-types/words.ts';
import { type Fact, Facts } from '../../parts/facts.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Answer } from './answer.tsx';
import { CameBack } from './came-back.tsx';
import { DeliveryState } from './delivery-state.tsx';
import { Message } from './message.tsx';
import { useNextAttempt } from './next-attempt.ts';
import { useWords } from './words.ts';

interface OneDeliveryProps {
  readonly webhook: Webhook;
  readonly id: string;
  readonly onClose: () => void;
}

/** One message to a webhook: what was sent, what came back, and what to do. */
export function OneDelivery({ webhook, id, onClose }: OneDeliveryProps) {
  const { delivery: words, list } = useWords();
  const { close, table } = useCommonWords();
  const { data, error, refetch } = useDelivery(webhook.ID, id);
  const replay = useReplay(webhook.ID);
  const waits = replay.isPending || (data?.State === 'pending' && data.Attempts === 0);
  return (
    <Dialog title={words.title(id.slice(0, 8))} opened onClose={onClose}>
      <Stack>
        {!data && !error && <Skeleton height={260} />}
        {!data && error && <Failure error={error} title={table.failed} onRetry={refetch} />}
        {data && <Shown delivery={data} enabled={webhook.DisabledAt === null} />}
        {replay.error && <Failure error={replay.error} title={list.notSent} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {close}
          </Button>
          {data && isSendable(data) && (
            <Button
              // A button that is disabled loses the focus, and with it the place of whoever has no mouse.
              aria-disabled={waits}
              data-disabled={waits}
              onClick={() => waits || replay.mutate(id)}
            >
              {list.again}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}

/** A test tells of nothing that happened, and what is forgotten cannot be told. */
function isSendable({ Type, Message: message }: WholeDelivery): boolean {
  return Type !== 'webhook.test' && message !== null;
}

function Shown({ delivery, enabled }: { delivery: WholeDelivery; enabled: boolean }) {
  const { list, delivery: words, next } = useWords();
  const names = useTypeWords();
  const { number } = useFormats();
  const { AttemptedAt, NextAt } = delivery;
  const facts: readonly (Fact | null)[] = [
    [words.type, names[delivery.Type]],
    [list.state, <DeliveryState key="state" delivery={delivery} />],
    [list.attempts, number(delivery.Attempts)],
    [words.created, <Moment key="created" at={delivery.CreatedAt} />],
    AttemptedAt === null ? null : [words.attempted, <Moment key="attempted" at={AttemptedAt} />],
    NextAt === null ? null : [next.attempt, <Next key="next" at={NextAt} enabled={enabled} />],
    ['webhook-id', delivery.ID],
  ];
  return (
    <>
      <CameBack came={delivery} delivered={delivery.State === 'delivered'} />
      {delivery.Status !== null && <Answer text={delivery.Answer} />}
      <Facts facts={facts.filter((fact) => fact !== null)} />
      <Message body={delivery.Message} />
    </>
  );
}

function Next({ at, enabled }: { at: string; enabled: boolean }) {
  return useNextAttempt(at, enabled);
}
