import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { hashedRegistrations, insertPrincipals, someHash } from './people.ts';
import { median } from './ratio.ts';
import { connectTo } from './running/database.ts';
import type { AtEnd } from './running/endings.ts';
import { type MeasuredService, startService } from './running/service.ts';

const goal = 0.3;
const users = 20_000;
const usersInCall = 1000;
const callsAtOnce = 4;
const rounds = 5;

/** Measures registrations with a `PasswordHash`, divided by COPY of the same number of rows into the same table. */
export async function store(atEnd: AtEnd): Promise<string> {
  const service = await startService(atEnd);
  const database = await connectTo(service, atEnd);
  const principals = await insertPrincipals(service, users / usersInCall);
  await registerAll(service, principals);
  await copy(service, database, principals);
  const pairs: { rate: number; copied: number }[] = [];
  for (let round = 1; round <= rounds; round++) {
    pairs.push({
      rate: await registerAll(service, principals),
      copied: await copy(service, database, principals),
    });
  }
  const ratio = median(pairs.map(({ rate, copied }) => rate / copied));
  const text = pairs.map(({ rate, copied }) => `${rate.toFixed(0)}/${copied.toFixed(0)}`).join(', ');
  return `store  ${ratio.toFixed(2)} of COPY without hashing (to reach: ${goal})  [users/s ${text}]`;
}

async function registerAll(service: MeasuredService, principals: readonly number[]): Promise<number> {
  const bodies = principals.map((ID) => JSON.stringify([{ ID, Users: hashedRegistrations(usersInCall) }]));
  const start = performance.now();
  async function sender(): Promise<void> {
    for (let body = bodies.pop(); body !== undefined; body = bodies.pop())
      await service.call('irs/update', body);
  }
  await Promise.all(Array.from({ length: callsAtOnce }, sender));
  return users / ((performance.now() - start) / 1000);
}

async function copy(
  { folder }: MeasuredService,
  database: pg.Client,
  principals: readonly number[],
): Promise<number> {
  const file = join(folder, 'rows.tsv');
  const rows = principals.flatMap((principal) =>
    hashedRegistrations(usersInCall).map(
      ({ Username }) => `${principal}\t${Username}\t${Username}\t${someHash}\n`,
    ),
  );
  writeFileSync(file, rows.join(''));
  chmodSync(file, 0o644);
  const start = performance.now();
  await database.query(
    `copy anagrafe.users (principal_id, username, username_key, password_hash) from '${file}'`,
  );
  return users / ((performance.now() - start) / 1000);
}
