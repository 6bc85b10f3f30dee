import type { State } from '@anagrafe/client';
import { Badge } from '@mantine/core';
import { useWords } from './words.ts';

/** In Italian a principal and a user are not of the same gender. */
export function StateBadge({ of, state }: { of: 'principal' | 'user'; state: State }) {
  const { states } = useWords();
  return (
    <Badge
      flex="none"
      {...(state === 'active' ? { variant: 'default' } : { variant: 'light', color: 'red' })}
    >
      {states[of][state]}
    </Badge>
  );
}
