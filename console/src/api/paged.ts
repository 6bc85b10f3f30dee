import type { Page } from '@anagrafe/client';
import { keepPreviousData, type QueryKey, useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';

/** What a page of a long list asks for. */
export interface Place {
  readonly page: number;
  readonly pageSize: number;
}

/** The page that the address names: `?page=3`. So it can be bookmarked, and gone back to. */
export function usePlace(pageSize = 25): [Place, (page: number) => void] {
  const [search, setSearch] = useSearchParams();
  const asked = Number(search.get('page'));
  const page = Number.isSafeInteger(asked) && asked > 0 ? asked : 1;
  const goTo = (next: number) =>
    setSearch((before) => {
      const after = new URLSearchParams(before);
      if (next === 1) after.delete('page');
      else after.set('page', String(next));
      return after;
    });
  return [{ page, pageSize }, goTo];
}

/** A page of a list of the service; the page before stays until the next one is there. */
export function usePaged<Item, About>(
  key: QueryKey,
  place: Place,
  read: (place: Place, signal: AbortSignal) => Promise<Page<Item, About>>,
  refetchInterval: number | false = false,
) {
  return useQuery({
    queryKey: [...key, place],
    queryFn: ({ signal }) => read(place, signal),
    placeholderData: keepPreviousData,
    refetchInterval,
  });
}
