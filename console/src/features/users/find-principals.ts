import type { Principal } from '@anagrafe/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { idOf } from '../../ui/page.tsx';
import { principalsKey } from '../results/record-mutation.ts';
import { useAnagrafe } from '../session/api-client.ts';

/** Returns the display name of a principal, whose text fields are all optional. */
export function nameOf({ ID, Denomination, Name, Surname, ExternalKey, Email }: Principal): string {
  const fullName = [Name, Surname].filter((part) => part !== null).join(' ');
  return Denomination ?? (fullName || (ExternalKey ?? Email ?? `#${ID}`));
}

/** Reads the principal whose ID is the term, and up to 8 that match the term; none for an empty term. */
export function useFoundPrincipals(term: string) {
  const anagrafe = useAnagrafe();
  return useQuery({
    queryKey: [...principalsKey, 'found', term],
    queryFn: async ({ signal }) => {
      const first = async (filter: { ID: number } | { Search: string }) =>
        (await anagrafe.list({ ...filter, PageSize: 8, UsersShown: 0 }, { signal }).page()).records;
      const ID = idOf(term);
      const [byId, found] = await Promise.all([ID === null ? [] : first({ ID }), first({ Search: term })]);
      return [...byId, ...found.filter((one) => one.ID !== byId[0]?.ID)];
    },
    enabled: term !== '',
    placeholderData: keepPreviousData,
  });
}
