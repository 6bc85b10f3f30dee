import {
  type Bookmark,
  type ColumnMapping,
  openSheet,
  type Sheet,
  type SheetColumn,
  type SheetField,
  type SheetLayout,
} from '@anagrafe/client/sheet';
import { withJson } from './json.ts';
import { type Row, recordIn } from './row.ts';

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
  let before = 0;
  for await (const item of sheet) {
    if (rows.length === rowsMax) throw new TooManyRowsError();
    const { row, line, source, end } = item;
    const fault = source === null && item.kind === 'fault' ? (item.faults[0] ?? null) : null;
    const whole = { row, line, source, fault, written: null };
    const written = fault && (await writtenIn(file, before, end));
    // Its faults are told by the lines of what is seen of it.
    rows.push(written === null ? whole : withJson(whole, written));
    before = end.byte;
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
  const flat = rows.filter((row) => row.source !== null && recordIn(row) === null);
  const header = [...new Set(flat.flatMap(({ source }) => Object.keys(source ?? {})))];
  const start = { row: 0, byte: 0, line: 1, column: 1, layout: { ...layout, header } };
  return (await openSheet(new Blob().stream(), { survey: true, from: start })).columns;
}

/** More than anyone mends by hand. */
const bytesShown = 1_000_000;

/** What stands between two rows of a JSON file, without the signs that part them. */
async function writtenIn(file: File, before: number, { byte, layout }: Bookmark): Promise<string | null> {
  if (layout.format === 'csv' || byte - before > bytesShown) return null;
  const bytes = await file.slice(before, byte).arrayBuffer();
  const text = new TextDecoder(layout.encoding ?? 'utf-8').decode(bytes);
  return (layout.format === 'json' ? text.replace(/^\s*[[,]/, '') : text).trim();
}

/** A name that none of the others has: two columns may be called the same, and are mapped one by one. */
function unlike(name: string, others: ReadonlyMap<string, unknown>): string {
  let different = name;
  for (let count = 2; others.has(different); count++) different = `${name} (${count})`;
  return different;
}
