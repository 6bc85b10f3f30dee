import type { Page } from '@anagrafe/client';
import { type Command, Option } from 'commander';
import { readCount } from './format.ts';
import { grouped } from './live-line.ts';
import { tell } from './output.ts';
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
