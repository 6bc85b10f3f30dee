import { expect, it } from 'vitest';
import { importedHash } from '../setup/jobs.ts';
import { range } from '../setup/records.ts';
import { until } from '../setup/until.ts';
import { childStore, startChild } from './child.ts';

/** The largest number of users in a job. */
const users = 100_000;
/**
 * Heap limit of the service in MB; without a call it uses about 35. All values of the users together need more than the
 * rest. A service that needs more ends with an error, which does not depend on when garbage is collected.
 */
const heapLimit = 90;

/** Usernames whose order in UTF-16 differs from that of PostgreSQL, and many that are sent in descending order. */
const usernameOf = (n: number) => (n < 2 ? `${n === 0 ? '\u{20000}' : '\uac00'}-last` : `user-${users - n}`);

it.each(['irs/insert', 'irs/update'])(
  `a record with 100,000 users is written by a job of %s in a heap of ${heapLimit} MB`,
  async (path) => {
    const { settings, database } = await childStore();
    const child = await startChild({ ...settings, NODE_OPTIONS: `--max-old-space-size=${heapLimit}` });
    const Users = range(users).map((n) => ({
      Username: usernameOf(n),
      Email: `user-${n}@example.com`,
      PasswordHash: importedHash,
    }));
    const principal = { ExternalKey: 'large', Denomination: 'Large' };
    if (path === 'irs/update') expect((await child.call('irs/insert', [principal])).status).toBe(200);
    const record = path === 'irs/update' ? { ExternalKey: 'large', Users } : { ...principal, Users };
    const answer = await child.call(path, [record], { prefer: 'respond-async' });
    expect(answer.status).toBe(202);
    const job = async () =>
      (
        await database.query<{ ended: boolean }>(
          'select ended_at is not null as ended from anagrafe.calls where is_job',
        )
      )[0];
    await until(async () => child.process.exitCode !== null || ((await job())?.ended ?? false));
    expect(child.process.exitCode, 'the service has not run out of memory').toBeNull();

    const [stored] = await database.query(
      `select users_count as count, principals.updated_at = users.created_at as "sameTime", username, users.email,
            password_hash as hash
       from anagrafe.principals join anagrafe.users on principal_id = principals.id
      where username_key = 'user-1'`,
    );
    const last = users - 1;
    expect(stored).toEqual({
      count: users,
      sameTime: true,
      username: 'user-1',
      email: `user-${last}@example.com`,
      hash: importedHash,
    });
    const [written] = await database.query(
      `select cardinality(registered) as registered, outcomes.users, jsonb_array_length(applied) as applied,
            (select sum(amount) from anagrafe.row_counts where kind = 'users') as counted,
            (applied -> 0 ->> 0)::bigint = registered[1] as first,
            registered = array(select id from anagrafe.users order by substring(email from 6 for position('@' in email) - 6)::integer) as "inOrder"
       from anagrafe.outcomes,
            (select array(select unnest(registered) from anagrafe.audit_log order by audit_log.id)) as named (registered)`,
    );
    expect(written).toMatchObject({ registered: users, users, applied: users, first: true, inOrder: true });
    expect(Number(written?.counted)).toBe(users);
  },
);
