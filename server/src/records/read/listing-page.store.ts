import type { Database } from '../../db/database.ts';
import { readGroup } from '../../db/paging.ts';
import { type CallerTags, seesPrincipal } from '../../db/visibility.ts';
import type { Listing, PageOf } from './listing.ts';

/** A table with what is read of its rows. The table has the alias `shown` in `select`. */
export interface RowSource {
  readonly table: 'principals' | 'users';
  /** The alias of the table of the principals. */
  readonly principals: string;
  /** The clauses SELECT and FROM. */
  readonly select: string;
}

/** The conditions of a list on the columns of its table, with their parameters. */
export class Filter {
  readonly conditions: string[] = [];
  readonly values: unknown[] = [];

  add(condition: (value: string) => string, value: unknown): void {
    this.conditions.push(condition(this.value(value)));
  }

  /** Adds a parameter and returns its placeholder, such as `$1`. */
  value(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  /** Returns the clauses FROM and WHERE or, for a page, also ORDER BY, OFFSET and LIMIT, with their parameters. */
  matches(
    table: string,
    page?: { readonly order: RowOrder; readonly offset: number; readonly limit: number },
  ) {
    const clauses = `from anagrafe.${table} where ${this.conditions.join(' and ')}`;
    if (!page) return { sql: clauses, values: this.values };
    const { length } = this.values;
    return {
      sql: `${clauses} order by ${orderBy(page.order)} offset $${length + 1} limit $${length + 2}`,
      values: [...this.values, page.offset, page.limit],
    };
  }
}

/** The order of a list, which an index has. Rows with an equal time are in the order of their IDs. */
export interface RowOrder {
  readonly column: 'id' | 'username_key' | 'updated_at';
  readonly isDescending: boolean;
}

const byId: RowOrder = { column: 'id', isDescending: false };

function orderBy({ column, isDescending }: RowOrder): string {
  const direction = isDescending ? 'desc' : 'asc';
  return column === 'updated_at' ? `${column} ${direction}, id ${direction}` : `${column} ${direction}`;
}

/** The properties of the matches of a filter that decide how they are found and counted. */
export interface Matches {
  /** Default: the ascending order of IDs. */
  readonly order?: RowOrder;
  /**
   * True if no index finds them in the order of the list: they are found first, and then ordered. PostgreSQL cannot estimate
   * how many rows match a search, and it expects recent changes anywhere among the IDs, though most are at the end; so it
   * would read all rows in the order of IDs to find a few.
   */
  readonly areUnordered: boolean;
  /**
   * True if they may be a million. Counting then ends at a limit, and the total may be a lower bound. It is greater than
   * the number of rows up to the page as long as there are more: a client that reads on while `page` is less than
   * `totalPages` reads all of them.
   */
  readonly mayBeMany: boolean;
}

export const countedMax = 10_000;
/** If more match, the next of them are never far in the order of IDs, and the page is read in that order. */
const materializedMax = 100_000;

type Page = Pick<Listing, 'page' | 'pageSize'>;

interface FoundPage {
  readonly totalCount: number;
  /** The IDs of the rows of the page, in the order of the list. */
  readonly ids: readonly number[];
}

/** Number of rows that are read at once. A user may have 20 KB of attributes. */
const rowsAtOnce = 50;

/**
 * Reads a page in the order of IDs, so that a client that reads all pages misses no row that changes meanwhile. Finds
 * the IDs first, and reads the rows in groups, each when the one before has been sent: an answer that is not read holds
 * one group. A row that is deleted, or that the caller sees no more, before its group is read is missing.
 */
export async function readPage<Row extends object>(
  database: Database,
  source: RowSource,
  filter: Filter,
  page: Page & { readonly callerTags: CallerTags },
  matches: Matches,
): Promise<PageOf<AsyncIterable<readonly Row[]>>> {
  const { totalCount, ids } = await findPage(database, source, filter, page, matches);
  return { totalCount, count: ids.length, items: groups() };

  async function* groups(): AsyncGenerator<readonly Row[]> {
    for (let at = 0; at < ids.length; at += rowsAtOnce) {
      const some = ids.slice(at, at + rowsAtOnce);
      yield await readGroup(
        () =>
          database.query<Row>(
            `${source.select} where shown.id = any($1) and ${seesPrincipal(source.principals, '$2')}
              order by array_position($1::bigint[], shown.id)`,
            [some, page.callerTags],
          ),
        some.length,
      );
    }
  }
}

async function findPage(
  database: Database,
  { table }: RowSource,
  filter: Filter,
  page: Page,
  { order = byId, areUnordered, mayBeMany }: Matches,
): Promise<FoundPage> {
  if (filter.conditions.length === 0) {
    if (order.column === 'id' && !order.isDescending) return findInAll(database, table, page);
    return findInAllOrdered(database, table, order, page);
  }
  if (!areUnordered)
    return findOrdered(database, { table, filter, order }, page, () =>
      countMatches(database, table, filter, mayBeMany ? countedMax : undefined),
    );
  const most = mayBeMany ? materializedMax + 1 : undefined;
  const found = await findMaterialized(database, { table, filter, order }, page, most);
  if (!mayBeMany || found.totalCount <= materializedMax) return found;
  return findOrdered(database, { table, filter, order }, page, async () => materializedMax);
}

interface OrderedRows {
  readonly table: string;
  readonly filter: Filter;
  readonly order: RowOrder;
}

/** Finds a page and, unless it shows the end of the list, counts the matches, or as many as `count` does. */
async function findOrdered(
  database: Database,
  { table, filter, order }: OrderedRows,
  { page, pageSize }: Page,
  count: () => Promise<number>,
): Promise<FoundPage> {
  const offset = (page - 1) * pageSize;
  // One row more than the page shows whether others follow.
  const { sql, values } = filter.matches(table, { order, offset, limit: pageSize + 1 });
  const found = await database.query<{ id: number }>(`select id ${sql}`, values);
  const isLast = found.length > 0 ? found.length <= pageSize : offset === 0;
  const seen = found.length > 0 ? offset + found.length : 0;
  const totalCount = isLast ? seen : Math.max(await count(), seen);
  return { totalCount, ids: found.slice(0, pageSize).map(({ id }) => id) };
}

async function countMatches(
  database: Database,
  table: string,
  filter: Filter,
  most?: number,
): Promise<number> {
  const { sql, values } = filter.matches(table);
  const [counted] = await database.query<{ count: number }>(
    `select count(*) from (select id ${sql} ${most === undefined ? '' : `limit ${most}`}) as found`,
    values,
  );
  return counted?.count ?? 0;
}

/** Finds the matches once, for the count and for the page. For an empty page, one row returns the count. */
async function findMaterialized(
  database: Database,
  { table, filter, order }: OrderedRows,
  { page, pageSize }: Page,
  most?: number,
): Promise<FoundPage> {
  const { sql, values } = filter.matches(table);
  const direction = order.isDescending ? 'desc' : 'asc';
  const placed = `order by place ${direction}, id ${direction}`;
  const rows = await database.query<{ id: number | null; total: number }>(
    `with found as materialized (
       select id, ${order.column} as place ${sql} ${most === undefined ? '' : `limit ${most}`}
     ), page as (
       select id, row_number() over (${placed}) as nth from found
        ${placed} offset ${(page - 1) * pageSize} limit ${pageSize}
     )
     select page.id, (select count(*) from found) as total
       from (select) as always left join page on true order by nth`,
    values,
  );
  return { totalCount: rows[0]?.total ?? 0, ids: rows.flatMap(({ id }) => id ?? []) };
}

/** Finds a page without filters in another order than that of IDs, from the nearer end of the index. */
async function findInAllOrdered(
  database: Database,
  table: string,
  order: RowOrder,
  { page, pageSize }: Page,
): Promise<FoundPage> {
  const [counted] = await database.query<{ count: number }>(
    'select coalesce(sum(amount), 0)::bigint as count from anagrafe.row_counts where kind = $1',
    [table],
  );
  const totalCount = counted?.count ?? 0;
  const offset = (page - 1) * pageSize;
  const count = Math.min(pageSize, totalCount - offset);
  if (count <= 0) return { totalCount, ids: [] };
  const isNearEnd = offset > totalCount / 2;
  const found = await database.query<{ id: number }>(
    `select id from anagrafe.${table} order by ${orderBy(isNearEnd ? { ...order, isDescending: !order.isDescending } : order)}
      offset $1 limit $2`,
    [isNearEnd ? totalCount - offset - count : offset, count],
  );
  const ids = found.map(({ id }) => id);
  return { totalCount, ids: isNearEnd ? ids.reverse() : ids };
}

/**
 * Finds a page without filters. The row counts count the rows per block of 4096 IDs, so that the query can start at the
 * block of the page, and the last page is as fast as the first.
 */
async function findInAll(database: Database, table: string, { page, pageSize }: Page): Promise<FoundPage> {
  const offset = (page - 1) * pageSize;
  const [start] = await database.query<{ total: number; block: number; before: number }>(
    `with blocks as (
       select block, sum(amount)::bigint as amount from anagrafe.row_counts where kind = $1 group by block
     ), running as (
       select block, (sum(amount) over (order by block) - amount)::bigint as before from blocks
     )
     select (select sum(amount)::bigint from blocks) as total, block, before
       from running where before <= $2 order by block desc limit 1`,
    [table, offset],
  );
  const totalCount = start?.total ?? 0;
  if (!start || offset >= totalCount) return { totalCount, ids: [] };
  const found = await database.query<{ id: number }>(
    `select id from anagrafe.${table} where id >= $1::bigint << 12 order by id offset $2 limit $3`,
    [start.block, offset - start.before, pageSize],
  );
  return { totalCount, ids: found.map(({ id }) => id) };
}
