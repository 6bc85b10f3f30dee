import { Box, Table as Sheet, Skeleton, VisuallyHidden } from '@mantine/core';
import type { Key, ReactNode } from 'react';
import { useWords } from '../language/words.ts';
import { Failure } from './failure.tsx';
import classes from './table.module.css';

export interface Column<Item> {
  readonly name: string;
  /** Shown from the width of a tablet on. */
  readonly wide?: boolean;
  /** Numbers stand at the right. */
  readonly numeric?: boolean;
  /** For a column of buttons, whose heading is only listened to. */
  readonly quiet?: boolean;
  cell(item: Item): ReactNode;
}

interface TableProps<Item> {
  /** What the table shows, for those who listen. */
  readonly caption: string;
  readonly columns: readonly Column<Item>[];
  /** Undefined while they are on their way. */
  readonly rows: readonly Item[] | undefined;
  readonly keyOf: (item: Item) => Key;
  readonly error: Error | null;
  readonly onRetry: () => void;
  /** What stands in the place of no rows. */
  readonly empty: ReactNode;
}

/** Rows of the service: on their way, not to be had, none, or there. */
export function Table<Item>({ caption, columns, rows, keyOf, error, onRetry, empty }: TableProps<Item>) {
  const words = useWords();
  if (error && !rows) {
    return (
      <Box p="lg">
        <Failure error={error} title={words.table.failed} onRetry={onRetry} />
      </Box>
    );
  }
  if (rows?.length === 0) return empty;
  return (
    // What is wider than the screen is moved sideways, also with the keys.
    <section className={classes.scroll} aria-label={caption} tabIndex={rows ? 0 : -1}>
      <Sheet
        verticalSpacing="sm"
        horizontalSpacing="lg"
        highlightOnHover={rows !== undefined}
        aria-busy={!rows}
      >
        <caption className={classes.caption}>{caption}</caption>
        <Sheet.Thead>
          <Sheet.Tr>
            {columns.map((column) => (
              <Sheet.Th key={column.name} scope="col" className={classOf(column)}>
                {column.quiet ? <VisuallyHidden>{column.name}</VisuallyHidden> : column.name}
              </Sheet.Th>
            ))}
          </Sheet.Tr>
        </Sheet.Thead>
        <Sheet.Tbody>
          {rows
            ? rows.map((row) => (
                <Sheet.Tr key={keyOf(row)}>
                  {columns.map((column) => (
                    <Sheet.Td key={column.name} className={classOf(column)}>
                      {column.cell(row)}
                    </Sheet.Td>
                  ))}
                </Sheet.Tr>
              ))
            : waitingRows.map((row) => (
                <Sheet.Tr key={row}>
                  {columns.map((column) => (
                    <Sheet.Td key={column.name} className={classOf(column)}>
                      <Skeleton height={14} my={4} />
                    </Sheet.Td>
                  ))}
                </Sheet.Tr>
              ))}
        </Sheet.Tbody>
      </Sheet>
      {!rows && <VisuallyHidden role="status">{words.loading}</VisuallyHidden>}
    </section>
  );
}

const waitingRows = [1, 2, 3, 4];

function classOf<Item>({ wide, numeric }: Column<Item>): string {
  return [wide && classes.wide, numeric && classes.numeric].filter(Boolean).join(' ');
}
