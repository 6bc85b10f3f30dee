import { Box, Button, Group, Loader, Text } from '@mantine/core';
import type { Key, ReactNode } from 'react';
import type { NewestFirst } from '../api/newest-first.ts';
import { useWords } from '../language/words.ts';
import { Failure } from './failure.tsx';
import { type Column, Table } from './table.tsx';

interface NewestFirstTableProps<Item> {
  readonly caption: string;
  readonly columns: readonly Column<Item>[];
  readonly list: NewestFirst<Item>;
  readonly keyOf: (item: Item) => Key;
  readonly empty: ReactNode;
  /** How far it was read, where that is not to be seen by the rows. */
  readonly reached?: string | undefined;
}

/** A sequence of the service, the newest first, with older ones on request: what `useNewestFirst` gives goes in here. */
export function NewestFirstTable<Item>({ list, reached, ...table }: NewestFirstTableProps<Item>) {
  const { records, error, hasOlder, hasAskedOlder, isReading, showOlder, isBehind, beginAnew, refetch } =
    list;
  const words = useWords().table;
  const isPossible = hasOlder && !isReading;
  const hasButton = hasOlder || hasAskedOlder;
  const end = !hasOlder && hasAskedOlder ? words.noOlder : '';
  return (
    <>
      <Group px="lg" py={isBehind ? 'sm' : 0} role="status">
        {isBehind && (
          <>
            <Text size="sm">{words.behind}</Text>
            <Button variant="default" size="xs" onClick={beginAnew}>
              {words.newest}
            </Button>
          </>
        )}
      </Group>
      <Table {...table} rows={records} error={error} onRetry={refetch} />
      {records && error && (
        <Box px="lg" pt="md">
          <Failure error={error} title={words.failed} onRetry={showOlder} />
        </Box>
      )}
      {records && (hasButton || reached) && (
        <Group justify="center" p="md">
          <Text size="sm" c="dimmed" role="status">
            {reached ?? end}
          </Text>
          {hasButton && (
            <Button
              variant="default"
              leftSection={isReading && <Loader size={14} aria-hidden />}
              // A button that is disabled loses the focus, and with it the place of whoever has no mouse.
              aria-disabled={!isPossible}
              data-disabled={!isPossible}
              onClick={() => isPossible && showOlder()}
            >
              {words.older}
            </Button>
          )}
        </Group>
      )}
    </>
  );
}
