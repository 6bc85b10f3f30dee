import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { insertPrincipals, registrations } from './people.ts';
import { median } from './ratio.ts';
import type { AtEnd } from './running/endings.ts';
import { startPostgres } from './running/postgres.ts';
import { type MeasuredService, startService } from './running/service.ts';

const goal = 1.8;
const rounds = 3;
const users = 2000;

/** Measures the rate of a job on two nodes with a core each, divided by that on one node; they share a PostgreSQL. */
export async function nodes(atEnd: AtEnd): Promise<string> {
  if (availableParallelism() < 2 || spawnSync('taskset', ['-V']).error)
    return 'nodes  not measured: it takes two cores, and taskset to pin processes to them';
  const { user, host, database } = await startPostgres(atEnd);
  const settings = {
    ANAGRAFE_DATABASE_URL: `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}`,
    ANAGRAFE_MASTER_KEY: randomBytes(32).toString('base64'),
  };
  const first = await startService(atEnd, { settings, core: 0 });
  const principals = await insertPrincipals(first, 100);
  await jobRate(first, principals);
  const pairs: { one: number; two: number }[] = [];
  for (let round = 1; round <= rounds; round++) {
    const one = await jobRate(first, principals);
    const second = await startService(atEnd, { settings, core: 1 });
    const two = await jobRate(first, principals);
    await second.stop();
    pairs.push({ one, two });
  }
  const ratio = median(pairs.map(({ one, two }) => two / one));
  const text = pairs.map(({ one, two }) => `${two.toFixed(0)}/${one.toFixed(0)}`).join(', ');
  return `nodes  ${ratio.toFixed(2)} times as fast with two nodes as with one (to reach: ${goal})  [users/s ${text}]`;
}

async function jobRate(service: MeasuredService, principals: readonly number[]): Promise<number> {
  const body = principals.map((ID) => ({ ID, Users: registrations(users / principals.length) }));
  return users / (await service.job('irs/update', body));
}
