import { Box, Skeleton, Stack, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import type { Key, ReactNode, Ref } from 'react';
import { Link } from 'wouter';
import { useCommonMessages } from '../i18n/language.tsx';
import { Failure } from './loading-or-error.tsx';
import classes from './table.module.css';

export interface EmptyProps {
  readonly title: string;
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
  /**
   * The place of the cell in the card that replaces the row on a screen narrower than a tablet: the heading, a line of
   * its own with or without (`plain`) its label, half the width without its label or with the label in the same line
   * (`inline`), the left edge (`mark`), or none. Other cells take half the width, below their label.
   */
  readonly card?: 'title' | 'full' | 'plain' | 'half' | 'inline' | 'mark' | 'none';
  /** Makes the heading a button that sorts the rows. `direction` is null if they are sorted by another column. */
  readonly sort?: {
    readonly direction: 'ascending' | 'descending' | null;
    readonly onSort: () => void;
  };
  readonly numeric?: boolean;
  /** Shows the heading to screen readers only, for a column of buttons. */
  readonly quiet?: boolean;
  cell(item: Item): ReactNode;
}

interface TableProps<Item> {
  readonly caption: string;
  readonly columns: readonly Column<Item>[];
  /** Undefined while the rows are loading. */
  readonly rows: readonly Item[] | undefined;
  readonly keyOf: (item: Item) => Key;
  readonly error: Error | null;
  readonly onRetry: () => void;
  readonly empty: ReactNode;
  /** The number of rows to reserve space for while they are loading. */
  readonly expectedRows?: number;
  /** The region that scrolls a table that is wider than the screen. */
  readonly ref?: Ref<HTMLElement>;
}

/**
 * A table with its loading, error and empty states; on a phone each row is a card. An error does not replace rows that
 * have loaded before.
 */
export function Table<Item>(props: TableProps<Item>) {
  const { caption, columns, rows, keyOf, error, onRetry, empty, expectedRows = 8, ref } = props;
  const messages = useCommonMessages();
  if (error && !rows) {
    return (
      <Box p="lg">
        <Failure error={error} title={messages.table.failed} onRetry={onRetry} />
      </Box>
    );
  }
  if (rows?.length === 0) return empty;
  const row = (key: Key, cell: (column: Column<Item>) => ReactNode) => (
    <tr key={key}>
      {columns.map((column) => (
        <td key={column.name} className={classOf(column)} data-label={column.name}>
          {cell(column)}
        </td>
      ))}
    </tr>
  );
  return (
    // The section is focusable so that the arrow keys can scroll a table that is wider than the screen.
    <section ref={ref} className={classes.scroll} aria-label={caption} tabIndex={rows ? 0 : -1}>
      <table className={classes.table} data-loaded={rows !== undefined || undefined} aria-busy={!rows}>
        <VisuallyHidden component="caption">{caption}</VisuallyHidden>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.name}
                scope="col"
                className={classOf(column)}
                {...(column.sort?.direction && { 'aria-sort': column.sort.direction })}
              >
                <Heading {...column} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows
            ? rows.map((item) => row(keyOf(item), (column) => column.cell(item)))
            : // Other keys than those of rows: a row that takes the place of another would be one that moves.
              Array.from({ length: expectedRows }, (_, n) =>
                row(`loading ${n}`, () => <Skeleton height={14} my={4} />),
              )}
        </tbody>
      </table>
      {!rows && <VisuallyHidden role="status">{messages.loading}</VisuallyHidden>}
    </section>
  );
}

const sortMarks = { ascending: '↑', descending: '↓' };

function Heading<Item>({ name, quiet, sort }: Column<Item>) {
  if (quiet) return <VisuallyHidden>{name}</VisuallyHidden>;
  if (!sort) return name;
  return (
    <UnstyledButton className={classes.sort} onClick={sort.onSort}>
      {name}
      <span aria-hidden className={classes.direction}>
        {sort.direction ? sortMarks[sort.direction] : '↕'}
      </span>
    </UnstyledButton>
  );
}

function classOf<Item>({ card, numeric, quiet }: Column<Item>): string {
  const names = [card && classes[card], numeric && classes.numeric, quiet && classes.quiet];
  return names.filter(Boolean).join(' ');
}

interface CellLinkProps {
  readonly href: string;
  /** Sets the name of the row apart from the other cells. */
  readonly isName?: boolean;
  /** Underlines a link that other text surrounds. */
  readonly isUnderlined?: boolean;
  readonly children: ReactNode;
}

export function CellLink({ href, isName = false, isUnderlined = false, children }: CellLinkProps) {
  const className = [classes.link, isName && classes.name, isUnderlined && classes.underlined];
  return (
    <Link href={href} className={className.filter(Boolean).join(' ')}>
      {children}
    </Link>
  );
}

/** Secondary text below the text of a cell. */
export function Note({ children }: { children: ReactNode }) {
  return <div className={classes.note}>{children}</div>;
}
