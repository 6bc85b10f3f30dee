import type { Database } from '../../db/database.ts';
import { storeWithApiErrors } from '../../db/errors.ts';
import { readGroup } from '../../db/paging.ts';
import { seesPrincipalId, shownTags } from '../../db/visibility.ts';
import { selectedColumns } from '../fields/field-columns.ts';
import { principalFields, type ShownState, userFields } from '../fields/fields.ts';
import { aliasesOf } from '../write/merges.store.ts';
import type { UserSort } from './listing.schemas.ts';
import type { FoundUser, ListedPrincipal, ListedUser, Listing, PageOf, Search } from './listing.ts';
import { Filter, type Matches, type RowOrder, type RowSource, readPage } from './listing-page.store.ts';

/** One query reads the users of consecutive principals that have this many together. A user may have 20 KB of attributes. */
const usersAtOnce = 50;

export type ListingStore = ReturnType<typeof openListing>;

export function openListing(database: Database) {
  return storeWithApiErrors({
    /** Reads the principals and their users in groups, so that a page is not held in memory as a whole. */
    listPrincipals: (listing: Listing) => listPrincipals(database, listing),
    /** Returns the users in groups, for the same reason. */
    listUsers: (listing: Listing) => listUsers(database, listing),
    /** Returns the ID of the principal that a read is limited to, for the audit log; null if there is none. */
    async findPrincipalId({
      principalId,
      externalKey,
      callerTags,
    }: Pick<Listing, 'principalId' | 'externalKey' | 'callerTags'>): Promise<number | null> {
      if (principalId !== null || externalKey === null) return principalId;
      const [found] = await database.query<{ id: number }>(
        `select id from ${principalOfKey('$1')} as named where ${seesPrincipalId('id', '$2')}`,
        [externalKey, callerTags],
      );
      return found?.id ?? null;
    },
  });
}

/** SQL for the ID of the principal with an external key or alias. */
export function principalOfKey(key: string): string {
  return `(select id from anagrafe.principals where external_key = ${key}
           union all select principal_id from anagrafe.principal_aliases where external_key = ${key})`;
}

/** The columns of a principal and of a user, each from a row source with the alias `shown`. */
export const principalColumns = `shown.id, ${selectedColumns(principalFields, 'shown')}, shown.state,
  shown.created_at as "createdAt", shown.updated_at as "updatedAt", users_count as "usersCount",
  ${aliasesOf('shown.id')} as aliases`;
export const userColumns = `shown.id, principal_id as "principalId", username, ${selectedColumns(userFields, 'shown')},
  case when password_hash is null and shown.state = 'active' then 'invited' else shown.state end as state,
  shown.created_at as "createdAt", shown.updated_at as "updatedAt", password_changed_at as "passwordChangedAt",
  last_login_at as "lastLoginAt"`;

/** Selects the users that lists show with a state. Each condition is that of an index. */
const hasState: Readonly<Record<ShownState, string>> = {
  active: `(state = 'active' and password_hash is not null)`,
  invited: `(state = 'active' and password_hash is null)`,
  disabled: `state = 'disabled'`,
};

const principals: RowSource = {
  table: 'principals',
  principals: 'shown',
  select: `select ${principalColumns} from anagrafe.principals as shown`,
};

const users: RowSource = {
  table: 'users',
  principals: 'principals',
  select: `select ${userColumns}, must_change_password as "mustChange", external_key as "ExternalKey", denomination as "Denomination"
             from anagrafe.users as shown join anagrafe.principals on principals.id = principal_id`,
};

type PrincipalRow = Omit<ListedPrincipal, 'users'>;

async function listPrincipals(
  database: Database,
  listing: Listing,
): Promise<PageOf<AsyncIterable<ListedPrincipal>>> {
  const filter = new Filter();
  if (listing.principalId !== null) filter.add((value) => `id = ${value}`, listing.principalId);
  if (listing.own) filter.add((value) => `id = ${value}`, listing.own.principalId);
  if (listing.externalKey !== null)
    filter.add((value) => `id = ${principalOfKey(value)}`, listing.externalKey);
  if (listing.tags !== null) filter.add((value) => `tags && ${value}::text[]`, listing.tags);
  if (listing.since !== null) filter.add((value) => `updated_at >= ${value}`, listing.since);
  if (listing.search !== null) {
    const words = filter.value(prefixQuery(listing.search));
    const from = filter.value(listing.search.usernamePrefix);
    const to = filter.value(afterPrefix(listing.search.usernamePrefix));
    filter.conditions.push(`(search_terms @@ ${words}::tsquery or id = any(array(
      select principal_id from anagrafe.users where username_key >= ${from} and username_key < ${to})))`);
  }
  const areUnordered = listing.search !== null || listing.since !== null;
  const page = await readPage<PrincipalRow>(database, principals, filter, listing, {
    areUnordered,
    mayBeMany: isBroad(listing),
  });
  return { ...page, items: withUsers(database, page.items, listing) };
}

/** A limited caller may see a million principals, which no row counts count. */
function isBroad({ callerTags, principalId, externalKey, search, since }: Listing): boolean {
  return callerTags !== null && [principalId, externalKey, search, since].every((value) => value === null);
}

async function listUsers(
  database: Database,
  listing: Listing,
): Promise<PageOf<AsyncIterable<readonly FoundUser[]>>> {
  const filter = new Filter();
  if (listing.principalId !== null) filter.add((value) => `principal_id = ${value}`, listing.principalId);
  if (listing.externalKey !== null) {
    filter.add((value) => `principal_id = ${principalOfKey(value)}`, listing.externalKey);
  }
  if (listing.tags !== null)
    filter.add(
      (value) => `principal_id in (select id from anagrafe.principals where tags && ${value}::text[])`,
      listing.tags,
    );
  if (listing.usernameKeys !== null)
    filter.add((value) => `username_key = any(${value})`, listing.usernameKeys);
  if (listing.email !== null)
    filter.add((value) => `email is not null and lower(email collate "C") = ${value}`, listing.email);
  if (listing.since !== null) filter.add((value) => `updated_at >= ${value}`, listing.since);
  if (listing.state !== null) filter.conditions.push(hasState[listing.state]);
  if (listing.neverSignedIn) filter.conditions.push('not has_signed_in');
  if (listing.userId !== null) filter.add((value) => `id = ${value}`, listing.userId);
  if (listing.afterId !== null) filter.add((value) => `id > ${value}`, listing.afterId);
  if (listing.nameTerms !== null)
    filter.add((value) => `name_terms @@ ${value}::tsquery`, prefixes(listing.nameTerms));
  if (listing.search !== null) filter.conditions.push(userSearch(listing.search, filter));
  return readPage<FoundUser>(database, users, filter, listing, matchesOf(listing));
}

/** Each of the alternatives has an index, so that PostgreSQL combines the rows that the indexes find. */
function userSearch({ terms, usernamePrefix, emailPrefix, phoneEnd }: Search, filter: Filter): string {
  const isPrefix = (column: string, prefix: string) =>
    `${column} >= ${filter.value(prefix)} and ${column} < ${filter.value(afterPrefix(prefix))}`;
  const alternatives = [
    isPrefix('username_key', usernamePrefix),
    `email is not null and ${isPrefix('lower(email collate "C")', emailPrefix)}`,
  ];
  if (terms.length > 0) alternatives.push(`name_terms @@ ${filter.value(prefixes(terms))}::tsquery`);
  if (phoneEnd !== null) alternatives.push(`phone is not null and ${isPrefix(reversedPhone, phoneEnd)}`);
  return `(${alternatives.map((condition) => `(${condition})`).join(' or ')})`;
}

/** The expression of the index of phone numbers. */
const reversedPhone = `reverse(regexp_replace(phone, '[^0-9]', '', 'g')) collate "C"`;

const orderOf: Readonly<Record<UserSort, RowOrder>> = {
  ID: { column: 'id', isDescending: false },
  '-ID': { column: 'id', isDescending: true },
  Username: { column: 'username_key', isDescending: false },
  '-Username': { column: 'username_key', isDescending: true },
  UpdatedAt: { column: 'updated_at', isDescending: false },
  '-UpdatedAt': { column: 'updated_at', isDescending: true },
};

/**
 * The users of one principal, with some IDs or usernames or with one email address are few; others may be all users.
 * Only the order of IDs has an index beside a filter.
 */
function matchesOf(listing: Listing): Matches {
  const { principalId, externalKey, userId, usernameKeys, email, nameTerms, search, since, sort } = listing;
  const order = orderOf[sort];
  return {
    order,
    areUnordered: order.column !== 'id' || [nameTerms, search, since].some((value) => value !== null),
    mayBeMany: [principalId, externalKey, userId, usernameKeys, email].every((value) => value === null),
  };
}

async function* withUsers(
  database: Database,
  groups: AsyncIterable<readonly PrincipalRow[]>,
  { own, usersShown, callerTags }: Listing,
): AsyncGenerator<ListedPrincipal> {
  const shownOf = (row: PrincipalRow) => (own ? 1 : Math.min(row.usersCount, usersShown));
  for await (const group of groups) {
    const rows = group.map((row) => ({ ...row, Tags: shownTags(row.Tags, callerTags) }));
    for (let position = 0; position < rows.length; ) {
      const some: PrincipalRow[] = [];
      for (let users = 0; position < rows.length; position++) {
        const row = rows[position] as PrincipalRow;
        users += shownOf(row);
        if (some.length > 0 && users > usersAtOnce) break;
        some.push(row);
      }
      const [first] = some;
      if (first && shownOf(first) > usersAtOnce) {
        yield { ...first, users: usersInGroups(database, first.id, usersShown) };
        continue;
      }
      const wanted = usersShown === 0 ? [] : some.filter((row) => row.usersCount > 0);
      const sizes = wanted.map((row) => ({ id: row.id, users: shownOf(row) }));
      const users = await readGroup(() => firstUsers(database, sizes, own?.id ?? null));
      for (const row of some)
        yield { ...row, users: users.get(row.id) ?? [], usersCount: own ? 1 : row.usersCount };
    }
  }
}

/** Reads the first users of one principal in keyset groups. */
async function* usersInGroups(
  database: Database,
  principalId: number,
  limit: number,
): AsyncGenerator<ListedUser> {
  let after = 0;
  for (let left = limit; left > 0; left -= usersAtOnce) {
    const count = Math.min(left, usersAtOnce);
    const users = await readGroup(() =>
      database.query<ListedUser>(
        `select ${userColumns} from anagrafe.users as shown
          where principal_id = $1 and id > $2 order by id limit $3`,
        [principalId, after, count],
      ),
    );
    yield* users;
    after = users.at(-1)?.id ?? after;
    if (users.length < count) return;
  }
}

async function firstUsers(
  database: Database,
  principals: readonly { readonly id: number; readonly users: number }[],
  onlyUser: number | null,
): Promise<Map<number, ListedUser[]>> {
  const byPrincipal = new Map<number, ListedUser[]>();
  if (principals.length === 0) return byPrincipal;
  const users = await database.query<ListedUser>(
    `select ${userColumns} from unnest($1::bigint[], $3::integer[]) as wanted (principal, users)
      cross join lateral (
        select * from anagrafe.users where principal_id = wanted.principal and ($2::bigint is null or id = $2)
         order by id limit wanted.users
      ) as shown`,
    [principals.map(({ id }) => id), onlyUser, principals.map(({ users }) => users)],
  );
  for (const user of users) {
    const known = byPrincipal.get(user.principalId);
    if (known) known.push(user);
    else byPrincipal.set(user.principalId, [user]);
  }
  return byPrincipal;
}

/** Builds a tsquery: all terms match as prefixes, or one of the numbers does. */
function prefixQuery({ terms, numbers }: Search): string {
  const words = prefixes(terms);
  return [words === '' ? [] : `(${words})`, numbers.map(prefix)].flat().join(' | ');
}

/** Builds a tsquery that all terms match as prefixes. Without terms it matches nothing. */
function prefixes(terms: readonly string[]): string {
  return terms.map(prefix).join(' & ');
}

/** Quotes a term, since clients send them. */
function prefix(term: string): string {
  return `'${term.replace(/['\\]/g, '$&$&')}':*`;
}

/** Returns the exclusive upper bound of the texts that begin with a prefix, in code point order. */
function afterPrefix(prefix: string): string {
  return `${prefix}\u{10FFFF}`;
}
