import type pg from 'pg';
import { insertPrincipals, someHash } from './people.ts';
import { timed } from './ratio.ts';
import { connectTo } from './running/database.ts';
import type { AtEnd } from './running/endings.ts';
import { latencyOf } from './running/health.ts';
import { watchMemory } from './running/memory.ts';
import { type MeasuredService, startService } from './running/service.ts';

const goal = 0.3;
const users = 1_000_000;
const usersEach = 1000;
const everyMs = 100;

/**
 * Measures the deletion of a million users under a thousand principals by one job, divided by one `delete` statement of
 * PostgreSQL over the same number of rows. Other calls are sent meanwhile; none may wait for longer than a second.
 */
export async function removal(atEnd: AtEnd): Promise<string> {
  const service = await startService(atEnd);
  const database = await connectTo(service, atEnd);
  const others = await insertPrincipals(service, 1);
  await fill(database, 'copied');
  const bare = users / (await timed(() => deleteAll(database)));
  const keys = await fill(database, 'stored');
  const memory = watchMemory([service.pid]);
  const watch = watchCalls(service, others[0] ?? 0);
  const rate =
    users /
    (await service.job(
      'irs/delete',
      keys.map((ExternalKey) => ({ ExternalKey })),
    ));
  const { longest, p99, asked } = await watch.stop();
  const [peak = 0] = memory.stop();
  const { rows } = await database.query(
    `select count(*)::integer as left from anagrafe.users where username like 'stored-%'`,
  );
  if (rows[0].left !== 0) throw new Error(`${rows[0].left} users were not deleted`);
  return `removal  ${(rate / bare).toFixed(2)} of one DELETE (to reach: ${goal})  [users/s ${rate.toFixed(0)}/${bare.toFixed(0)}; ${asked} other calls, p99 ${p99.toFixed(0)} ms, longest ${longest.toFixed(0)} ms (at most 1000); peak memory of the service ${peak.toFixed(0)} MB]`;
}

async function fill(database: pg.Client, name: string): Promise<string[]> {
  const count = users / usersEach;
  await database.query(
    `with made as (
       insert into anagrafe.principals (external_key, denomination, search_terms, users_count)
       select '${name}-' || n, 'Company ' || n, '', ${usersEach} from generate_series(1, ${count}) as n returning id, external_key
     ), filled as (
       insert into anagrafe.users (principal_id, username, username_key, password_hash)
       select id, external_key || '-' || n, external_key || '-' || n, '${someHash}'
         from made cross join generate_series(1, ${usersEach}) as n returning id
     ), counted as (
       insert into anagrafe.row_counts (kind, block, slot, amount)
       select 'users', id >> 12, 100, count(*) from filled group by id >> 12
       on conflict (kind, block, slot) do update set amount = row_counts.amount + excluded.amount
     )
     insert into anagrafe.row_counts (kind, block, slot, amount)
     select 'principals', id >> 12, 100, count(*) from made group by id >> 12
     on conflict (kind, block, slot) do update set amount = row_counts.amount + excluded.amount`,
  );
  await database.query('analyze');
  return Array.from({ length: count }, (_, n) => `${name}-${n + 1}`);
}

async function deleteAll(database: pg.Client): Promise<void> {
  await database.query(
    `with gone as (delete from anagrafe.principals where external_key like 'copied-%' returning id)
     delete from anagrafe.users using gone where users.principal_id = gone.id`,
  );
}

/** Registers a user under another principal every `everyMs`. */
function watchCalls(service: MeasuredService, principal: number) {
  const times: number[] = [];
  const pending = new Set<Promise<unknown>>();
  let sent = 0;
  const timer = setInterval(() => {
    const body = [{ ID: principal, Users: [{ Username: `watch-${++sent}`, PasswordHash: someHash }] }];
    const call = timed(() => service.call('irs/update', body)).then((seconds) => times.push(seconds * 1000));
    pending.add(call);
    call.finally(() => pending.delete(call));
  }, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(pending);
      return latencyOf(times);
    },
  };
}
