import { Box, Button, Group, Loader, Paper, Text } from '@mantine/core';
import type { Key, ReactNode } from 'react';
import { useCommonMessages } from '../i18n/language.tsx';
import { Failure } from './loading-or-error.tsx';
import type { Older } from './newest-first.ts';
import { Page, Surface } from './page.tsx';
import { type PagedList, Pager } from './paging.tsx';
import { type Column, Empty, type EmptyProps, Table } from './table.tsx';

/** The rows of a list: a result of `usePaged`, of `useNewestFirst`, or a query whose data is the rows. */
interface ListState<Item> {
  /** Undefined while the rows are loading. */
  readonly rows: readonly Item[] | undefined;
  readonly error: Error | null;
  readonly refetch: () => void;
  /** For a list in numbered pages; the totals are undefined while the first page is loading. */
  readonly paging?: PagedList<Item>['paging'];
  /** For a sequence, newest first, whose older rows are loaded on request. */
  readonly older?: Older;
}

interface ListProps<Item> {
  readonly caption: string;
  readonly columns: readonly Column<Item>[];
  readonly list: ListState<Item>;
  readonly keyOf: (item: Item) => Key;
  readonly empty: EmptyProps;
  /** The number of rows to reserve space for while they are loading. */
  readonly expectedRows?: number;
  /** The time back to which a filtered sequence was read, as a sentence. */
  readonly reached?: string | undefined;
}

function List<Item>({ list, empty, reached, ...table }: ListProps<Item>) {
  const { beyond } = useCommonMessages().table;
  const { rows, error, refetch, paging, older } = list;
  const { totalCount = 0, totalPages = 0 } = paging ?? {};
  if (paging && rows?.length === 0 && totalCount > 0 && paging.page > totalPages) {
    const back = (
      <Button variant="default" mt="xs" onClick={() => paging.goTo(totalPages)}>
        {beyond.action}
      </Button>
    );
    return <Empty title={beyond.title} hint={beyond.hint} action={back} />;
  }
  return (
    <>
      {older && <NewRows older={older} />}
      <Table
        {...table}
        rows={rows}
        error={error}
        onRetry={refetch}
        empty={<Empty {...empty} />}
        {...(paging && { expectedRows: Math.min(10, paging.pageSize) })}
      />
      {rows && older && <OlderRows older={older} error={error} reached={reached} />}
      {paging && totalCount > 0 && (
        <Pager of={table.caption} {...paging} {...{ totalCount, totalPages }} onPage={paging.goTo} />
      )}
    </>
  );
}

/** Offers to load the newest rows if there are too many new ones to add. */
function NewRows({ older: { isBehind, reload } }: { older: Older }) {
  const { table } = useCommonMessages();
  return (
    <Group px="lg" py={isBehind ? 'sm' : 0} role="status">
      {isBehind && (
        <>
          <Text size="sm">{table.behind}</Text>
          <Button variant="default" size="xs" onClick={reload}>
            {table.newest}
          </Button>
        </>
      )}
    </Group>
  );
}

interface OlderRowsProps {
  readonly older: Older;
  readonly error: Error | null;
  readonly reached: string | undefined;
}

function OlderRows({ older, error, reached }: OlderRowsProps) {
  const { table } = useCommonMessages();
  const { exists, wasRequested, isLoading, load } = older;
  const isPossible = exists && !isLoading;
  const hasButton = exists || wasRequested;
  return (
    <>
      {error && (
        <Box px="lg" pt="md">
          <Failure error={error} title={table.failed} onRetry={load} />
        </Box>
      )}
      {(hasButton || reached) && (
        <Group justify="center" p="md">
          <Text size="sm" c="dimmed" role="status">
            {reached ?? (!exists && wasRequested ? table.noOlder : '')}
          </Text>
          {hasButton && (
            <Button
              variant="default"
              leftSection={isLoading && <Loader size={14} aria-hidden />}
              // `disabled` would drop the focus, and keyboard users would lose their position on the page.
              aria-disabled={!isPossible}
              data-disabled={!isPossible}
              onClick={() => isPossible && load()}
            >
              {table.older}
            </Button>
          )}
        </Group>
      )}
    </>
  );
}

interface ListPageProps<Item> extends ListProps<Item> {
  readonly title: string;
  readonly intro: string;
  readonly actions?: ReactNode;
  readonly filters?: ReactNode;
  readonly failure?: ReactNode;
  readonly children?: ReactNode;
}

export function ListPage<Item>(props: ListPageProps<Item>) {
  const { title, intro, actions, filters, failure, children, ...list } = props;
  return (
    <Page title={title} intro={intro} actions={actions}>
      {failure}
      <Paper withBorder style={{ overflow: 'hidden' }}>
        {filters && (
          <Group justify="space-between" p="lg" gap="sm">
            {filters}
          </Group>
        )}
        <List {...list} />
      </Paper>
      {children}
    </Page>
  );
}

interface ListSectionProps<Item> extends ListProps<Item> {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

export function ListSection<Item>({ title, actions, children, ...list }: ListSectionProps<Item>) {
  return (
    <Surface title={title} actions={actions} flush>
      {children}
      <List {...list} />
    </Surface>
  );
}
