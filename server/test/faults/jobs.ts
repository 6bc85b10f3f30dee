import type { Child } from '@anagrafe/testing/child';
import { wrongFigures } from '@anagrafe/testing/figures';
import { importedUser, type Job } from '@anagrafe/testing/jobs';
import { verifyPassword } from '@anagrafe/testing/verify-password';
import { expect } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import type { Envelope } from '../../src/http/envelope.ts';
import type { Tuple } from '../../src/records/read/tuple.ts';

export interface SentRecord {
  readonly ID: number;
  readonly Users: readonly { readonly Username: string; readonly Password?: string }[];
}

/** Builds records with `hashed` users, each with a different password, and `imported` users with a password hash. */
export function newRecords(
  principals: readonly number[],
  users: { readonly hashed?: number; readonly imported?: number },
  prefix = '',
): SentRecord[] {
  const { hashed = 0, imported = 0 } = users;
  return principals.map((ID) => ({
    ID,
    Users: [
      ...Array.from({ length: hashed }, (_, n) => {
        const Password = `${prefix}the password of ${ID}-${n}`;
        return { Username: `${prefix}user ${ID}-${n}`, Password, ConfirmPassword: Password };
      }),
      ...Array.from({ length: imported }, (_, n) => importedUser(`${prefix}imported ${ID}-${n}`)),
    ],
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

/** Submits records as a job and returns its ID. */
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

/** Waits until at least `records` records of a job are done. */
export async function untilDone(child: Child, id: string, records: number): Promise<void> {
  await expect.poll(async () => (await jobOf(child, id)).RecordsDone).toBeGreaterThanOrEqual(records);
}

/** Waits for the end of a job and returns its tuples, of which it may have at most 1,000. */
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
 * Expects every record to be stored once, with the IDs from its tuple and with its passwords, and no other users except
 * those whose names begin with `ignoredPrefix`.
 */
export async function expectAppliedOnce(
  database: Database,
  records: readonly SentRecord[],
  tuples: readonly Tuple[],
  ignoredPrefix = 'nobody',
): Promise<void> {
  expect(tuples.map((tuple) => [tuple.Item1, tuple.Item2, tuple.Item3])).toEqual(
    records.map(({ ID }) => [ID, null, true]),
  );
  const reported = tuples.flatMap(({ Item1, Item6 }) =>
    (Item6.Users ?? []).map(({ ID, Username }) => ({ id: ID, principal: Item1, username: Username })),
  );
  expect(reported.map((user) => user.username)).toEqual(
    records.flatMap(({ Users }) => Users.map((user) => user.Username)),
  );
  const stored = await database.query<Stored>(
    `select id, principal_id as principal, username, password_hash as hash
       from anagrafe.users where not starts_with(username, $1) order by id`,
    [ignoredPrefix],
  );
  expect(stored.map(({ id, principal, username }) => ({ id, principal, username }))).toEqual(
    reported.toSorted((a, b) => a.id - b.id),
  );
  expect(await wrongFigures(database)).toEqual([]);
  expect(await wrongPasswords(stored, records)).toEqual([]);
}

/** Returns the users whose password does not match, of a sample of 20: verifying all of them would take too long. */
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

/** Adds a trigger that records every password that is stored from now on. */
export async function countWrites(database: Database): Promise<void> {
  await database.query(`
    create table public.writes (user_id bigint not null);
    create function public.record_write() returns trigger language plpgsql as
      $$ begin insert into public.writes values (new.id); return null; end $$;
    create trigger record_write after insert or update of password_hash on anagrafe.users
      for each row execute function public.record_write();`);
}

/** Returns the users whose password was not stored exactly once since `countWrites`, with the number of writes. */
export async function repeatedWrites(database: Database): Promise<unknown[]> {
  return database.query(
    `select users.id, count(user_id) from anagrafe.users left join public.writes on user_id = users.id
      group by users.id having count(user_id) <> 1`,
  );
}

/** Returns all chunks, and the keys of ended jobs. The service deletes both when a job ends. */
export async function leftOver(database: Database): Promise<unknown[]> {
  return database.query(
    `select 'chunk' as kind, call_id as id from anagrafe.chunks
     union all select 'key', id from anagrafe.calls where wrapped_key is not null and ended_at is not null`,
  );
}

/** Makes the heartbeats of all active work expire, so that the queue hands it out again at its next check. */
export async function expireHeartbeats(database: Database): Promise<void> {
  await database.query(
    `update anagrafe_queue.job set heartbeat_on = heartbeat_on - interval '1 minute' where state = 'active'`,
  );
}
