import type { Page } from '@anagrafe/client';
import { Button } from '@mantine/core';
import type { Key, ReactNode } from 'react';
import type { Place } from '../api/paged.ts';
import { useWords } from '../language/words.ts';
import { Empty } from './empty.tsx';
import { Pager } from './pager.tsx';
import { type Column, Table } from './table.tsx';

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

/** A list of the service, a page at a time: what `usePlace` and `usePaged` give goes in here. */
export function PagedTable<Item, About>({ list, place, onPage, ...table }: PagedTableProps<Item, About>) {
  const { beyond } = useWords().table;
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
  // What was beyond the end says nothing of the page that is on its way.
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
