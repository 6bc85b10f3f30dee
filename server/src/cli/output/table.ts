import { terminalText } from '../../lib/terminal-text.ts';
import { paint } from './format.ts';
import { printLines } from './output.ts';

export interface Column<Row> {
  readonly head: string;
  /** Returns the full text, for programs. */
  cell(row: Row): string;
  /** Returns a shorter text for a terminal. */
  shown?(row: Row): string;
  readonly side?: 'left' | 'right';
  /** True if the text must not be truncated, such as an ID. */
  readonly whole?: boolean;
}

const gap = '  ';
/** The first rows determine the column widths, so that a long table is never held in memory. */
const rowsMeasured = 200;
const leastWidth = 6;

/** Prints a table on a terminal and tab-separated cells elsewhere; with `json` one object per line. */
export function printRows<Row>(
  rows: AsyncIterable<Row>,
  columns: readonly Column<Row>[],
  { json }: { json?: boolean },
): Promise<void> {
  if (json) return printLines(mapped(rows, (row) => JSON.stringify(row)));
  if (process.stdout.isTTY) return printLines(tableLines(rows, columns, process.stdout.columns || 80));
  return printLines(mapped(rows, (row) => columns.map(({ cell }) => cell(row)).join('\t')));
}

async function* mapped<Row>(rows: AsyncIterable<Row>, line: (row: Row) => string): AsyncGenerator<string> {
  for await (const row of rows) yield line(row);
}

async function* tableLines<Row>(
  rows: AsyncIterable<Row>,
  columns: readonly Column<Row>[],
  width: number,
): AsyncGenerator<string> {
  let measured: Row[] = [];
  let fitting: Fitting<Row> | undefined;
  for await (const row of rows) {
    if (fitting) yield bodyLine(row, fitting);
    else measured.push(row);
    if (fitting || measured.length < rowsMeasured) continue;
    fitting = fit(columns, measured, width);
    yield* measuredLines(measured, fitting);
    measured = [];
  }
  if (!fitting && measured.length > 0) yield* measuredLines(measured, fit(columns, measured, width));
}

function* measuredLines<Row>(rows: readonly Row[], fitting: Fitting<Row>): Generator<string> {
  const head = fitting.map(({ column, width }) => fitText(column.head, width, column.side));
  yield paint(process.stdout, 'bold', head.join(gap).trimEnd());
  for (const row of rows) yield bodyLine(row, fitting);
}

type Fitting<Row> = { readonly column: Column<Row>; width: number }[];

/** Shrinks the widest columns first. Drops the last columns if the minimum widths of all do not fit. */
export function fit<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number): Fitting<Row> {
  const fitting = columns.map((column) => {
    const cells = rows.map((row) => textWidth(shownCell(column, row)));
    const own = Math.max(column.head.length, ...cells);
    const least = column.whole ? own : Math.min(own, Math.max(leastWidth, column.head.length));
    return { column, width: own, least };
  });
  const sum = (of: 'width' | 'least') =>
    fitting.reduce((total, one) => total + one[of] + gap.length, -gap.length);
  while (fitting.length > 1 && sum('least') > width) fitting.pop();
  while (sum('width') > width) {
    const shrinkable = fitting.filter((one) => one.width > one.least);
    const [widest] = shrinkable.sort((one, other) => other.width - one.width);
    if (!widest) break;
    widest.width--;
  }
  return fitting;
}

function bodyLine<Row>(row: Row, fitting: Fitting<Row>): string {
  return fitting
    .map(({ column, width }) => fitText(shownCell(column, row), width, column.side))
    .join(gap)
    .trimEnd();
}

function shownCell<Row>(column: Column<Row>, row: Row): string {
  return terminalText((column.shown ?? column.cell)(row));
}

/** Formats an ISO 8601 timestamp to the minute, in UTC; null gives an empty text. */
export function toTheMinute(moment: string | null): string {
  return moment === null ? '' : moment.slice(0, 16).replace('T', ' ');
}

const zeroWidth = /^[\p{Mark}\p{Format}]$/u;
const doubleWidth =
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uff01-\uff60]$/u;

function columnsOf(character: string): number {
  return zeroWidth.test(character) ? 0 : doubleWidth.test(character) ? 2 : 1;
}

export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

/** Pads or truncates a text to exactly `width` columns. A truncated text ends with `…`. */
export function fitText(text: string, width: number, side: 'left' | 'right' = 'left'): string {
  const own = textWidth(text);
  const blank = ' '.repeat(Math.max(0, width - own));
  if (own <= width) return side === 'left' ? text + blank : blank + text;
  let kept = '';
  let taken = 0;
  for (const character of text) {
    if (taken + columnsOf(character) > width - 1) break;
    kept += character;
    taken += columnsOf(character);
  }
  return `${kept}…${' '.repeat(width - 1 - taken)}`;
}
