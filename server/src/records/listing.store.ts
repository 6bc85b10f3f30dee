import type { Database } from '../db/database.ts';
import { withApiErrors } from '../db/errors.ts';
import { principalFields, selectedColumns, userFields } from './fields.ts';
import type { ListedPrincipal, ListedUser, Listing, ListingStore, PageOf, Search } from './listing.ts';

/** Principals of a page are grouped until they have this many users together. One query reads the users of a group. */
const usersAtOnce = 1000;

export function openListing(database: Database): ListingStore {
  return {
    listPrincipals: (listing) => withApiErrors(() => listPrincipals(database, listing)),
    listUsers: (listing) => withApiErrors(() => listUsers(database, listing)),
  };
}

const principalColumns = `id, ${selectedColumns(principalFields)}, state,
  created_at as "createdAt", updated_at as "updatedAt", users_count as "usersCount"`;

const userColumns = `id, principal_id as "principalId", username, ${selectedColumns(userFields)}, state, created_at as "createdAt",
  updated_at as "updatedAt", password_changed_at as "passwordChangedAt", last_login_at as "lastLoginAt"`;

type PrincipalRow = Omit<ListedPrincipal, 'users'>;

async function listPrincipals(
  database: Database,
  listing: Listing,
): Promise<PageOf<AsyncIterable<ListedPrincipal>>> {
  const filter = new Filter();
  if (listing.principalId !== null) filter.add((value) => `id = ${value}`, listing.principalId);
  if (listing.own) filter.add((value) => `id = ${value}`, listing.own.principalId);
  if (listing.externalKey !== null) filter.add((value) => `external_key = ${value}`, listing.externalKey);
  if (listing.since !== null) filter.add((value) => `updated_at >= ${value}`, listing.since);
  if (listing.search !== null) {
    const words = filter.value(prefixQuery(listing.search));
    const from = filter.value(listing.search.usernamePrefix);
    const to = filter.value(afterPrefix(listing.search.usernamePrefix));
    filter.conditions.push(`(search_terms @@ ${words}::tsquery or id = any(array(
      select principal_id from anagrafe.users where username_key >= ${from} and username_key < ${to})))`);
  }
  const page = await readPage<PrincipalRow>(database, 'principals', principalColumns, filter, listing);
  return { ...page, items: withUsers(database, page.items, listing) };
}

async function listUsers(database: Database, listing: Listing): Promise<PageOf<readonly ListedUser[]>> {
  const filter = new Filter();
  if (listing.principalId !== null) filter.add((value) => `principal_id = ${value}`, listing.principalId);
  if (listing.externalKey !== null) {
    filter.add(
      (value) => `principal_id = (select id from anagrafe.principals where external_key = ${value})`,
      listing.externalKey,
    );
  }
  if (listing.usernameKeys !== null)
    filter.add((value) => `username_key = any(${value})`, listing.usernameKeys);
  if (listing.since !== null) filter.add((value) => `updated_at >= ${value}`, listing.since);
  if (listing.search !== null) {
    filter.add((value) => `username_key >= ${value}`, listing.search.usernamePrefix);
    filter.add((value) => `username_key < ${value}`, afterPrefix(listing.search.usernamePrefix));
  }
  return readPage<ListedUser>(database, 'users', userColumns, filter, listing);
}

class Filter {
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
}

/** Reads a page in the order of IDs, so that a client that reads all pages misses no row that changes meanwhile. */
async function readPage<Row extends object>(
  database: Database,
  table: 'principals' | 'users',
  columns: string,
  filter: Filter,
  listing: Listing,
): Promise<PageOf<readonly Row[]>> {
  const offset = (listing.page - 1) * listing.pageSize;
  if (filter.conditions.length === 0)
    return readWholePage(database, table, columns, offset, listing.pageSize);
  const matches = `from anagrafe.${table} where ${filter.conditions.join(' and ')}`;
  if (listing.search !== null) return readFound(database, table, columns, matches, filter, listing);
  const [counted] = await database.query<{ count: number }>(`select count(*) ${matches}`, filter.values);
  const totalCount = counted?.count ?? 0;
  if (offset >= totalCount) return { totalCount, count: 0, items: [] };
  const items = await database.query<Row>(
    `select ${columns} ${matches} order by id offset ${filter.value(offset)} limit ${filter.value(listing.pageSize)}`,
    filter.values,
  );
  return { totalCount, count: items.length, items };
}

/**
 * PostgreSQL cannot estimate how many rows match a search, and would scan all rows to find a few. The materialized
 * expression finds the matches once, for the count and for the page. For an empty page, one row returns the count.
 */
async function readFound<Row extends object>(
  database: Database,
  table: 'principals' | 'users',
  columns: string,
  matches: string,
  filter: Filter,
  { page, pageSize }: Listing,
): Promise<PageOf<readonly Row[]>> {
  const rows = await database.query<Row & { id: number | null; total: number }>(
    `with found as materialized (select id ${matches}), page as (
       select id from found order by id offset ${filter.value((page - 1) * pageSize)} limit ${filter.value(pageSize)}
     )
     select shown.*, (select count(*) from found) as total
       from (select) as always
       left join (select ${columns} from anagrafe.${table} where id in (select id from page)) as shown on true
      order by shown.id`,
    filter.values,
  );
  const items = rows.filter(({ id }) => id !== null).map(({ total: _, ...row }) => row as unknown as Row);
  return { totalCount: rows[0]?.total ?? 0, count: items.length, items };
}

/**
 * Reads a page without filters. The row counts count the rows per block of 4096 IDs, so that the query can start at the
 * block of the page, and the last page is as fast as the first.
 */
async function readWholePage<Row extends object>(
  database: Database,
  table: 'principals' | 'users',
  columns: string,
  offset: number,
  pageSize: number,
): Promise<PageOf<readonly Row[]>> {
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
  if (!start || offset >= totalCount) return { totalCount, count: 0, items: [] };
  const items = await database.query<Row>(
    `select ${columns} from anagrafe.${table} where id >= $1::bigint << 12 order by id offset $2 limit $3`,
    [start.block, offset - start.before, pageSize],
  );
  return { totalCount, count: items.length, items };
}

async function* withUsers(
  database: Database,
  rows: readonly PrincipalRow[],
  { own, usersShown }: Listing,
): AsyncGenerator<ListedPrincipal> {
  let position = 0;
  while (position < rows.length) {
    const some: PrincipalRow[] = [];
    for (let users = 0; position < rows.length && (users === 0 || users < usersAtOnce); position++) {
      const row = rows[position] as PrincipalRow;
      some.push(row);
      users += Math.min(row.usersCount, usersShown);
    }
    const wanted = usersShown === 0 ? [] : some.filter((row) => row.usersCount > 0);
    const users = await firstUsers(
      database,
      wanted.map((row) => row.id),
      usersShown,
      own?.id ?? null,
    );
    for (const row of some) {
      const shown = users.get(row.id) ?? [];
      yield { ...row, users: shown, usersCount: own ? 1 : row.usersCount };
    }
  }
}

async function firstUsers(
  database: Database,
  principalIds: readonly number[],
  limit: number,
  onlyUser: number | null,
): Promise<Map<number, ListedUser[]>> {
  const byPrincipal = new Map<number, ListedUser[]>();
  if (principalIds.length === 0) return byPrincipal;
  const users = await database.query<ListedUser>(
    `select ${userColumns} from unnest($1::bigint[]) as wanted (principal)
      cross join lateral (
        select * from anagrafe.users where principal_id = wanted.principal and ($2::bigint is null or id = $2)
         order by id limit $3
      ) as shown`,
    [principalIds, onlyUser, limit],
  );
  for (const user of users) {
    const known = byPrincipal.get(user.principalId);
    if (known) known.push(user);
    else byPrincipal.set(user.principalId, [user]);
  }
  return byPrincipal;
}

/** Builds a tsquery: all terms match as prefixes, or one of the numbers does. Quotes them, since clients send them. */
function prefixQuery({ terms, numbers }: Search): string {
  const begins = (term: string) => `'${term.replace(/['\\]/g, '$&$&')}':*`;
  const words = terms.map(begins).join(' & ');
  return [words === '' ? [] : `(${words})`, numbers.map(begins)].flat().join(' | ');
}

/** Returns the exclusive upper bound of the texts that begin with a prefix, in code point order. */
function afterPrefix(prefix: string): string {
  return `${prefix}\u{10FFFF}`;
}
