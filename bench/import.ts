import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { insertPrincipals, populate, resets, someHash } from './people.ts';
import { median, timed } from './ratio.ts';
import { connectTo } from './running/database.ts';
import type { AtEnd } from './running/endings.ts';
import { latencyOf } from './running/health.ts';
import { watchMemory } from './running/memory.ts';
import { type MeasuredService, program, startService } from './running/service.ts';

const goal = 5000;
const orderGoal = 0.8;
const rows = Number(process.env.BENCH_IMPORT_ROWS ?? 1_000_000);
const samples = 200;
/** The rows of the file whose order is measured. */
const orderedRows = 60_000;
const usersOfCompany = 20;
const orderRounds = 3;

/**
 * Measures `anagrafe import` of a CSV file with a principal and a hashed password on each line, divided by COPY of the
 * same principals and users, with the memory of both processes and the time of a single reset, about two of which are
 * sent in a second meanwhile. Then imports files with 20 users of each principal, whose lines are sorted by principal or
 * in random order.
 */
export async function importing(atEnd: AtEnd): Promise<string> {
  const service = await startService(atEnd);
  const database = await connectTo(service, atEnd);
  const [one = 0] = await insertPrincipals(service, 1);
  const [user = 0] = (await populate(service, [one], 1)).get(one) ?? [];
  await resetTimes(service, one, user, { count: 50, pauseMs: 30 });
  const idle = latencyOf(await resetTimes(service, one, user, { count: samples, pauseMs: 30 }));
  const copied = rows / (await copyRows(service, database));
  const file = join(service.folder, 'users.csv');
  await writeLines(file, withHeader(linesOf('imported', { count: rows, usersEach: 1 })));
  let ended = false;
  const meanwhile: number[] = [];
  const importedIn = runImport(service, file).finally(() => {
    ended = true;
  });
  await sleep(2000);
  while (!ended) meanwhile.push(...(await resetTimes(service, one, user, { count: 1, pauseMs: 1000 })));
  const { seconds, clientMb, serviceMb } = await importedIn;
  const { rows: counted } = await database.query(
    `select count(*)::integer as count from anagrafe.users where username like 'imported-%'`,
  );
  if (counted[0].count !== rows) throw new Error(`${counted[0].count} of ${rows} rows were imported`);
  const rate = rows / seconds;
  const during = latencyOf(meanwhile);
  const order = await measureOrder(service);
  return `import  ${(rate / copied).toFixed(2)} of COPY, ${rate.toFixed(0)} rows/s (to reach: ${goal}); ${order}  [${rows} rows, COPY ${copied.toFixed(0)}/s; memory of the client ${clientMb.toFixed(0)} MB, of the service ${serviceMb.toFixed(0)} MB; p99 of a single reset ${during.p99.toFixed(0)} ms, idle ${idle.p99.toFixed(0)} ms]`;
}

/** Measures the same rows in both orders by turns. */
async function measureOrder(service: MeasuredService): Promise<string> {
  const file = join(service.folder, 'ordered.csv');
  const sizes = { count: orderedRows, usersEach: usersOfCompany };
  const rates: { sorted: number; shuffled: number }[] = [];
  for (let round = 1; round <= orderRounds; round++) {
    await writeLines(file, withHeader(linesOf(`sorted-${round}`, sizes)));
    const sorted = orderedRows / (await runImport(service, file)).seconds;
    await writeLines(file, withHeader(shuffle([...linesOf(`shuffled-${round}`, sizes)])));
    rates.push({ sorted, shuffled: orderedRows / (await runImport(service, file)).seconds });
  }
  const ratio = median(rates.map(({ sorted, shuffled }) => shuffled / sorted)).toFixed(2);
  const text = rates.map(({ sorted, shuffled }) => `${shuffled.toFixed(0)}/${sorted.toFixed(0)}`).join(', ');
  return `in random order ${ratio} of the sorted rows (to reach: ${orderGoal}; rows/s ${text})`;
}

/** Sends single resets one after the other, with random pauses of at most `pauseMs`, and returns their milliseconds. */
async function resetTimes(
  service: MeasuredService,
  principal: number,
  user: number,
  { count, pauseMs }: { count: number; pauseMs: number },
): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    const body = [{ ID: principal, Users: resets([user]) }];
    times.push(1000 * (await timed(() => service.call('irs/update', body))));
    await sleep(Math.random() * pauseMs);
  }
  return times;
}

async function runImport({ folder, pid, url }: MeasuredService, file: string) {
  const env = { ...process.env, ANAGRAFE_DATA: folder, ANAGRAFE_URL: url };
  const start = performance.now();
  const child = spawn(process.execPath, [program, 'import', file, '--json'], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const memory = watchMemory([child.pid ?? 0, pid]);
  let last = '';
  for await (const line of createInterface(child.stderr)) last = line;
  const code = child.exitCode ?? (await once(child, 'exit'))[0];
  if (code !== 0) throw new Error(`the import ended with ${code}: ${last}`);
  const seconds = (performance.now() - start) / 1000;
  const [clientMb = 0, serviceMb = 0] = memory.stop();
  return { seconds, clientMb, serviceMb };
}

function* withHeader(lines: Iterable<string>): Generator<string> {
  yield 'ExternalKey,Denomination,Username,Email,PasswordHash\n';
  yield* lines;
}

function* linesOf(
  name: string,
  { count, usersEach }: { count: number; usersEach: number },
): Generator<string> {
  for (let n = 0; n < count; n++) {
    const company = Math.floor(n / usersEach);
    yield `${name}-${company},Company ${name} ${company},${name}-${n},${name}-${n}@example.com,"${someHash}"\n`;
  }
}

function shuffle<Item>(items: Item[]): Item[] {
  for (let last = items.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1));
    [items[last], items[other]] = [items[other] as Item, items[last] as Item];
  }
  return items;
}

async function writeLines(file: string, lines: Iterable<string>): Promise<void> {
  const output = createWriteStream(file);
  let piece = '';
  for (const line of lines) {
    piece += line;
    if (piece.length < 1_000_000) continue;
    if (!output.write(piece)) await once(output, 'drain');
    piece = '';
  }
  output.end(piece);
  await finished(output);
}

/** Copies the same rows into the same tables, and returns the seconds. The rows are deleted afterwards. */
async function copyRows({ folder }: MeasuredService, database: pg.Client): Promise<number> {
  const first = 1_000_000_000;
  const [principals, users] = [join(folder, 'principals.tsv'), join(folder, 'users.tsv')];
  await writeLines(principals, principalLines(first));
  await writeLines(users, userLines(first));
  for (const file of [principals, users]) chmodSync(file, 0o644);
  const seconds = await timed(async () => {
    await database.query(
      `copy anagrafe.principals (id, external_key, denomination, search_terms, users_count) from '${principals}'`,
    );
    await database.query(
      `copy anagrafe.users (principal_id, username, username_key, email, password_hash) from '${users}'`,
    );
  });
  await database.query(`delete from anagrafe.users where principal_id >= ${first}`);
  await database.query(`delete from anagrafe.principals where id >= ${first}`);
  await database.query('vacuum analyze');
  return seconds;
}

function* principalLines(first: number): Generator<string> {
  for (let n = 0; n < rows; n++)
    yield `${first + n}\tcopied-${n}\tCompany ${n}\t'company' '${n}' 'copied'\t1\n`;
}

function* userLines(first: number): Generator<string> {
  for (let n = 0; n < rows; n++)
    yield `${first + n}\tcopied-${n}\tcopied-${n}\tcopied-${n}@example.com\t${someHash}\n`;
}
