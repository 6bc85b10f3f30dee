import { rowsOf, type WorkFolder } from '@anagrafe/testing/importing';
import { expect } from 'vitest';
import type { Database } from '../../src/db/database.ts';

/** One row of the file, which states one user and its principal. */
export interface SentRow {
  readonly line: number;
  readonly key: string;
  readonly username: string;
  /** Different in every row, so that a stored user shows which row it comes from. */
  readonly email: string;
  readonly hash: string;
  /** The error with which the row must fail; null if it is valid. */
  readonly error: RegExp | null;
}

const isTaken = /^Username: (An earlier row has the same username|.* is already taken)/;

/**
 * Builds the rows of a file. Every tenth principal has three rows, the others have one. Of 50 rows, one has an invalid
 * email, one an invalid hash, and one the username of another row; a few have the username of a row in another batch.
 */
export function newRows(count: number): SentRow[] {
  const rows: SentRow[] = [];
  for (let principal = 0; rows.length < count; principal++)
    for (let of = 0; of < (principal % 10 === 3 ? 3 : 1); of++) rows.push(newRow(rows.length, principal));
  return rows;
}

function newRow(n: number, principal: number): SentRow {
  const valid = {
    line: n + 2,
    key: `K${principal}`,
    username: `user ${n}`,
    email: `user${n}@example.com`,
    // The salt has the number of the row. A bcrypt hash has no comma, so it needs no quotes in CSV.
    hash: `$2b$10$${String(n).padStart(9, '0')}ckgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy`,
    error: null,
  };
  if (n % 50 === 7) return { ...valid, email: `no address ${n}`, error: /^Email: / };
  if (n % 50 === 21) return { ...valid, hash: `no hash ${n}`, error: /^PasswordHash: / };
  if (n % 50 === 33) return { ...valid, username: `User ${n - 5}` };
  if (n % 500 === 144 && n > rowsBetween) return { ...valid, username: `USER ${n - rowsBetween}` };
  return valid;
}

/** Distance of two rows with the same username in different batches. */
const rowsBetween = 2100;

export function csvOf(rows: readonly SentRow[]): string {
  const lines = rows.map(({ key, username, email, hash }) => [
    key,
    `Principal ${key}`,
    username,
    email,
    hash,
  ]);
  return `ExternalKey,Denomination,Username,Email,PasswordHash\n${lines.map(String).join('\n')}\n`;
}

/**
 * Expects each valid row to be stored once, with its values, and each other row to be in the file of the failed rows.
 * Of several rows with one username exactly one is stored: batches run at the same time, so it may be any of them.
 * Returns the number of stored rows.
 */
export async function expectEachRowOnce(
  database: Database,
  rows: readonly SentRow[],
  folder: WorkFolder,
  failedName: string,
): Promise<number> {
  const stored = await database.query<Omit<SentRow, 'line' | 'error'>>(
    `select external_key as key, username, users.email, password_hash as hash
       from anagrafe.users join anagrafe.principals on principals.id = principal_id`,
  );
  const byEmail = new Map(rows.map((row) => [row.email, row]));
  const applied = stored.map((user) => {
    const row = byEmail.get(user.email);
    expect(row).toMatchObject({ ...user, error: null });
    return row as SentRow;
  });
  const names = (some: readonly SentRow[]) => some.map(({ username }) => username.toLowerCase()).toSorted();
  const valid = rows.filter(({ error }) => error === null);
  expect(names(applied)).toEqual([...new Set(names(valid))]);

  const lines = new Set(applied.map(({ line }) => line));
  expect(lines.size).toBe(applied.length);
  const failed = rowsOf(folder, failedName);
  const left = rows.filter(({ line }) => !lines.has(line));
  expect(failed.map((row) => [row['Anagrafe line'], row.Username, row.Email])).toEqual(
    left.map(({ line, username, email }) => [String(line), username, email]),
  );
  for (const [n, { error }] of left.entries())
    expect(failed[n]?.['Anagrafe errors']).toMatch(error ?? isTaken);

  const principals = await database.query<{ key: string }>(
    'select external_key as key from anagrafe.principals',
  );
  expect(principals.map(({ key }) => key).toSorted()).toEqual(
    [...new Set(applied.map(({ key }) => key))].toSorted(),
  );
  return applied.length;
}

/** Expects the stored outcomes, the counts of the jobs and the audit log to agree with the stored users. */
export async function expectTrueJobs(database: Database): Promise<void> {
  const wrongJobs = await database.query(
    `select id, state, records, records_failed, users_applied, found.*
       from anagrafe.calls cross join lateral (
         select count(*) as outcomes, count(error) as failed,
                coalesce(sum(jsonb_array_length(applied)), 0) as users
           from anagrafe.outcomes where call_id = calls.id) as found
      where not is_job or state <> 'completed' or ended_at is null or records <> outcomes
         or records_failed <> failed or users_applied <> found.users`,
  );
  expect(wrongJobs).toEqual([]);
  const timesBy = (mentions: string) =>
    database.query(
      `select coalesce(users.id, mention.id) as id, username, count(mention.id) as times
         from anagrafe.users full join (${mentions}) as mention on mention.id = users.id
        group by 1, 2 having count(mention.id) <> 1 or username is null`,
    );
  expect(await timesBy('select unnest(registered) as id from anagrafe.audit_log')).toEqual([]);
  expect(
    await timesBy(
      `select (item ->> 0)::bigint as id from anagrafe.outcomes cross join jsonb_array_elements(applied) as item
        where item ->> 1 = 'register'`,
    ),
  ).toEqual([]);
  const completions = await database.query(
    `select calls.id, count(audit_log.id) from anagrafe.calls
       left join anagrafe.audit_log on call_id = calls.id and action = 'job.completed'
      group by calls.id having count(audit_log.id) <> 1`,
  );
  expect(completions).toEqual([]);
}
