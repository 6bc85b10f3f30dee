import type { Delivery, EventType, Webhook } from '@anagrafe/client';
import { Badge } from '@mantine/core';
import { useFormats } from '../../i18n/formats.ts';
import { useEventTypeMessages, useWebhooksMessages } from '../../i18n/language.tsx';
import { Note } from '../../ui/table.tsx';
import { useNow } from '../../ui/time.tsx';
import { useDisabledReason } from './failure-cause.ts';

/** The names of the event types of a webhook. An empty list means all types. */
export function Types({ types }: { types: readonly EventType[] }) {
  const { allTypes } = useWebhooksMessages();
  const names = useEventTypeMessages();
  return types.length === 0 ? allTypes : types.map((type) => names[type]).join(', ');
}

export function State({ webhook: { DisabledAt, DisabledReason, DisabledDetails } }: { webhook: Webhook }) {
  const messages = useWebhooksMessages();
  const describeReason = useDisabledReason();
  if (DisabledAt === null) {
    return <Badge color="teal">{messages.enabled}</Badge>;
  }
  return (
    <>
      <Badge color="red">{messages.disabled}</Badge>
      {DisabledReason && DisabledDetails && <Note>{describeReason(DisabledReason, DisabledDetails)}</Note>}
    </>
  );
}

const colors = { pending: 'gray', delivered: 'teal', failed: 'red' } as const;

export function DeliveryState({ delivery: { State } }: { delivery: Delivery }) {
  const { list } = useWebhooksMessages();
  return <Badge color={colors[State]}>{list.states[State]}</Badge>;
}

/** Returns the time of the next attempt, "in 5 seconds", updated every second. A disabled webhook gets no attempts. */
export function useNextAttempt(at: string, enabled: boolean): string {
  const { next } = useWebhooksMessages();
  const { ago } = useFormats();
  const now = useNow(1_000);
  if (!enabled) return next.onceEnabled;
  const date = new Date(at);
  return date > now ? ago(date, now) : next.now;
}
