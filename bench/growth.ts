import type pg from 'pg';
import { hashedRegistrations, insertPrincipals, someHash } from './people.ts';
import { median } from './ratio.ts';
import { connectTo } from './running/database.ts';
import type { AtEnd } from './running/endings.ts';
import { type MeasuredService, startService } from './running/service.ts';

const goal = 1.1;
const few = 1000;
const many = 1_000_000;
const usersOfPrincipal = 10;
const usersInCall = 20;
const rounds = 120;
/** Number of first rounds to ignore: they measure the start-up more than the store. */
const warmUp = 20;

/**
 * Measures a registration without hashing, a page of the list, a search and each filter of users with a million users,
 * divided by the same with a thousand users. The two services are called in turn, so that noise of the machine affects
 * both.
 */
export async function growth(atEnd: AtEnd): Promise<string> {
  const small = await startFilled(few, atEnd);
  const large = await startFilled(many, atEnd);
  const figures = {
    user: await compare(small, large, registerTime),
    'first page': await compare(small, large, (store) => pageTime(store, { Page: 1 })),
    'last page': await compare(small, large, (store) => pageTime(store, { Page: store.lastPage })),
    search: await compare(small, large, (store) => pageTime(store, { Search: store.username })),
    email: await compare(small, large, (store) =>
      findTime(store, { Email: `${store.username}@EXAMPLE.com` }),
    ),
    name: await compare(small, large, (store) => findTime(store, { Name: store.lastName })),
    'search users': await compare(small, large, (store) => findTime(store, { Search: store.username })),
    'last changed': await compare(small, large, (store) => findTime(store, { Sort: '-UpdatedAt' })),
    'by username': await compare(small, large, (store) => findTime(store, { Sort: 'Username' })),
    disabled: await compare(small, large, (store) => findTime(store, { State: 'disabled' })),
    active: await compare(small, large, (store) => findTime(store, { State: 'active' })),
    'never signed in': await compare(small, large, (store) => findTime(store, { NeverSignedIn: true })),
    'changed since': await compare(small, large, (store) => findTime(store, { Date: store.filledAt })),
  };
  const entries = Object.entries(figures);
  const ratios = entries.map(([name, { ratio }]) => `${name} ${ratio.toFixed(2)}`).join(', ');
  const times = entries.map(([name, { text }]) => `${name} ${text}`).join('; ');
  return `growth  ${ratios} times with ${many} users over ${few} (to reach: ${goal} or less)  [${times}]`;
}

interface FilledStore {
  readonly service: MeasuredService;
  readonly principals: readonly number[];
  readonly lastPage: number;
  /** Username of a user in the middle of the stored ones. */
  readonly username: string;
  /** A last name that only the users of one principal have. */
  readonly lastName: string;
  /** A time after the stored users were written, which only those that the benchmark registers have changed since. */
  readonly filledAt: string;
}

async function startFilled(users: number, atEnd: AtEnd): Promise<FilledStore> {
  const service = await startService(atEnd);
  const filledAt = await fill(await connectTo(service, atEnd), users);
  const principals = await insertPrincipals(service, rounds);
  const { result } = (await service.call('irs/list', {})) as unknown as { result: { totalPages: number } };
  const middle = Math.round(users / usersOfPrincipal / 2);
  const username = `stored-${middle}-1`;
  // The last page may be short, or contain principals that the benchmark adds users to; so the one before it is used.
  return {
    service,
    principals,
    lastPage: Math.max(result.totalPages - 1, 1),
    username,
    lastName: `Rossi${middle}`,
    filledAt,
  };
}

async function compare(
  small: FilledStore,
  large: FilledStore,
  measure: (store: FilledStore, round: number) => Promise<number>,
): Promise<{ ratio: number; text: string }> {
  const before: number[] = [];
  const after: number[] = [];
  for (let round = 0; round < rounds; round++) {
    before.push(await measure(small, round));
    after.push(await measure(large, round));
  }
  const [few, many] = [median(before.slice(warmUp)), median(after.slice(warmUp))];
  return { ratio: many / few, text: `${few.toFixed(3)} -> ${many.toFixed(3)} ms` };
}

async function registerTime({ service, principals }: FilledStore, round: number): Promise<number> {
  const body = JSON.stringify([{ ID: principals[round], Users: hashedRegistrations(usersInCall) }]);
  const start = performance.now();
  await service.call('irs/update', body);
  return (performance.now() - start) / usersInCall;
}

async function pageTime({ service }: FilledStore, wanted: object): Promise<number> {
  const start = performance.now();
  await service.call('irs/list', wanted);
  return performance.now() - start;
}

async function findTime({ service }: FilledStore, filter: object): Promise<number> {
  const start = performance.now();
  await service.call('irs/users', { ...filter, PageSize: 10 });
  return performance.now() - start;
}

/**
 * Inserts principals with users and counters, as the service would, until the store has `target` users. Every tenth user
 * is disabled, and every second one has signed in. Returns the time of the database after that.
 */
export async function fill(database: pg.Client, target: number): Promise<string> {
  const { rows } = await database.query('select count(*)::int as users from anagrafe.users');
  const missing = Math.ceil((target - rows[0].users) / usersOfPrincipal);
  await database.query(
    `with principal as (
       insert into anagrafe.principals (denomination, search_terms, users_count)
       select 'Stored ' || n, array_to_tsvector(array['stored', n::text]), $2 from generate_series(1, $1::int) as n
       returning id
     ), stored as (
       insert into anagrafe.users (principal_id, username, username_key, password_hash, email, first_name, last_name,
                                   name_terms, state, has_signed_in)
       select id, 'stored-' || id || '-' || n, 'stored-' || id || '-' || n, $3,
              'stored-' || id || '-' || n || '@example.com', 'Mario', 'Rossi' || id,
              array_to_tsvector(array['mario', 'rossi' || id]), case when n = 1 then 'disabled' else 'active' end,
              n % 2 = 0
         from principal cross join generate_series(1, $2::int) as n
       returning id
     ), counted as (
       select 'users' as kind, id >> 12 as block, count(*) as amount from stored group by 2
       union all
       select 'principals', id >> 12, count(*) from principal group by 2
     )
     insert into anagrafe.row_counts as counted (kind, block, slot, amount)
     select kind, block, 0, amount from counted
     on conflict (kind, block, slot) do update set amount = counted.amount + excluded.amount`,
    [missing, usersOfPrincipal, someHash],
  );
  await database.query('vacuum analyze');
  await database.query('checkpoint');
  const { rows: clock } = await database.query('select clock_timestamp() as now');
  return clock[0].now.toISOString();
}
