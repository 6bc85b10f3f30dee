import type { Page } from '@anagrafe/client';
import type { Key, ReactNode } from 'react';
import type { Place } from '../api/paged.ts';
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
  const { data, error, refetch } = list;
  return (
    <>
      <Table {...table} rows={data?.records} error={error} onRetry={refetch} />
      {data && (
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
