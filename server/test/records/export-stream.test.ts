import { once } from 'node:events';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ExportedPrincipal } from '@anagrafe/client';
import { type Credential, credential } from '@anagrafe/testing/admin';
import { newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { until, waitLimitMs } from '@anagrafe/testing/until';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openExports } from '../../src/records/read/export.store.ts';
import { Exporter, exportLimits } from '../../src/records/read/export.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const users = 10_000;
const usersOfPrincipal = 25;
/** The number of times that the test measures the memory during an export: a collection of garbage is slow. */
const measurements = 8;
/** The bytes of the attributes of a user. The export is far larger than the buffers of the service and the network. */
const padding = 4000;
let service: TestService;
let clients: readonly Credential[];

beforeAll(async () => {
  service = await startTestService();
  clients = [await credential(service), await credential(service), await credential(service)];
  await service.database.query(
    `with principal as (
       insert into anagrafe.principals (denomination, search_terms, users_count)
       select 'Principal ' || n, '', $2 from generate_series(1, $1::int / $2::int) as n
       returning id
     )
     insert into anagrafe.users (principal_id, username, username_key, password_hash, attributes)
     select id, id || '.' || n, id || '.' || n, 'no hash', jsonb_build_object('Padding', repeat('x', $3::int))
       from principal cross join generate_series(1, $2::int) as n`,
    [users, usersOfPrincipal, padding],
  );
});

const everything = {
  client: 'one',
  selection: { principalId: null, externalKey: null, tags: null, callerTags: null },
  format: 'ndjson',
  hashes: false,
  separator: ',',
} as const;
const onePrincipal = (principalId: number) => ({
  ...everything,
  selection: { principalId, externalKey: null, tags: null, callerTags: null },
});

interface Download {
  readonly request: ClientRequest;
  readonly response: IncomingMessage;
}

/** Starts an export of everything by a client. The response is not read until the test does. */
async function download(client = 0): Promise<Download> {
  const headers = clients[client] ?? {};
  const request = get(`${service.url}/api/sync/v1/irs/export`, { agent: false, headers });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return { request, response };
}

const call = (path: string, body: unknown) => service.call(path, body, { headers: clients[0] ?? {} });
const fetchExport = (client: number, query = '') =>
  fetch(`${service.url}/api/sync/v1/irs/export${query}`, { headers: clients[client] ?? {} });

async function openSnapshots(): Promise<number> {
  const [row] = await service.database.query<{ count: number }>(
    `select count(*) from pg_stat_activity where datname = current_database() and backend_xmin is not null
        and pid <> pg_backend_pid() and state = 'idle in transaction'`,
  );
  return row?.count ?? 0;
}

/**
 * Returns the memory that is in use, in bytes. The first collection finds the buffers that are no longer used; only the
 * second one waits until the memory of all of them is freed.
 */
async function memoryInUse(): Promise<number> {
  collectGarbage();
  await nextTurn();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

function parsed(lines: string): ExportedPrincipal[] {
  return lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('an export of 10,000 users', () => {
  it('returns all users in the order of IDs, and uses memory that does not grow with their number', async () => {
    // The exporter without HTTP, because the buffers of a client in this process would be measured too.
    const exporter = new Exporter(openExports(service.database));
    const before = await memoryInUse();
    let bytes = 0;
    let found = 0;
    let rest = '';
    let last = 0;
    const inUse: number[] = [];
    for await (const chunk of await exporter.start(everything)) {
      bytes += chunk.length;
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const { ID, Users }: ExportedPrincipal = JSON.parse(line);
        expect(ID).toBeGreaterThan(last);
        last = ID;
        found += Users.length;
      }
      if (found >= (inUse.length + 1) * (users / measurements)) inUse.push(await memoryInUse());
    }
    expect([found, rest]).toEqual([users, '']);
    expect(bytes).toBeGreaterThan(users * padding);
    expect(inUse).toHaveLength(measurements);
    // An exporter that kept what it has sent would grow by five eighths of all bytes between these medians.
    expect(median(inUse.slice(-3)) - median(inUse.slice(0, 3))).toBeLessThan(bytes / 3);
    // One that read everything before it sends would need at least all bytes at the beginning.
    expect(Math.max(...inUse) - before).toBeLessThan(bytes / 2);
  });

  it('returns the users of one moment while other calls write', async () => {
    const exporter = new Exporter(openExports(service.database));
    const stream = await exporter.start(everything);
    // The buffer of the stream is full, and most of the users are not read yet.
    const records = [{ Denomination: 'Meanwhile', Users: [newUser('meanwhile')] }];
    const { body } = await call('irs/insert', records);
    const newest = body.result?.records[0]?.Item1 ?? 0;
    const late = newest - 1;
    expect((await call('irs/update', [{ ID: late, Users: [newUser('late')] }])).status).toBe(200);
    const principals = parsed(await text(stream));
    expect(principals).toHaveLength(users / usersOfPrincipal);
    expect(principals.at(-1)).toMatchObject({ ID: late, UsersCount: usersOfPrincipal });
    expect(principals.at(-1)?.Users).toHaveLength(usersOfPrincipal);
    const [inserted] = parsed(await text(await exporter.start(onePrincipal(newest))));
    const [updated] = parsed(await text(await exporter.start(onePrincipal(late))));
    expect([inserted?.Denomination, updated?.Users.at(-1)?.Username]).toEqual(['Meanwhile', 'late']);
  });
});

describe('irs/export', () => {
  it('runs two exports at once, and answers a third with 429 until a client aborts one of the two', async () => {
    const first = await download(0);
    const second = await download(1);
    await until(async () => (await openSnapshots()) === 2);
    const third = await fetchExport(2);
    expect([third.status, Number(third.headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
    expect(await third.json()).toMatchObject({
      errorCode: 'RATE_LIMITED',
      message: '2 exports are running. Retry after 15 s.',
    });
    first.request.destroy();
    await until(async () => (await openSnapshots()) === 1);
    // The next export can start a moment after the end of the transaction.
    await until(async () => {
      const fourth = await fetchExport(2, '?id=1');
      await fourth.text();
      return fourth.status === 200;
    });
    second.request.destroy();
    await until(async () => (await openSnapshots()) === 0);
  });

  it('runs one export for each client, so that a client leaves room for others', async () => {
    const { request } = await download(0);
    const own = await fetchExport(0, '?id=1');
    expect([own.status, await own.json()]).toEqual([
      429,
      expect.objectContaining({
        errorCode: 'RATE_LIMITED',
        message: 'An export of this client is running. Retry after 15 s.',
      }),
    ]);
    const other = await fetchExport(1, '?id=1');
    expect([other.status, parsed(await other.text()).length]).toEqual([200, 1]);
    request.destroy();
    await until(async () => (await openSnapshots()) === 0);
    // The next export can start a moment after the end of the transaction.
    await expect.poll(async () => (await fetchExport(0, '?id=1')).status).toBe(200);
  });

  it('does not delay other calls', async () => {
    const downloads = [await download(0), await download(1)];
    expect((await call('irs/users', { Username: '1.1' })).status).toBe(200);
    expect((await call('irs/update', [{ ID: 1, Users: [newUser('other')] }])).status).toBe(200);
    for (const { request } of downloads) request.destroy();
    await until(async () => (await openSnapshots()) === 0);
  });

  it('reads from the database only as fast as its client reads', async () => {
    const { request } = await download();
    // While this export is read to its end, the other one would end too if it did not wait for its client.
    const exporter = new Exporter(openExports(service.database));
    for await (const _ of await exporter.start(everything));
    expect(await openSnapshots()).toBe(1);
    request.destroy();
    await until(async () => (await openSnapshots()) === 0);
  });
});

async function endOf(stream: Readable): Promise<unknown> {
  return once(stream, 'close').then(
    () => stream.errored?.message,
    (error) => error.message,
  );
}

it('an export continues while its client reads slowly, and fails one time limit after the last byte was read', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const { stalledMs } = exportLimits;
  const stream = await new Exporter(openExports(service.database)).start(everything);
  const ended = endOf(stream);
  // The buffer is full, and the exporter waits for its client.
  await until(() => vi.getTimerCount() === 1);
  for (let minute = 0; minute < 5; minute++) {
    expect(stream.read(100)).toHaveLength(100);
    vi.advanceTimersByTime(stalledMs);
    await nextTurn();
    expect([stream.destroyed, vi.getTimerCount()]).toEqual([false, 1]);
  }
  vi.advanceTimersByTime(stalledMs);
  expect(await ended).toBe('the client does not read the export');
  await until(async () => (await openSnapshots()) === 0);
});

describe('an export whose client does not read', () => {
  it('fails after the time limit, and lets another export start', async () => {
    const limits = { ...exportLimits, atOnce: 1, stalledMs: 50 };
    const exporter = new Exporter(openExports(service.database), limits);
    expect(await endOf(await exporter.start(everything))).toBe('the client does not read the export');
    // The next export is read at once, which may take longer on a slow machine than the limit above.
    limits.stalledMs = waitLimitMs;
    expect(parsed(await text(await exporter.start(onePrincipal(1))))).toHaveLength(1);
  });

  it('fails after the time limit if only its last bytes are not read', async () => {
    const exporter = new Exporter(openExports(service.database), { ...exportLimits, stalledMs: 50 });
    expect(await endOf(await exporter.start(onePrincipal(1)))).toBe('the client does not read the export');
  });
});

it('an export that takes longer than the maximum duration fails', async () => {
  const exporter = new Exporter(openExports(service.database), { ...exportLimits, totalMs: 0 });
  await expect(exporter.start(everything)).rejects.toThrow('the export took too long');
});

it('the client of a running export gets a connection reset when the service stops', async () => {
  const { response } = await download();
  const failed = once(response, 'error');
  await service.stop();
  response.resume();
  const [error] = await failed;
  expect((error as NodeJS.ErrnoException).code).toBe('ECONNRESET');
  expect(response.complete).toBe(false);
});
