import type pg from 'pg';
import { registrations, someHash } from './people.ts';
import { connectTo } from './running/database.ts';
import type { AtEnd } from './running/endings.ts';
import { startService } from './running/service.ts';

const goal = 0.5;
const principals = 5000;
const usersEach = 20;

interface SyncUser {
  Username: string;
  Email: string;
  PasswordHash?: string;
  Password?: string;
  ConfirmPassword?: string;
}

interface SyncRecord {
  ExternalKey: string;
  Denomination: string;
  Users: SyncUser[];
}

/**
 * Measures a daily synchronisation: `irs/upsert` as a job with 100,000 users under 5,000 principals, of which 200
 * differ, divided by the first load of the same records.
 */
export async function sync(atEnd: AtEnd): Promise<string> {
  const service = await startService(atEnd);
  const database = await connectTo(service, atEnd);
  const records = firstLoad();
  const loaded = await service.job('irs/upsert', records);
  const { rows } = await database.query('select clock_timestamp()::text as now');
  const differing = change(records);
  const seconds = await service.job('irs/upsert', records);
  const { users, principals: changed, audit, hashed } = await countWritten(database, rows[0].now);
  const ratio = (seconds / loaded).toFixed(2);
  const times = `${seconds.toFixed(1)} s over ${loaded.toFixed(1)} s`;
  return `sync  ${ratio} of the first load, ${times} (to reach: ${goal} or less)  [${differing} of ${principals * usersEach} users differ; rows written: ${users} users, ${changed} principals, ${audit} in the audit log; passwords hashed ${hashed}]`;
}

function firstLoad(): SyncRecord[] {
  return Array.from({ length: principals }, (_, principal) => ({
    ExternalKey: `sync-${principal}`,
    Denomination: `Company ${principal}`,
    Users: Array.from({ length: usersEach }, (_, user) => ({
      Username: `sync-${principal}-${user}`,
      Email: `user${user}@company${principal}.example`,
      PasswordHash: someHash,
    })),
  }));
}

/** Changes the email address of 150 users and replaces 50 by new ones with a password. Returns the number of both. */
function change(records: readonly SyncRecord[]): number {
  for (const { Users: users } of records.slice(0, 150)) {
    const [first] = users;
    if (first) first.Email = `changed.${first.Email}`;
  }
  for (const [index, { Users: users }] of records.slice(200, 250).entries()) {
    const [user] = registrations(1);
    if (user) users[0] = { ...user, Email: `new${index}@company.example` };
  }
  return 200;
}

/** Counts the rows that were written since a moment. A user whose hash is not `someHash` was hashed by the service. */
async function countWritten(database: pg.Client, since: string) {
  const { rows } = await database.query(
    `select (select count(*) from anagrafe.users where updated_at > $1) as users,
            (select count(*) from anagrafe.principals where updated_at > $1) as principals,
            (select count(*) from anagrafe.audit_log where at > $1 and action in ('insert', 'update')) as audit,
            (select count(*) from anagrafe.users where password_hash <> $2) as hashed`,
    [since, someHash],
  );
  return rows[0];
}
