import { expect } from 'vitest';
import type { Envelope } from '../../src/http/envelope.ts';
import type { Tuple } from '../../src/http/tuple.ts';
import type { Database } from '../../src/storage/database.ts';
import { verifyPassword } from '../passwords/verify-password.ts';
import type { Job } from '../setup/jobs.ts';
import type { Child } from './child.ts';
import { wrongFigures } from './figures.ts';

/** So that a job is still at work when a few of its records are stored, on a machine with many cores too. */
export const slowly = { ANAGRAFE_HASH_CONCURRENCY: '1', ANAGRAFE_HASH_PASSES: '4' };

export interface SentRecord {
  readonly ID: number;
  readonly Users: readonly { readonly Username: string; readonly Password?: string }[];
}

/** Records with users whose passwords are all different. */
export function newRecords(principals: readonly number[], usersPerRecord: number, prefix = ''): SentRecord[] {
  return principals.map((ID) => ({
    ID,
    Users: Array.from({ length: usersPerRecord }, (_, n) => {
      const Password = `${prefix}the password of ${ID}-${n}`;
      return { Username: `${prefix}user ${ID}-${n}`, Password, ConfirmPassword: Password };
    }),
  }));
}

async function envelopeOf(answer: Response): Promise<Envelope<Tuple>> {
  return (await answer.json()) as Envelope<Tuple>;
}

export async function newPrincipals(child: Child, count: number): Promise<number[]> {
  const records = Array.from({ length: count }, (_, n) => ({ Denomination: `Principal ${n}` }));
  const { result } = await envelopeOf(await child.call('irs/insert', records));
  return (result?.records ?? []).map((tuple) => tuple.Item1 ?? 0);
}

/** Has records taken as a job, and returns its ID. */
export async function submit(
  child: Child,
  records: unknown,
  headers: Record<string, string> = {},
): Promise<string> {
  const answer = await child.call('irs/update', records, { prefer: 'respond-async', ...headers });
  const { statusCode, result } = await envelopeOf(answer);
  expect(statusCode).toBe(202);
  return (result as { record: Job }).record.ID;
}

async function pageOf(child: Child, id: string, page: number): Promise<Envelope<Tuple>> {
  const answer = await fetch(`${child.url}/api/sync/v1/jobs/${id}?pageSize=1000&page=${page}`, {
    headers: { prefer: 'return=representation' },
  });
  return envelopeOf(answer);
}

export async function jobOf(child: Child, id: string): Promise<Job> {
  return (await pageOf(child, id, 1)).result?.record as Job;
}

/** Waits until a job that is under way has done so many records. */
export async function untilDone(child: Child, id: string, records: number): Promise<void> {
  await expect
    .poll(async () => (await jobOf(child, id)).RecordsDone, { interval: 10 })
    .toBeGreaterThanOrEqual(records);
}

/** Waits for the end of a job, and returns its tuples. */
export async function untilEnded(child: Child, id: string): Promise<Tuple[]> {
  await expect.poll(async () => (await jobOf(child, id)).EndedAt).not.toBeNull();
  const { result } = await pageOf(child, id, 1);
  expect(result?.totalPages).toBe(1);
  return result?.records ?? [];
}

interface Stored {
  readonly id: number;
  readonly principal: number;
  readonly username: string;
  readonly hash: string;
}

/**
 * Every record is there once, under the IDs that its tuple tells, with its passwords; and nothing else is but users
 * whose names begin with `beside`.
 */
export async function expectAppliedOnce(
  database: Database,
  records: readonly SentRecord[],
  tuples: readonly Tuple[],
  beside = 'nobody',
): Promise<void> {
  expect(tuples.map((tuple) => [tuple.Item1, tuple.Item2, tuple.Item3])).toEqual(
    records.map(({ ID }) => [ID, null, true]),
  );
  const told = tuples.flatMap(({ Item1, Item6 }) =>
    (Item6.Users ?? []).map(({ ID, Username }) => ({ id: ID, principal: Item1, username: Username })),
  );
  expect(told.map((user) => user.username)).toEqual(
    records.flatMap(({ Users }) => Users.map((user) => user.Username)),
  );
  const stored = await database.query<Stored>(
    `select id, principal_id as principal, username, password_hash as hash
       from anagrafe.users where not starts_with(username, $1) order by id`,
    [beside],
  );
  expect(stored.map(({ id, principal, username }) => ({ id, principal, username }))).toEqual(
    told.toSorted((a, b) => a.id - b.id),
  );
  expect(await wrongFigures(database)).toEqual([]);
  expect(await wrongPasswords(stored, records)).toEqual([]);
}

/** Of a few users from all over the job: to try them all would take as long as the job did. */
async function wrongPasswords(stored: readonly Stored[], records: readonly SentRecord[]): Promise<string[]> {
  const users = records.flatMap(({ Users }) => Users).filter((user) => user.Password !== undefined);
  const step = Math.ceil(users.length / 20);
  const wrong: string[] = [];
  for (const { Username, Password = '' } of users.filter((_, n) => n % step === 0)) {
    const hash = stored.find((user) => user.username === Username)?.hash ?? '';
    if (!(await verifyPassword(Password, hash))) wrong.push(Username);
  }
  return wrong;
}

/** Has the database itself write down every password that is stored from now on. */
export async function countWrites(database: Database): Promise<void> {
  await database.query(`
    create table public.writes (user_id bigint not null);
    create function public.write_down() returns trigger language plpgsql as
      $$ begin insert into public.writes values (new.id); return null; end $$;
    create trigger write_down after insert or update of password_hash on anagrafe.users
      for each row execute function public.write_down();`);
}

/** How often each user's password was stored, where it was not once. */
export async function repeatedWrites(database: Database): Promise<unknown[]> {
  return database.query(
    `select users.id, count(user_id) from anagrafe.users left join public.writes on user_id = users.id
      group by users.id having count(user_id) <> 1`,
  );
}

/** What is left of jobs that should be gone with their end. */
export async function leftOver(database: Database): Promise<unknown[]> {
  return database.query(
    `select 'chunk' as kind, call_id as id from anagrafe.chunks
     union all select 'key', id from anagrafe.calls where wrapped_key is not null and ended_at is not null`,
  );
}
