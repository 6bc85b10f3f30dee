import { type Key, type ReactNode, type Ref, useState } from 'react';
import { Pager } from './paging.tsx';
import { type Column, Table } from './table.tsx';

const pageSize = 25;

interface LocalTableProps<Item> {
  readonly caption: string;
  readonly columns: readonly Column<Item>[];
  readonly rows: readonly Item[];
  readonly keyOf: (item: Item) => Key;
  readonly empty: ReactNode;
  /** See `Table`. */
  readonly ref?: Ref<HTMLElement>;
}

/** A table whose rows are all in memory, shown in pages. */
export function LocalTable<Item>({ rows, ...table }: LocalTableProps<Item>) {
  const [requestedPage, setRequestedPage] = useState(1);
  const totalPages = Math.max(1, Math.ceil(rows.length / pageSize));
  // The rows can become fewer.
  const page = Math.min(requestedPage, totalPages);
  return (
    <>
      <Table
        {...table}
        rows={rows.slice((page - 1) * pageSize, page * pageSize)}
        error={null}
        onRetry={() => {}}
      />
      <Pager
        of={table.caption}
        page={page}
        pageSize={pageSize}
        totalCount={rows.length}
        totalPages={totalPages}
        onPage={setRequestedPage}
      />
    </>
  );
}
