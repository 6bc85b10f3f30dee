import { type InsertRecord, principalFields } from '@anagrafe/client';
import { useQuery } from '@tanstack/react-query';
import { usePaged } from '../../ui/paging.tsx';
import { tagsIn } from '../../ui/tags.tsx';
import { idOfApplied, principalsKey, usePrincipalMutation } from '../results/record-mutation.ts';
import { useAnagrafe, usePatientAnagrafe } from '../session/api-client.ts';
import { nameOf } from '../users/find-principals.ts';

export type PrincipalTexts = Readonly<Record<keyof typeof principalFields, string>>;

/** The fields of a principal in the order of forms and details: the name of the company comes first. */
export const principalFieldNames = (Object.keys(principalFields) as (keyof typeof principalFields)[]).sort(
  (one, other) => Number(other === 'Denomination') - Number(one === 'Denomination'),
);

/** Reads the principals that match a search term and have one of the tags, in the order of their IDs. An empty term or no tags select all. */
export function usePrincipals(term: string, tags: readonly string[]) {
  const anagrafe = useAnagrafe();
  return usePaged([...principalsKey, 'list', term, ...tags], ({ page, pageSize }, signal) => {
    const filter = { Search: term || null, ...(tags.length > 0 && { Tags: [...tags] }) };
    return anagrafe.list({ ...filter, PageSize: pageSize, UsersShown: 0 }, { signal }).page(page);
  });
}

/** Reads one principal with its first 1,000 users; null if it does not exist. */
export function usePrincipal(ID: number) {
  const anagrafe = useAnagrafe();
  return useQuery({
    queryKey: [...principalsKey, 'one', ID],
    queryFn: async ({ signal }) => (await anagrafe.list({ ID }, { signal }).page()).records[0] ?? null,
  });
}

/** Reads the name of a principal; its ID while it loads, or if it does not exist. Reads nothing for null. */
export function usePrincipalName(ID: number | null): string {
  const anagrafe = useAnagrafe();
  const { data } = useQuery({
    queryKey: [...principalsKey, 'name', ID],
    queryFn: async ({ signal }) =>
      (await anagrafe.list({ ID, UsersShown: 0 }, { signal }).page()).records[0] ?? null,
    enabled: ID !== null,
  });
  return data ? nameOf(data) : `#${ID}`;
}

/** The mutation returns the ID of the new principal. */
export function useCreatePrincipal() {
  const anagrafe = useAnagrafe();
  return usePrincipalMutation(async (record: InsertRecord, idempotencyKey) =>
    idOfApplied(await anagrafe.insert([record], { idempotencyKey })),
  );
}

/** Changes the fields of a principal. An empty text clears its field. */
export function useEditPrincipal(ID: number) {
  const anagrafe = useAnagrafe();
  return usePrincipalMutation(({ ExternalKey, Tags, ...texts }: Partial<PrincipalTexts>, idempotencyKey) =>
    // `ExternalKey` of a record names its principal; `NewExternalKey` changes it.
    anagrafe.edit(
      ID,
      {
        ...texts,
        ...(Tags !== undefined && { Tags: tagsIn(Tags) }),
        ...(ExternalKey !== undefined && { NewExternalKey: ExternalKey }),
      },
      { idempotencyKey },
    ),
  );
}

/** Deletes a principal with all of its users, which takes long if there are many. */
export function useDeletePrincipal() {
  const anagrafe = usePatientAnagrafe();
  return usePrincipalMutation((ID: number, idempotencyKey) =>
    anagrafe.remove(ID, undefined, { idempotencyKey }),
  );
}
