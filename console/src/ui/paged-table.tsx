import type { Page } from '@anagrafe/client';
import { ActionIcon, Button, Group, Switch, Text } from '@mantine/core';
import { keepPreviousData, type QueryKey, useQuery } from '@tanstack/react-query';
import type { Key, ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { useFormats } from '../i18n/formats.ts';
import { useCommonMessages } from '../i18n/messages.ts';
import { Icon, type IconName } from './icon.tsx';
import { type Column, Empty, Table } from './table.tsx';

/** The requested page of a list; `page` starts at 1. */
export interface Place {
  readonly page: number;
  readonly pageSize: number;
}

/** Keeps the page number in the URL (`?page=3`), so that bookmarks and the back button work. */
export function usePageNumber(pageSize = 25): [Place, (page: number) => void] {
  const [search, setSearch] = useSearchParams();
  const requested = Number(search.get('page'));
  const page = Number.isSafeInteger(requested) && requested > 0 ? requested : 1;
  const goTo = (next: number) =>
    setSearch((before) => {
      const after = new URLSearchParams(before);
      if (next === 1) after.delete('page');
      else after.set('page', String(next));
      return after;
    });
  return [{ page, pageSize }, goTo];
}

/** Reads one page of a list. The previous page stays visible until the next one has loaded. */
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

/** Keeps the filter for failed records in the URL (`?failed=true`). A change returns to the first page. */
export function useFailedOnly(): [failed: boolean, choose: (failed: boolean) => void] {
  const [search, setSearch] = useSearchParams();
  const choose = (failed: boolean) => setSearch(failed ? { failed: 'true' } : {});
  return [search.get('failed') === 'true', choose];
}

interface FailedOnlyProps {
  readonly label: string;
  readonly failed: boolean;
  readonly onFailed: (failed: boolean) => void;
}

/** The switch for the filter of `useFailedOnly`. */
export function FailedOnly({ label, failed, onFailed }: FailedOnlyProps) {
  return (
    <Switch label={label} checked={failed} onChange={(event) => onFailed(event.currentTarget.checked)} />
  );
}

interface PagerProps {
  /** The name of the list, for screen readers. */
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
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={label}
      title={label}
      // `disabled` would drop the focus, and keyboard users would lose their position on the page.
      aria-disabled={!possible}
      data-disabled={!possible}
      onClick={() => possible && onPage(to)}
    >
      <Icon name={icon} />
    </ActionIcon>
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

interface PagedTableProps<Item, About> {
  readonly caption: string;
  readonly columns: readonly Column<Item>[];
  readonly list: {
    readonly data: Page<Item, About> | undefined;
    readonly error: Error | null;
    readonly refetch: () => void;
  };
  readonly place: Place;
  readonly onPage: (page: number) => void;
  readonly keyOf: (item: Item) => Key;
  readonly empty: ReactNode;
}

/** Shows one page of a list with its page navigation; takes the results of `usePageNumber` and `usePaged`. */
export function PagedTable<Item, About>({ list, place, onPage, ...table }: PagedTableProps<Item, About>) {
  const { beyond } = useCommonMessages().table;
  const { data, error, refetch } = list;
  const isEmptyPage = data !== undefined && data.records.length === 0 && data.totalCount > 0;
  if (isEmptyPage && place.page > data.totalPages) {
    const back = (
      <Button variant="default" mt="xs" onClick={() => onPage(data.totalPages)}>
        {beyond.action}
      </Button>
    );
    return <Empty title={beyond.title} hint={beyond.hint} action={back} />;
  }
  // The placeholder of an empty page beyond the end must not make the page that is loading look empty.
  const rows = isEmptyPage && data.page !== place.page ? undefined : data?.records;
  return (
    <>
      <Table {...table} rows={rows} error={error} onRetry={refetch} />
      {data && data.totalCount > 0 && (
        <Pager
          of={table.caption}
          page={place.page}
          pageSize={place.pageSize}
          totalCount={data.totalCount}
          totalPages={data.totalPages}
          onPage={onPage}
        />
      )}
    </>
  );
}
