import { newIdempotencyKey, RecordError, type Tuple, type WriteResult } from '@anagrafe/client';
import type { QueryKey } from '@tanstack/react-query';
import { useRef } from 'react';
import { useChange } from '../session/api-client.ts';

/** The query key prefix of all queries that a change to a principal or a user invalidates. */
export const principalsKey = ['principals'];

/** Codes of a record that may have been written, or that a retry with the same idempotency key may still write. */
const undecidedCodes: readonly string[] = ['NOT_APPLIED', 'OUTCOME_UNKNOWN'];

export function isUndecided(code: string): boolean {
  return undecidedCodes.includes(code);
}

/**
 * Sends the same input with the same idempotency key until a response reports its outcome, so that a retry after a lost
 * response applies it once. After a `RecordError` that decides the outcome the same input gets a new key, because the
 * cause of the error may be gone.
 */
function useOnce<Input, Result>(
  send: (input: Input, idempotencyKey: string) => Promise<Result>,
): (input: Input) => Promise<Result> {
  const undecided = useRef<{ readonly content: string; readonly key: string }>(null);

  return async (input) => {
    const content = JSON.stringify(input);
    if (undecided.current?.content !== content) undecided.current = { content, key: newIdempotencyKey() };
    try {
      const result = await send(input, undecided.current.key);
      undecided.current = null;
      return result;
    } catch (error) {
      if (error instanceof RecordError && !isUndecided(error.code)) undecided.current = null;
      throw error;
    }
  };
}

/** Creates a mutation with an idempotency key that invalidates queries of principals and users, by default all. */
export function usePrincipalMutation<Input, Result>(
  change: (input: Input, idempotencyKey: string) => Promise<Result>,
  stale: readonly QueryKey[] = [principalsKey],
) {
  return useChange(useOnce(change), () => stale);
}

type AppliedResult = Pick<WriteResult, 'requestId' | 'idempotencyKey'> & {
  readonly tuples: readonly Omit<Tuple, 'Item6'>[];
};

/**
 * Returns the principal ID from the result of a single record.
 *
 * @throws {RecordError} The record was not applied.
 */
export function idOfApplied(result: AppliedResult): number {
  const { tuples, requestId, idempotencyKey } = result;
  const [tuple] = tuples;
  if (!tuple) throw new Error('The answer to one record has no tuple.');
  if (!tuple.Item3 || tuple.Item1 === null)
    throw new RecordError(tuple, { requestId, idempotencyKey: idempotencyKey ?? undefined });
  return tuple.Item1;
}
