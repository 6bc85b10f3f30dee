import type {
  ListedPrincipal,
  ListedUser,
  Listing,
  ListingStore,
  PageOf,
  Search,
} from '../core/listing/listing.ts';
import type { Database } from './database.ts';
import { reading } from './failures.ts';

/** How many users are read at a time while a page of principals is given out. */
const usersAtOnce = 1000;

export function openListing(database: Database): ListingStore {
  return {
    listPrincipals: (listing) => reading(() => listPrincipals(database, listing)),
    listUsers: (listing) => reading(() => listUsers(database, listing)),
  };
}

const principalColumns = `id, external_key as "externalKey", denomination, surname, name, vatnumber, taxcode, email, state,
  created_at as "createdAt", updated_at as "updatedAt", users_count as "usersCount"`;

const userColumns = `id, principal_id as "principalId", username, email, state, created_at as "createdAt",
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

/** The conditions of a listing with the values they speak of. */
class Filter {
  readonly conditions: string[] = [];
  readonly values: unknown[] = [];

  add(condition: (value: string) => string, value: unknown): void {
    this.conditions.push(condition(this.value(value)));
  }

  /** Takes a value in and gives the name it has in the statement. */
  value(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/** Always in the order of the IDs: whatever changes while a client turns the pages, nothing slips past it. */
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
 * How many match a search cannot be estimated; left to itself, PostgreSQL would walk all rows to find a few. They are found once, to be
 * counted and to take the page from; where it is empty, one row tells how many there are.
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

/** The last page of a million is found as fast as the first: the tallies tell near which ID it starts. */
async function readWholePage<Row extends object>(
  database: Database,
  table: 'principals' | 'users',
  columns: string,
  offset: number,
  pageSize: number,
): Promise<PageOf<readonly Row[]>> {
  const [start] = await database.query<{ total: number; block: number; before: number }>(
    `with blocks as (
       select block, sum(amount)::bigint as amount from anagrafe.tallies where kind = $1 group by block
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

/** Yields principals with their users, which it reads in groups of about `usersAtOnce`. */
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

/** Every word must begin a word of the principal, or one of the numbers. Quoted, since a term is the caller's text. */
function prefixQuery({ terms, numbers }: Search): string {
  const begins = (term: string) => `'${term.replace(/['\\]/g, '$&$&')}':*`;
  const words = terms.map(begins).join(' & ');
  return [words === '' ? [] : `(${words})`, numbers.map(begins)].flat().join(' | ');
}

/** The end of the range of texts that begin with a prefix, in the order of code points. */
function afterPrefix(prefix: string): string {
  return `${prefix}\u{10FFFF}`;
}
