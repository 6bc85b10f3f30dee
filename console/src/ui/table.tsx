import { Box, Table as MantineTable, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import type { Key, ReactNode } from 'react';
import { useCommonMessages } from '../i18n/messages.ts';
import { Failure } from './loading-or-error.tsx';
import classes from './table.module.css';

interface EmptyProps {
  readonly title: string;
  /** The next step for the reader. */
  readonly hint: string;
  readonly action?: ReactNode;
}

/** Replaces an empty list, and suggests the next step. */
export function Empty({ title, hint, action }: EmptyProps) {
  return (
    <Stack align="center" gap="xs" py="xl" px="lg" ta="center">
      <Text fw={600}>{title}</Text>
      <Text c="dimmed" size="sm" maw={460}>
        {hint}
      </Text>
      {action}
    </Stack>
  );
}

export interface Column<Item> {
  readonly name: string;
  /** Hides the column on screens narrower than a tablet. */
  readonly wide?: boolean;
  /** Aligns the cells to the right. */
  readonly numeric?: boolean;
  /** Shows the heading to screen readers only, for a column of buttons. */
  readonly quiet?: boolean;
  cell(item: Item): ReactNode;
}

interface TableProps<Item> {
  /** The name of the table, for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Item>[];
  /** Undefined while the rows are loading. */
  readonly rows: readonly Item[] | undefined;
  readonly keyOf: (item: Item) => Key;
  readonly error: Error | null;
  readonly onRetry: () => void;
  /** The content that replaces a table without rows. */
  readonly empty: ReactNode;
}

/** A table with its loading, error and empty states. An error does not replace rows that have loaded before. */
export function Table<Item>({ caption, columns, rows, keyOf, error, onRetry, empty }: TableProps<Item>) {
  const messages = useCommonMessages();
  if (error && !rows) {
    return (
      <Box p="lg">
        <Failure error={error} title={messages.table.failed} onRetry={onRetry} />
      </Box>
    );
  }
  if (rows?.length === 0) return empty;
  return (
    // The section is focusable so that the arrow keys can scroll a table that is wider than the screen.
    <section className={classes.scroll} aria-label={caption} tabIndex={rows ? 0 : -1}>
      <MantineTable
        verticalSpacing="sm"
        horizontalSpacing="lg"
        highlightOnHover={rows !== undefined}
        aria-busy={!rows}
      >
        <caption className={classes.caption}>{caption}</caption>
        <MantineTable.Thead>
          <MantineTable.Tr>
            {columns.map((column) => (
              <MantineTable.Th key={column.name} scope="col" className={classOf(column)}>
                {column.quiet ? <VisuallyHidden>{column.name}</VisuallyHidden> : column.name}
              </MantineTable.Th>
            ))}
          </MantineTable.Tr>
        </MantineTable.Thead>
        <MantineTable.Tbody>
          {rows
            ? rows.map((row) => (
                <MantineTable.Tr key={keyOf(row)}>
                  {columns.map((column) => (
                    <MantineTable.Td key={column.name} className={classOf(column)}>
                      {column.cell(row)}
                    </MantineTable.Td>
                  ))}
                </MantineTable.Tr>
              ))
            : skeletonRows.map((row) => (
                <MantineTable.Tr key={row}>
                  {columns.map((column) => (
                    <MantineTable.Td key={column.name} className={classOf(column)}>
                      <Skeleton height={14} my={4} />
                    </MantineTable.Td>
                  ))}
                </MantineTable.Tr>
              ))}
        </MantineTable.Tbody>
      </MantineTable>
      {!rows && <VisuallyHidden role="status">{messages.loading}</VisuallyHidden>}
    </section>
  );
}

const skeletonRows = [1, 2, 3, 4];

function classOf<Item>({ wide, numeric }: Column<Item>): string {
  return [wide && classes.wide, numeric && classes.numeric].filter(Boolean).join(' ');
}
