import { RecordError } from '@anagrafe/client';
import { useRef } from 'react';

/** The record may have been written, or will be by the same call sent again. */
const open: readonly string[] = ['NOT_APPLIED', 'OUTCOME_UNKNOWN'];

/**
 * Sends a content by one key for as long as no answer has said what became of it: whoever presses again, since the answer was lost, does
 * the same once. After a refusal the same content is another call, since the reason may be gone.
 */
export function useOnce<Wish, Result>(
  send: (wish: Wish, idempotencyKey: string) => Promise<Result>,
): (wish: Wish) => Promise<Result> {
  const unanswered = useRef<{ readonly content: string; readonly key: string }>(null);

  return async (wish) => {
    const content = JSON.stringify(wish);
    if (unanswered.current?.content !== content) unanswered.current = { content, key: newKey() };
    try {
      const result = await send(wish, unanswered.current.key);
      unanswered.current = null;
      return result;
    } catch (error) {
      if (error instanceof RecordError && !open.includes(error.code)) unanswered.current = null;
      throw error;
    }
  };
}

/** Not `crypto.randomUUID`, which a page that came over plain http does not have. */
function newKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}
