import { storedUsernames, wrongFigures } from '@anagrafe/testing/figures';
import { blocked, cancel, deletion, during, hangUp, waitFor } from '@anagrafe/testing/interruption';
import { importedUser } from '@anagrafe/testing/jobs';
import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import pg from 'pg';
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

const register = (ids: readonly number[], ...names: string[]) =>
  service.call(
    'irs/update',
    ids.map((ID, n) => ({ ID, Users: names.map((name) => newUser(`${name} ${n}`)) })),
  );

const principalRows = 'select from anagrafe.principals where id = any($1) for update';
/** Blocks the statements that are sent together with the commit. */
const rowCounts = 'lock table anagrafe.row_counts in share mode';
/** Blocks the registration of a username. */
const newUsername = `insert into anagrafe.users (principal_id, username, username_key, password_hash)
                     values ($1, $2, $2, 'none')`;

async function stored(...names: string[]): Promise<string[]> {
  const all = await storedUsernames(service.database);
  return names.filter((name) => all.has(name));
}

async function userOf(principal: number, name: string): Promise<number> {
  expect((await register([principal], name)).status).toBe(200);
  const [user] = await service.database.query<{ id: number }>(
    'select id from anagrafe.users where username = $1',
    [`${name} 0`],
  );
  return user?.id ?? 0;
}

const reset = (ID: number) => ({ ID, Password: 'a new sentence', ConfirmPassword: 'a new sentence' });

describe('a principal that is deleted while its record is written', () => {
  it.each(['registration', 'reset'])('is reported as not found for a %s', async (operation) => {
    const [ID = 0] = await insertPrincipals(service, 1);
    const user = await userOf(ID, `leaving by ${operation}`);
    const name = `too late for ${operation}`;
    const { status, body } = await during(service.database, {
      lock: [
        ...deletion(user),
        [
          `with gone as (delete from anagrafe.principals where id = $1 returning id)
           insert into anagrafe.row_counts as counted (kind, block, slot, amount)
           select 'principals', id >> 12, 99, -1 from gone
           on conflict (kind, block, slot) do update set amount = counted.amount + excluded.amount`,
          ID,
        ],
      ],
      call: () =>
        service.call('irs/update', [{ ID, Users: [operation === 'reset' ? reset(user) : newUser(name)] }]),
      writes: 1,
    });
    expect([status, body.errorCode]).toEqual([422, 'PRINCIPAL_NOT_FOUND']);
    expect(body.result?.records[0]).toMatchObject({ Item1: ID, Item2: 'PRINCIPAL_NOT_FOUND', Item3: false });
    expect(body.result?.records[0]?.Item5.ID?.[0]?.code).toBe('PRINCIPAL_NOT_FOUND');
    expect(await stored(name)).toEqual([]);
    expect(await wrongFigures(service.database)).toEqual([]);
  });
});

describe('a user that is deleted while its record is written', () => {
  it('is reported as not found, and nothing of the record is applied', async () => {
    const [ID = 0] = await insertPrincipals(service, 1);
    const user = await userOf(ID, 'deleted alone');
    const { status, body } = await during(service.database, {
      lock: deletion(user),
      call: () => service.call('irs/update', [{ ID, Users: [newUser('beside the deleted'), reset(user)] }]),
      writes: 1,
    });
    expect(await stored('beside the deleted')).toEqual([]);
    expect([status, body.errorCode]).toEqual([422, 'USER_NOT_FOUND']);
    expect(Object.keys(body.result?.records[0]?.Item5 ?? {})).toEqual(['Users[1].ID']);
    expect(await wrongFigures(service.database)).toEqual([]);
  });
});

describe('a connection that breaks while records wait to be written', () => {
  it('leaves no doubt that they were not applied', async () => {
    const ids = await insertPrincipals(service, 2);
    const { status, body } = await during(service.database, {
      lock: [[principalRows, ids]],
      call: () => register(ids, 'waiting'),
      writes: 2,
      interrupt: hangUp,
    });
    expect([status, body.errorCode]).toEqual([503, 'UNAVAILABLE']);
    expect(body.result?.records.map((tuple) => tuple.Item2)).toEqual(['NOT_APPLIED', 'NOT_APPLIED']);
    expect(await stored('waiting 0', 'waiting 1')).toEqual([]);
  });
});

describe('a connection that breaks while records are written', () => {
  it('makes their outcome unknown, and the answer does not claim that nothing was applied', async () => {
    const ids = await insertPrincipals(service, 2);
    const { status, body, headers, text } = await during(service.database, {
      lock: [[rowCounts]],
      call: () => register(ids, 'unknown'),
      writes: 2,
      interrupt: hangUp,
    });
    expect([status, body.statusCode, body.errorCode]).toEqual([500, 500, 'OUTCOME_UNKNOWN']);
    expect(body.message).toMatch(/read the record before/);
    expect(body.message).not.toMatch(/nothing|applied/i);
    expect(headers.get('retry-after')).toBeNull();
    expect(body.result).toMatchObject({ totalCount: 2, totalPages: 1, page: 1, count: 2 });
    for (const [n, tuple] of (body.result?.records ?? []).entries()) {
      expect(tuple).toEqual({
        Item1: ids[n],
        Item2: 'OUTCOME_UNKNOWN',
        Item3: false,
        Item4: body.message,
        Item5: {},
        Item6: {},
      });
    }
    expect(text).not.toMatch(/terminat|administrator|57P01|pg_|socket/i);
    expect(await stored('unknown 0', 'unknown 1')).toEqual([]);
  });

  it('does not change records of the same call that were applied', async () => {
    const ids = await insertPrincipals(service, 2);
    const { status, body } = await during(service.database, {
      lock: [[newUsername, ids[0], 'half known 0']],
      call: () => register(ids, 'half known'),
      writes: 1,
      interrupt: async (connection) => {
        await expect.poll(() => stored('half known 1')).toEqual(['half known 1']);
        await hangUp(connection);
        await connection.query(`delete from anagrafe.users where username = 'half known 0'`);
      },
    });
    expect([status, body.errorCode]).toEqual([207, 'PARTIALLY_APPLIED']);
    expect(body.result?.records.map((tuple) => tuple.Item2)).toEqual(['OUTCOME_UNKNOWN', null]);
    expect(await stored('half known 0', 'half known 1')).toEqual(['half known 1']);
  });

  it('returns the ID that a principal was to be inserted with', async () => {
    const { status, body } = await during(service.database, {
      lock: [['lock table anagrafe.principals in share mode']],
      call: () => service.call('irs/insert', [{ Denomination: 'Unknown' }]),
      writes: 1,
      interrupt: hangUp,
    });
    expect([status, body.errorCode]).toEqual([500, 'OUTCOME_UNKNOWN']);
    const [tuple] = body.result?.records ?? [];
    expect(tuple).toMatchObject({ Item1: expect.any(Number), Item2: 'OUTCOME_UNKNOWN' });
    const found = await service.call('irs/list', { ID: tuple?.Item1 });
    expect(found.body.result?.totalCount).toBe(0);
    const [next = 0] = await insertPrincipals(service, 1);
    expect(next).toBeGreaterThan(tuple?.Item1 ?? next);
  });
});

describe('a write that the database cancels', () => {
  const gaveUp = (records: number) => ({
    statusCode: 503,
    errorCode: 'UNAVAILABLE',
    message: 'The database is not available. No changes were made. Retry after 5 s.',
    result: expect.objectContaining({ totalCount: records, count: records }),
    debug: null,
  });

  it('gets 503 with Retry-After if no record was applied, and each record is NOT_APPLIED', async () => {
    const ids = await insertPrincipals(service, 2);
    const { status, body, headers } = await during(service.database, {
      lock: [[principalRows, ids]],
      call: () => register(ids, 'given up'),
      writes: 2,
      interrupt: cancel,
    });
    expect(status).toBe(503);
    expect(body).toEqual(gaveUp(2));
    expect(headers.get('retry-after')).toBe('5');
    expect(body.result?.records.map(({ Item1, Item2, Item3 }) => [Item1, Item2, Item3])).toEqual(
      ids.map((ID) => [ID, 'NOT_APPLIED', false]),
    );
    expect(await stored('given up 0', 'given up 1')).toEqual([]);
    expect((await register(ids, 'given up')).status).toBe(200);
  });

  it('does not hide that the outcome of another record is unknown', async () => {
    const ids = await insertPrincipals(service, 2);
    const { status, body } = await during(service.database, {
      lock: [[rowCounts]],
      call: () => register(ids, 'mixed'),
      writes: 2,
      interrupt: async (connection) => {
        await connection.query(`select pg_terminate_backend(min(pid)) ${blocked}`);
        await waitFor(connection, 1);
        await cancel(connection);
      },
    });
    expect([status, body.errorCode]).toEqual([500, 'OUTCOME_UNKNOWN']);
    expect(body.result?.records.map((tuple) => tuple.Item2).toSorted()).toEqual([
      'NOT_APPLIED',
      'OUTCOME_UNKNOWN',
    ]);
  });

  it('gets 503 if the database disconnects between the check of a call and its writes', async () => {
    // Two hashes at thirty times the usual cost take longer than the two statements below on any machine.
    const slow = await startTestService({
      ANAGRAFE_HASH_CONCURRENCY: '1',
      ANAGRAFE_HASH_PASSES: '60',
    });
    const ids = await insertPrincipals(slow, 2);
    const body = [
      { ID: ids[0], Users: [newUser('a')] },
      { ID: ids[1], Users: [newUser('b')] },
    ];
    // A connection to another database stays open while the database of the service accepts no connections.
    const cluster = new pg.Client({ connectionString: `${inject('postgresUrl')}/postgres` });
    await cluster.connect();
    onTestFinished(() => cluster.end());
    const database = new URL(slow.config.DATABASE_URL ?? '').pathname.slice(1);
    const allowConnections = (allowed: boolean) =>
      cluster.query('update pg_database set datallowconn = $1 where datname = $2', [allowed, database]);
    const call = slow.call('irs/update', body);
    const hashing = async () => (await (await fetch(`${slow.url}/metrics`)).text()).includes('_running 1');
    await expect.poll(hashing).toBe(true);
    await allowConnections(false);
    await cluster.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      database,
    ]);
    const failed = await call;
    expect(failed.status).toBe(503);
    expect(failed.body).toEqual(gaveUp(2));
    expect(failed.headers.get('retry-after')).toBe('5');
    expect(failed.body.result?.records.map((tuple) => tuple.Item2)).toEqual(['NOT_APPLIED', 'NOT_APPLIED']);

    // A call that fails before its first write has no tuples.
    const refused = await slow.call('irs/update', body);
    expect(refused.body).toEqual({ ...gaveUp(2), result: null });
    expect(refused.headers.get('retry-after')).toBe('5');
    const ready = await fetch(`${slow.url}/health/ready`);
    expect([ready.status, await ready.json()]).toEqual([
      503,
      { status: 'not ready', reason: 'The database does not respond.' },
    ]);

    await allowConnections(true);
    await expect.poll(async () => (await fetch(`${slow.url}/health/ready`)).status).toBe(200);
    expect(await storedUsernames(slow.database)).toEqual(new Set());
    const Users = [importedUser('b')];
    expect((await slow.call('irs/update', [{ ID: ids[1], Users }])).status).toBe(200);
    await slow.stop();
  });
});

describe('a write that conflicts at every attempt', () => {
  beforeAll(async () => {
    await service.database.query(
      `create sequence public.attempts;
       create function public.conflict() returns trigger language plpgsql as $$
         begin
           perform nextval('public.attempts');
           raise serialization_failure using message = 'another transaction went first';
         end $$;
       create trigger conflict before insert on anagrafe.users for each row
         when (new.username like 'contested%') execute function public.conflict()`,
    );
    return () =>
      service.database.query('drop function public.conflict cascade; drop sequence public.attempts');
  });

  it('gets 503 after 10 attempts, which names the concurrent requests as the cause', async () => {
    const [ID = 0] = await insertPrincipals(service, 1);
    const { status, body, headers } = await service.call('irs/update', [
      { ID, Users: [importedUser('contested')] },
    ]);
    expect([status, body.errorCode, headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '5']);
    expect(body.message).toBe(
      'Other calls are changing the same data. No changes were made. Retry after 5 s.',
    );
    expect(body.result?.records[0]).toMatchObject({
      Item1: ID,
      Item2: 'NOT_APPLIED',
      Item4:
        'Other calls changed the same data at each of 10 attempts. The record was not applied. Send it again later.',
    });
    expect(await service.database.query('select last_value as attempts from public.attempts')).toEqual([
      { attempts: 10 },
    ]);
    expect(await stored('contested')).toEqual([]);
  });
});

describe('a write that the database refuses', () => {
  beforeAll(async () => {
    await service.database.query(
      `alter table anagrafe.users add constraint closed check (username not like 'forbidden%')`,
    );
    return () => service.database.query('alter table anagrafe.users drop constraint closed');
  });

  it.each(['irs/update', 'irs/insert'])('gets 500 and stores nothing: %s', async (path) => {
    const [ID = 0] = await insertPrincipals(service, 1);
    const users = [newUser(`allowed in ${path}`), newUser(`forbidden in ${path}`)];
    const record = path === 'irs/update' ? { ID, Users: users } : { Denomination: path, Users: users };
    const { status, body, headers, text } = await service.call(path, [record]);
    expect([status, body.statusCode, body.errorCode]).toEqual([500, 500, 'INTERNAL']);
    expect(body.message).toContain(headers.get('x-request-id'));
    expect(body.result).toMatchObject({ totalCount: 1, totalPages: 1, page: 1, count: 1 });
    expect(body.result?.records).toEqual([
      {
        Item1: path === 'irs/update' ? ID : null,
        Item2: 'RECORD_FAILED',
        Item3: false,
        Item4: expect.stringContaining('The record was not applied'),
        Item5: {},
        Item6: {},
      },
    ]);
    expect(text).not.toMatch(/constraint|closed|violat|23514/i);
    expect(await stored(...users.map((user) => user.Username))).toEqual([]);
    const left = await service.database.query('select from anagrafe.principals where denomination = $1', [
      path,
    ]);
    expect(left).toEqual([]);
    expect(await wrongFigures(service.database)).toEqual([]);
    expect(service.log.filter((line) => line.includes(headers.get('x-request-id') ?? '?')).join()).toContain(
      'closed',
    );
  });

  it('does not affect the other records of the call', async () => {
    const ids = await insertPrincipals(service, 3);
    const { status, body } = await service.call('irs/update', [
      { ID: ids[0], Users: [newUser('first beside')] },
      { ID: ids[1], Users: [newUser('forbidden beside')] },
      { ID: ids[2], Users: [newUser('third beside')] },
    ]);
    expect([status, body.errorCode]).toEqual([207, 'PARTIALLY_APPLIED']);
    expect(body.result?.records.map((tuple) => tuple.Item2)).toEqual([null, 'RECORD_FAILED', null]);
    expect(await stored('first beside', 'forbidden beside', 'third beside')).toEqual([
      'first beside',
      'third beside',
    ]);
  });
});
