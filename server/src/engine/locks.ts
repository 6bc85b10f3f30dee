import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { EngineError } from './error.ts';
import { isAlive } from './lockfile.ts';
import { PURPOSE_SETTING } from './postmaster.ts';

// PostgreSQL's session locks vanish with the process that holds them, however it ends.
const SPACE = 1634623847;
const SERVICE = 1;
const VISIT = 2;

const POLL_MS = 50;
/** How long the lock of a service that was killed may outlive it, until a busy machine lets PostgreSQL notice. */
const KILLED_MS = 20_000;
/** How long to wait for a service that seems to live: its process may be on its way out. */
const LIVING_MS = 1000;

/** Takes the lock that only one service can have. */
export async function lockForService(client: pg.Client, data: string): Promise<void> {
  const since = Date.now();
  while (!(await tryLock(client, SERVICE))) {
    const pid = await serviceProcess(client);
    const patience = pid !== undefined && pid !== process.pid && isAlive(pid) ? LIVING_MS : KILLED_MS;
    if (Date.now() - since > patience) {
      throw new EngineError(
        `Another service (process ${pid ?? 'unknown'}) is running on ${data}: stop it first, or set ANAGRAFE_DATA to another folder.`,
      );
    }
    await sleep(POLL_MS);
  }
}

/** Takes a share of the visitors' lock; waits only while a last visitor is stopping PostgreSQL. */
export async function lockForVisit(client: pg.Client): Promise<void> {
  await client.query('select pg_advisory_lock_shared($1, $2)', [SPACE, VISIT]);
}

/** True when PostgreSQL runs for visits only, and no other visitor or service is there; none can enter after that. */
export async function isLastVisit(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query('select current_setting($1, true) as purpose', [PURPOSE_SETTING]);
  if (rows[0]?.purpose !== 'visit') return false;
  await client.query('select pg_advisory_unlock_shared($1, $2)', [SPACE, VISIT]);
  return (await tryLock(client, VISIT)) && (await tryLock(client, SERVICE));
}

async function tryLock(client: pg.Client, lock: number): Promise<boolean> {
  const { rows } = await client.query('select pg_try_advisory_lock($1, $2) as taken', [SPACE, lock]);
  return rows[0]?.taken === true;
}

/** The process that holds the service's lock, which states its number in its connection's name. */
async function serviceProcess(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query(
    `select a.application_name as name from pg_locks l join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and l.classid = $1 and l.objid = $2 and l.granted`,
    [SPACE, SERVICE],
  );
  const pid = Number(/\d+$/.exec(rows[0]?.name ?? '')?.[0]);
  return pid > 1 ? pid : undefined;
}
