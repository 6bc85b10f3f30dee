import type { Page } from '@anagrafe/client';
import { Group, Text } from '@mantine/core';
import { keepPreviousData, type QueryKey, useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { useFormats } from '../i18n/formats.ts';
import { useCommonMessages } from '../i18n/language.tsx';
import { IconButton, type IconName } from './icon.tsx';

/** The requested page of a list; `page` starts at 1. */
export interface Place {
  readonly page: number;
  readonly pageSize: number;
}

interface PagedOptions<Item, About> {
  readonly pageSize?: number;
  readonly refetchInterval?: number | false | ((page: Page<Item, About> | undefined) => number | false);
}

/**
 * Reads the page of a list whose number is in the URL (`?page=3`), so that bookmarks and the back button work. The
 * previous page stays visible until the next one has loaded.
 */
export function usePaged<Item, About>(
  key: QueryKey,
  read: (place: Place, signal: AbortSignal) => Promise<Page<Item, About>>,
  { pageSize = 25, refetchInterval = false }: PagedOptions<Item, About> = {},
) {
  const [search, setParameters] = useSearchParameters();
  const requested = Number(search.get('page'));
  const page = Number.isSafeInteger(requested) && requested > 0 ? requested : 1;
  const goTo = (next: number) => setParameters({ page: next === 1 ? null : String(next) });
  const place = { page, pageSize };
  const query = useQuery({
    queryKey: [...key, place],
    queryFn: ({ signal }) => read(place, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      typeof refetchInterval === 'function' ? refetchInterval(state.data) : refetchInterval,
  });
  const { data } = query;
  // The placeholder of an empty page beyond the end must not make the page that is loading look empty.
  const isEmptyPage = data?.records.length === 0 && data.totalCount > 0;
  const rows = isEmptyPage && data.page !== page ? undefined : data?.records;
  return {
    ...query,
    rows,
    paging: { ...place, goTo, totalCount: data?.totalCount, totalPages: data?.totalPages },
  };
}

export type PagedList<Item, About = unknown> = ReturnType<typeof usePaged<Item, About>>;

/** Returns the parameters of the URL, and a function that sets some of them, or removes those that are null. */
export function useSearchParameters() {
  const [search, setSearch] = useSearchParams();
  const setParameters = (changes: Readonly<Record<string, string | null>>, options?: { replace: boolean }) =>
    setSearch((before) => {
      const after = new URLSearchParams(before);
      for (const [name, value] of Object.entries(changes)) {
        if (value === null) after.delete(name);
        else after.set(name, value);
      }
      return after;
    }, options);
  return [search, setParameters] as const;
}

interface PagerProps {
  readonly of: string;
  readonly page: number;
  readonly pageSize: number;
  readonly totalCount: number;
  readonly totalPages: number;
  readonly onPage: (page: number) => void;
}

/** Page navigation with the visible range and the total count. Renders nothing for a single page. */
export function Pager({ of, page, pageSize, totalCount, totalPages, onPage }: PagerProps) {
  const { table } = useCommonMessages();
  const { number } = useFormats();
  if (totalPages <= 1) return null;
  const from = (page - 1) * pageSize + 1;
  const to = Math.min(totalCount, page * pageSize);
  const step = (label: string, icon: IconName, to: number, possible: boolean) => (
    <IconButton
      icon={icon}
      label={label}
      isOutlined
      // `disabled` would drop the focus, and keyboard users would lose their position on the page.
      aria-disabled={!possible}
      onClick={() => possible && onPage(to)}
    />
  );
  return (
    <Group component="nav" aria-label={table.pages(of)} justify="space-between" px="lg" py="sm">
      <Text size="sm" c="dimmed" role="status">
        {table.range(number(from), number(to), number(totalCount))}
      </Text>
      <Group gap={6}>
        {step(table.first, 'first', 1, page > 1)}
        {step(table.previous, 'previous', page - 1, page > 1)}
        <Text size="sm" px="xs">
          {table.page(number(page), number(totalPages))}
        </Text>
        {step(table.next, 'next', page + 1, page < totalPages)}
        {step(table.last, 'last', totalPages, page < totalPages)}
      </Group>
    </Group>
  );
}
