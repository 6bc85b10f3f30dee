import type { Page } from '@anagrafe/client';
import { type Command, Option } from 'commander';
import { terminalText } from '../../lib/terminal-text.ts';
import { grouped, paint, readCount } from './format.ts';
import { print, tell } from './output.ts';
import { type Column, printRows } from './table.ts';

export interface RowOptions {
  readonly limit: number;
  readonly all?: boolean;
  readonly json?: boolean;
}

export function withRows(command: Command, usual: number): Command {
  return command
    .addOption(new Option('--limit <count>', 'maximum number of results').argParser(readCount).default(usual))
    .addOption(new Option('--all', 'show all results').conflicts('limit'))
    .option('--json', 'print one JSON object per line');
}

interface ListInPages<Row> {
  readonly pageSize: number;
  readonly columns: readonly Column<Row>[];
  pages(pageSize: number): { page(number: number): Promise<Page<Row, unknown>> };
}

/** Prints a list page by page. Notes on stderr that the list is empty, or that the limit left rows out. */
export async function printPages<Row>(options: RowOptions, list: ListInPages<Row>): Promise<void> {
  const wanted = options.all ? Number.POSITIVE_INFINITY : options.limit;
  let given = 0;
  let total = 0;
  async function* rows(): AsyncGenerator<Row> {
    const pages = list.pages(Math.min(wanted, list.pageSize));
    for (let number = 1; ; number++) {
      const { records, totalCount, totalPages } = await pages.page(number);
      const some = records.slice(0, wanted - given);
      total = totalCount;
      given += some.length;
      yield* some;
      if (given >= wanted || number >= totalPages) return;
    }
  }
  await printRows(rows(), list.columns, options);
  if (total === 0 && !options.json) tell('No results.');
  if (total > wanted) tell(`Showing ${grouped(given)} of ${grouped(total)}. Use --all to show all.`);
}

/** Prints the fields of one object, one per line: `Username  mario.rossi`. Empty fields are left out. */
export function printRecord(record: Readonly<Record<string, unknown>>): void {
  const shown = Object.entries(record).filter(([, value]) => value !== null && value !== undefined);
  const width = Math.max(...shown.map(([name]) => name.length));
  for (const [name, value] of shown)
    print(`${paint(process.stdout, 'grey', name.padEnd(width))}  ${textOf(value)}`);
}

function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return terminalText(String(value));
  return Object.entries(value)
    .map(([name, part]) => `${terminalText(name)}=${terminalText(String(part))}`)
    .join(', ');
}
