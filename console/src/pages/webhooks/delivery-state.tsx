import type { Delivery } from '@anagrafe/client';
import { Badge } from '@mantine/core';
import { useWords } from './words.ts';

const colors = { pending: 'gray', delivered: 'teal', failed: 'red' } as const;

export function DeliveryState({ delivery: { State } }: { delivery: Delivery }) {
  const { list } = useWords();
  return <Badge color={colors[State]}>{list.states[State]}</Badge>;
}
