import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { hashedRegistrations, insertPrincipals, someHash } from './people.ts';
import { median, timed } from './ratio.ts';
import { connectTo } from './running/database.ts';
import type { AtEnd } from './running/endings.ts';
import { type MeasuredService, startService } from './running/service.ts';

const goal = 0.3;
const users = 20_000;
const recordsInCall = 1000;
const callsAtOnce = 4;
const rounds = 5;

/**
 * Measures writes with a `PasswordHash`, divided by COPY of the same rows into the same tables: 1,000 users in each
 * record, and new principals with one user in each record.
 */
export async function store(atEnd: AtEnd): Promise<string> {
  const service = await startService(atEnd);
  const database = await connectTo(service, atEnd);
  const principals = await insertPrincipals(service, users / recordsInCall);
  const many = await measure(
    () => callAll(service, 'irs/update', manyUsersPerRecord(principals)),
    () => copy(service, database, [copiedUsers(principals)]),
  );
  const one = await measure(
    () => callAll(service, 'irs/insert', oneUserPerRecord()),
    () => copy(service, database, copiedPrincipals()),
  );
  return `store  ${many.ratio} of COPY with 1,000 users per record, ${one.ratio} with one (to reach: ${goal} both)  [users/s ${many.text}; ${one.text}]`;
}

/** Measures both by turns, after a warm-up. Each returns its duration in seconds. */
async function measure(write: () => Promise<number>, copyRows: () => Promise<number>) {
  await write();
  await copyRows();
  const pairs: { rate: number; copied: number }[] = [];
  for (let round = 1; round <= rounds; round++)
    pairs.push({ rate: users / (await write()), copied: users / (await copyRows()) });
  const ratio = median(pairs.map(({ rate, copied }) => rate / copied)).toFixed(2);
  const text = pairs.map(({ rate, copied }) => `${rate.toFixed(0)}/${copied.toFixed(0)}`).join(', ');
  return { ratio, text };
}

function manyUsersPerRecord(principals: readonly number[]): string[] {
  return principals.map((ID) => JSON.stringify([{ ID, Users: hashedRegistrations(recordsInCall) }]));
}

function oneUserPerRecord(): string[] {
  return Array.from({ length: users / recordsInCall }, () =>
    JSON.stringify(
      hashedRegistrations(recordsInCall).map((user) => {
        return { ExternalKey: user.Username, Denomination: `Company ${user.Username}`, Users: [user] };
      }),
    ),
  );
}

async function callAll(service: MeasuredService, path: string, bodies: string[]): Promise<number> {
  return timed(async () => {
    async function sender(): Promise<void> {
      for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) await service.call(path, body);
    }
    await Promise.all(Array.from({ length: callsAtOnce }, sender));
  });
}

interface CopiedTable {
  /** The table with its columns. */
  readonly target: string;
  readonly lines: readonly string[];
}

function copiedUsers(principals: readonly number[]): CopiedTable {
  const lines = principals.flatMap((principal) =>
    hashedRegistrations(recordsInCall).map(({ Username }) => userLine(principal, Username)),
  );
  return { target: usersTarget, lines };
}

/** The IDs of copied principals, which must not be those of the sequence. */
let copiedId = 1_000_000_000;

function copiedPrincipals(): CopiedTable[] {
  const rows = hashedRegistrations(users).map(({ Username }) => ({ id: ++copiedId, name: Username }));
  const principals = rows.map(({ id, name }) => `${id}\t${name}\tCompany ${name}\t'company' '${name}'\t1\n`);
  return [
    {
      target: 'principals (id, external_key, denomination, search_terms, users_count)',
      lines: principals,
    },
    { target: usersTarget, lines: rows.map(({ id, name }) => userLine(id, name)) },
  ];
}

const usersTarget = 'users (principal_id, username, username_key, password_hash)';

function userLine(principal: number, name: string): string {
  return `${principal}\t${name}\t${name}\t${someHash}\n`;
}

async function copy(
  { folder }: MeasuredService,
  database: pg.Client,
  tables: readonly CopiedTable[],
): Promise<number> {
  const statements = tables.map(({ target, lines }, at) => {
    const file = join(folder, `rows-${at}.tsv`);
    writeFileSync(file, lines.join(''));
    chmodSync(file, 0o644);
    return `copy anagrafe.${target} from '${file}'`;
  });
  return timed(async () => {
    for (const statement of statements) await database.query(statement);
  });
}
