import type { Job } from '@anagrafe/client';
import { Badge } from '@mantine/core';
import { useWords } from './words.ts';

const colors = { queued: 'gray', running: 'indigo', completed: 'teal', cancelled: 'gray' } as const;

export function State({ state }: { state: Job['State'] }) {
  const { states } = useWords();
  return <Badge color={colors[state]}>{states[state]}</Badge>;
}
