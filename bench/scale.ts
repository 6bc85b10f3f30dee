import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { registrations } from './people.ts';
import { median } from './ratio.ts';
import type { AtEnd } from './running/endings.ts';
import { startPostgres } from './running/postgres.ts';
import { type MeasuredService, startService } from './running/service.ts';

const goal = 2500;
const rounds = 3;
const records = 10_000;
const instantHashing = fileURLToPath(new URL('../running/instant-hashing.cjs', import.meta.url));

/**
 * Measures jobs of two nodes whose passwords are hashed in no time, to show what reading, checking and writing allow on
 * a machine with many cores: each job has 10,000 records with one user. A hundred cores hash about 2,500 passwords a
 * second.
 */
export async function scale(atEnd: AtEnd): Promise<string> {
  const { user, host, database } = await startPostgres(atEnd);
  const settings = {
    ANAGRAFE_DATABASE_URL: `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}`,
    ANAGRAFE_MASTER_KEY: randomBytes(32).toString('base64'),
    NODE_OPTIONS: `--require "${instantHashing}"`,
  };
  const nodes = [await startService(atEnd, { settings }), await startService(atEnd, { settings })];
  const rates: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const seconds = await Promise.all(nodes.map((node, at) => jobSeconds(node, `${round}-${at}`)));
    // The first round warms up.
    if (round > 0) rates.push((records * nodes.length) / Math.max(...seconds));
  }
  const text = rates.map((rate) => rate.toFixed(0)).join(', ');
  return `scale  ${median(rates).toFixed(0)} users/s by two nodes if hashing takes no time (to reach: ${goal})  [${text}]`;
}

function jobSeconds(node: MeasuredService, name: string): Promise<number> {
  const body = registrations(records).map((registration, n) => ({
    ExternalKey: `scale-${name}-${n}`,
    Denomination: `Company ${name} ${n}`,
    Users: [registration],
  }));
  return node.job('irs/insert', body);
}
