import type { EventType } from '@anagrafe/client';
import { useTypeWords } from '../../parts/event-types/words.ts';
import { useWords } from './words.ts';

/** What a webhook is told of. */
export function Types({ types }: { types: readonly EventType[] }) {
  const { allTypes } = useWords();
  const names = useTypeWords();
  return types.length === 0 ? allTypes : types.map((type) => names[type]).join(', ');
}
