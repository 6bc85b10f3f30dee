import { paint } from './colours.ts';
import { printLines } from './output.ts';
import { fitText, textWidth } from './text-width.ts';

export interface Column<Row> {
  readonly head: string;
  /** As it is, for programs. */
  cell(row: Row): string;
  /** For people, where that is shorter. */
  shown?(row: Row): string;
  readonly side?: 'left' | 'right';
  /** What has to be seen as a whole to be of use, such as an ID, is not cut. */
  readonly whole?: boolean;
}

const gap = '  ';
/** The widths come from the first rows: a table of a million is never in memory. */
const rowsMeasured = 200;
const leastWidth = 6;

/** On a terminal a table that fits into it, elsewhere the cells with tabs between; with `json` one object in each line. */
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

/** The widest columns give way first. Where even that would not be enough, the last columns are left out. */
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
    const giving = fitting.filter((one) => one.width > one.least);
    const [widest] = giving.sort((one, other) => other.width - one.width);
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
  return (column.shown ?? column.cell)(row);
}

/** A moment for people, to the minute, in UTC. */
export function toTheMinute(moment: string | null): string {
  return moment === null ? '' : moment.slice(0, 16).replace('T', ' ');
}
