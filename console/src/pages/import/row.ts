import {
  type ColumnMapping,
  FailedRows,
  type JsonObject,
  openSheet,
  type SheetFault,
  type SheetItem,
  type SheetLayout,
  type SheetPrincipal,
  type SheetSource,
} from '@anagrafe/client/sheet';
import type { UsersFile } from './users-file.ts';

/** A row of the file, as it stood there or as it was mended. */
export interface Row {
  readonly row: number;
  readonly line: number;
  readonly source: SheetSource;
  /** Why nothing of it could be read; null where something was. */
  readonly fault: SheetFault | null;
  /** What stands in the place of JSON that could not be read; null where it could, or where that is not known. */
  readonly written: string | null;
}

/** How rows are understood. */
export interface Reading {
  readonly columns: ColumnMapping;
  /** Of the rows that name none. */
  readonly principal: SheetPrincipal | null;
}

type Shape = Pick<UsersFile, 'layout' | 'names'>;

/** One text for each column. */
export function cellsOf({ source }: Row, { names }: Shape): readonly string[] {
  if (source === null) return names.map(() => '');
  return isCells(source) ? names.map((_, at) => source[at] ?? '') : names.map((name) => textOf(source[name]));
}

/** The row with another text in one of its cells. Cells that are too many stay so, until somebody has dealt with them. */
export function withCell(row: Row, at: number, text: string, shape: Shape): Row {
  const { layout, names } = shape;
  const source =
    layout.format === 'csv'
      ? [...cellsOf(row, shape).with(at, text), ...surplusOf(row, shape)]
      : { ...row.source, [names[at] ?? '']: text };
  return { ...row, source, fault: null, written: null };
}

/** The cells for which there is no column. */
export function surplusOf({ source }: Row, { names }: Shape): readonly string[] {
  return source !== null && isCells(source) ? source.slice(names.length) : [];
}

/** The row with another text in the place of its cells that are too many; none of them where that is empty. */
export function withSurplus(row: Row, text: string, shape: Shape): Row {
  return {
    ...row,
    source: [...cellsOf(row, shape), ...(text === '' ? [] : [text])],
    fault: null,
    written: null,
  };
}

/** The row as a record of the interface, with its `Users`; null where it is something else. */
export function recordIn({ source }: Row): JsonObject | null {
  return source === null || isCells(source) || !('Users' in source) ? null : source;
}

/**
 * What rows mean, as they are now: they are written as a file of failed rows is, and read as one, since that gives back the same cells.
 *
 * @throws {SheetError}
 */
export async function itemsOf(
  rows: readonly Row[],
  { layout, names }: Shape,
  { columns, principal }: Reading,
): Promise<SheetItem[]> {
  const readable = rows.filter(({ source }) => source !== null);
  const csv = layout.format === 'csv';
  const plain: SheetLayout = {
    format: csv ? 'csv' : 'ndjson',
    encoding: 'utf-8',
    separator: layout.separator,
    header: names,
  };
  const writer = new FailedRows(plain);
  const text = new Blob([writer.head, ...readable.map((row) => writer.row(row, []))]);
  const sheet = await openSheet(text.stream(), {
    columns,
    ...(principal && { principal }),
    ...(csv
      ? { encoding: 'utf-8', separator: layout.separator }
      : { from: { row: 0, byte: 0, line: 1, column: 1, layout: plain } }),
  });
  const items: SheetItem[] = [];
  for await (const item of sheet) {
    const origin = readable[items.length];
    if (origin) items.push({ ...item, row: origin.row, line: origin.line });
  }
  return items;
}

function isCells(source: SheetSource): source is readonly string[] {
  return Array.isArray(source);
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
