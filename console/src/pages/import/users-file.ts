import {
  type ColumnMapping,
  openSheet,
  type Sheet,
  type SheetColumn,
  type SheetField,
  type SheetLayout,
} from '@anagrafe/client/sheet';
import { type Row, usersOf } from './row.ts';

/** What a page can hold; more is for the command line. */
export const rowsMax = 100_000;

/** A file of users as it was read. */
export interface UsersFile {
  readonly name: string;
  readonly layout: SheetLayout;
  /** Of its columns, no two alike. */
  readonly names: readonly string[];
  /** What the columns are, as far as their names say it. */
  readonly recognised: ColumnMapping;
  readonly rows: readonly Row[];
}

export class TooManyRowsError extends Error {}
export class NoRowsError extends Error {}

/** @throws {SheetError} */
export async function readUsersFile(file: File): Promise<UsersFile> {
  const sheet = await openSheet(file.stream(), { survey: true });
  const rows: Row[] = [];
  for await (const item of sheet) {
    if (rows.length === rowsMax) throw new TooManyRowsError();
    const { row, line, source } = item;
    const fault = source === null && item.kind === 'fault' ? (item.faults[0] ?? null) : null;
    rows.push({ row, line, source, fault });
  }
  if (rows.length === 0) throw new NoRowsError();
  const fields = new Map<string, SheetField | null>();
  for (const { name, field } of await columnsOf(sheet, rows)) fields.set(unlike(name, fields), field);
  const names = [...fields.keys()];
  return { name: file.name, layout: sheet.layout, names, recognised: Object.fromEntries(fields), rows };
}

/** The objects of a JSON file may have different names; all of them are columns. */
async function columnsOf({ columns, layout }: Sheet, rows: readonly Row[]): Promise<readonly SheetColumn[]> {
  if (layout.format === 'csv') return columns;
  const flat = rows.filter((row) => row.source !== null && usersOf(row) === null);
  const header = [...new Set(flat.flatMap(({ source }) => Object.keys(source ?? {})))];
  const start = { row: 0, byte: 0, line: 1, column: 1, layout: { ...layout, header } };
  return (await openSheet(new Blob().stream(), { survey: true, from: start })).columns;
}

/** A name that none of the others has: two columns may be called the same, and are mapped one by one. */
function unlike(name: string, others: ReadonlyMap<string, unknown>): string {
  let different = name;
  for (let count = 2; others.has(different); count++) different = `${name} (${count})`;
  return different;
}
