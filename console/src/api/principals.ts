import { type InsertRecord, RecordError, type StateRecord, type WriteResult } from '@anagrafe/client';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useAnagrafe } from './anagrafe.ts';
import { useOnce } from './once.ts';
import { type Place, usePaged } from './paged.ts';

/** What a change to a principal or one of its users makes stale. */
export const principalsKey = ['principals'];

/** The principals that a term finds, or all, in the order of their IDs. */
export function usePrincipals(term: string, place: Place) {
  const anagrafe = useAnagrafe();
  return usePaged([...principalsKey, 'list', term], place, ({ page, pageSize }, signal) =>
    anagrafe.list({ Search: term || null, PageSize: pageSize, UsersShown: 0 }, { signal }).page(page),
  );
}

const idText = /^[1-9]\d{0,14}$/;

/** The first few principals that a term finds, or that have it as their ID; none for an empty one. */
export function useFoundPrincipals(term: string) {
  const anagrafe = useAnagrafe();
  return useQuery({
    queryKey: [...principalsKey, 'found', term],
    queryFn: async ({ signal }) => {
      const first = async (filter: { ID: number } | { Search: string }) =>
        (await anagrafe.list({ ...filter, PageSize: 8, UsersShown: 0 }, { signal }).page()).records;
      const [byId, found] = await Promise.all([
        idText.test(term) ? first({ ID: Number(term) }) : [],
        first({ Search: term }),
      ]);
      return [...byId, ...found.filter(({ ID }) => ID !== byId[0]?.ID)];
    },
    enabled: term !== '',
    placeholderData: keepPreviousData,
  });
}

/** One principal, with its first 1,000 users; null where there is none. */
export function usePrincipal(ID: number) {
  const anagrafe = useAnagrafe();
  return useQuery({
    queryKey: [...principalsKey, 'one', ID],
    queryFn: async ({ signal }) => (await anagrafe.list({ ID }, { signal }).page()).records[0] ?? null,
  });
}

/** Gives the ID of the new principal. */
export function useCreatePrincipal() {
  const anagrafe = useAnagrafe();
  return usePrincipalMutation(async (record: InsertRecord, idempotencyKey) =>
    idOfApplied(await anagrafe.insert([record], { idempotencyKey })),
  );
}

export function useSetState() {
  const anagrafe = useAnagrafe();
  return usePrincipalMutation(async (record: StateRecord, idempotencyKey) =>
    idOfApplied(await anagrafe.setStates([record], { idempotencyKey })),
  );
}

/** The lists and the principal are read anew, whatever was changed of it. */
export function usePrincipalMutation<Wish, Result>(
  change: (wish: Wish, idempotencyKey: string) => Promise<Result>,
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: useOnce(change),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: principalsKey });
    },
  });
}

/** @throws {RecordError} The one record was not applied. */
function idOfApplied({ tuples, requestId, idempotencyKey }: WriteResult): number {
  const [tuple] = tuples;
  if (!tuple) throw new Error('The answer to one record has no tuple.');
  if (!tuple.Item3 || tuple.Item1 === null)
    throw new RecordError(tuple, { requestId, idempotencyKey: idempotencyKey ?? undefined });
  return tuple.Item1;
}
