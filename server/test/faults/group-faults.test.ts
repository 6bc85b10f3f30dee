import { randomUUID } from 'node:crypto';
import { afterTest } from '@anagrafe/testing/endings';
import { wrongFigures } from '@anagrafe/testing/figures';
import {
  type GroupedOperation,
  type GroupedWrites,
  openGroupedWrites,
} from '@anagrafe/testing/grouped-writes';
import { importedUser } from '@anagrafe/testing/jobs';
import { startProxy } from '@anagrafe/testing/proxy';
import { until } from '@anagrafe/testing/until';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { RecordWriter } from '../../src/records/write/record-writer.ts';
import { openWriteStore } from '../../src/records/write/write-changes.store.ts';
import { readConfig } from '../../src/settings/config.ts';
import { openStore } from '../../src/store.ts';

/** The writer writes records that become ready at the same moment as one group. */
const count = 12;
/** The position of the record that the fault concerns. */
const affected = 8;
const positions = Array.from({ length: count }, (_, n) => n);
const others = positions.filter((position) => position !== affected);

let writes: GroupedWrites;

beforeAll(async () => {
  writes = await openGroupedWrites();
  await writes.store.database.query(faultTriggers);
});

/**
 * Triggers that fail in a statement that writes the principal in `public.fault`: with the SQLSTATE `state`, or by closing
 * the connection if that is null. A row count belongs to no principal, so it fails in the statement of any group, which
 * has a lock timeout.
 */
const faultTriggers = `
  create table public.fault (point text not null, principal_id bigint not null, state text);
  create function public.fail() returns trigger language plpgsql as $$
    declare
      fault public.fault;
      stored jsonb = to_jsonb(new);
    begin
      select * into fault from public.fault where point = tg_table_name;
      if not found or (case when tg_table_name = 'row_counts' then current_setting('lock_timeout') = '0'
                       else fault.principal_id <> (stored ->> tg_argv[0])::bigint end) then
        return new;
      end if;
      if fault.state is not null then
        raise exception 'a fault at %', tg_table_name using errcode = fault.state;
      end if;
      perform pg_terminate_backend(pg_backend_pid());
      perform pg_sleep(60);
      return new;
    end $$;
  create trigger fail before insert or update on anagrafe.principals for each row execute function public.fail('id');
  create trigger fail before insert or update on anagrafe.users for each row execute function public.fail('principal_id');
  create trigger fail before insert on anagrafe.row_counts for each row execute function public.fail();
  create trigger fail before insert on anagrafe.audit_log_waiting for each row execute function public.fail('principal_id');
  create trigger fail before insert on anagrafe.outcomes for each row execute function public.fail('principal_id');`;

interface Call {
  readonly operation: GroupedOperation;
  readonly callId: string;
  readonly records: Awaited<ReturnType<GroupedWrites['ready']>>;
  /** The principals of the records, in the same order. */
  readonly principals: readonly number[];
}

/** Prepares one record for each of `count` principals, each with one user; `name` is part of the usernames. */
async function newCall(operation: GroupedOperation, name: string): Promise<Call> {
  const { ready, newPrincipals } = writes;
  const callId = randomUUID();
  const users = positions.map((position) => importedUser(`${name}.${position}`));
  if (operation === 'insert') {
    const inserted = users.map((user) => ({ Denomination: 'Neri Srl', Users: [user] }));
    const records = await ready('insert', inserted, callId);
    return { operation, callId, records, principals: records.map(({ principalId }) => principalId) };
  }
  const principals = await newPrincipals(count);
  const changes = principals.map(({ id, user }, position) =>
    operation === 'update'
      ? { ID: id, Users: [users[position]] }
      : { ID: id, State: 'disabled', Users: [{ ID: user, State: 'disabled' }] },
  );
  return {
    operation,
    callId,
    records: await ready(operation, changes, callId),
    principals: principals.map(({ id }) => id),
  };
}

/** Starts the writes of the records at these positions. */
function write({ records }: Call, some: readonly number[] = positions) {
  const writer = new RecordWriter(writes.writeStore);
  const writing = records.map((record, position) =>
    some.includes(position) ? writer.write(record) : Promise.resolve(null),
  );
  for (const result of writing) result.catch(() => undefined);
  return writing;
}

/** Returns the kind of the failure of each record that was not written, by position. */
async function failuresOf(writing: readonly Promise<unknown>[]): Promise<Record<number, string>> {
  const results = await Promise.allSettled(writing);
  return Object.fromEntries(
    results.flatMap((result, position) =>
      result.status === 'rejected' ? [[position, result.reason.kind ?? result.reason]] : [],
    ),
  );
}

const failing = (some: readonly number[], kind: string) =>
  Object.fromEntries(some.map((position) => [position, kind]));

/** Expects exactly the records at these positions to be stored, each with one outcome and one audit row. */
async function expectStored({ operation, callId, principals }: Call, some: readonly number[]): Promise<void> {
  const { database } = writes.store;
  const stored = some.map((position) => principals[position]);
  const changed = await database.query<{ id: number }>(
    operation === 'state'
      ? `select principal_id as id from anagrafe.users join anagrafe.principals on principals.id = principal_id
          where principal_id = any($1) and users.state = 'disabled' and principals.state = 'disabled' order by 1`
      : `select principal_id as id from anagrafe.users where principal_id = any($1)
          group by 1 having count(*) = ${operation === 'insert' ? 1 : 2} order by 1`,
    [principals],
  );
  expect(changed.map(({ id }) => id)).toEqual(stored);
  const outcomes = await database.query<{ position: number; id: number }>(
    'select position, principal_id as id from anagrafe.outcomes where call_id = $1 order by position',
    [callId],
  );
  expect(outcomes).toEqual(some.map((position) => ({ position, id: principals[position] })));
  const audit = await database.query<{ id: number }>(
    'select principal_id as id from anagrafe.audit_log where call_id = $1 order by 1',
    [callId],
  );
  expect(audit.map(({ id }) => id)).toEqual(stored);
  expect(await wrongFigures(database)).toEqual([]);
}

/** Runs `work` while the statements that write one principal fail at this point. */
async function withFault<Result>(
  point: string,
  principal: number | undefined,
  state: string | null,
  work: () => Promise<Result>,
): Promise<Result> {
  const { database } = writes.store;
  await database.query('insert into public.fault values ($1, $2, $3)', [point, principal, state]);
  return work().finally(() => database.query('delete from public.fault'));
}

/** Opens a transaction of another program. */
async function otherTransaction(): Promise<pg.Client & { pid: number }> {
  const client = new pg.Client(writes.url);
  await client.connect();
  afterTest(() => client.end());
  await client.query('begin');
  const { rows } = await client.query('select pg_backend_pid() as pid');
  return Object.assign(client, { pid: rows[0].pid });
}

/** Waits until a transaction blocks at least one other. */
async function untilBlocking({ pid }: { pid: number }): Promise<void> {
  const sql = 'select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))';
  await until(async () => (await writes.store.database.query(sql, [pid])).length > 0);
}

const pointsOf = {
  update: ['principals', 'users', 'row_counts', 'audit_log_waiting', 'outcomes'],
  insert: ['principals', 'users', 'row_counts', 'audit_log_waiting', 'outcomes'],
  state: ['principals', 'users', 'audit_log_waiting', 'outcomes'],
} as const;
const places = Object.entries(pointsOf).flatMap(([operation, points]) =>
  points.map((point) => ({ operation: operation as GroupedOperation, point })),
);

describe.each(places)(
  'a group of irs/$operation with a fault when it writes $point',
  ({ operation, point }) => {
    // A row count belongs to all records of a group: without the group the fault does not occur.
    const leftOut = point === 'row_counts' ? [] : [affected];

    it.each([
      { fault: 'a deadlock', state: '40P01', kind: 'conflict' },
      { fault: 'a unique violation', state: '23505', kind: 'conflict' },
      { fault: 'a statement timeout', state: '57014', kind: 'timeLimit' },
      { fault: 'a lock timeout', state: '55P03', kind: 'timeLimit' },
      { fault: 'a violated constraint', state: '23514', kind: 'refused' },
    ])('leaves out the record with $fault and writes the others', async ({ state, kind }) => {
      const call = await newCall(operation, `${operation}.${point}.${state}`);
      const failures = await withFault(point, call.principals[affected], state, () =>
        failuresOf(write(call)),
      );
      expect(failures).toEqual(failing(leftOut, kind));
      await expectStored(call, leftOut.length > 0 ? others : positions);
      expect(await failuresOf(write(call, leftOut))).toEqual({});
      await expectStored(call, positions);
    });

    it.each([
      { fault: 'the connection is lost before the commit', state: null, kind: 'unknown' },
      { fault: 'the disk is full', state: '53100', kind: 'notWritten' },
    ])('writes none of its records if $fault, and all of them later', async ({ state, kind }) => {
      const call = await newCall(operation, `${operation}.${point}.${kind}`);
      const failures = await withFault(point, call.principals[affected], state, () =>
        failuresOf(write(call)),
      );
      expect(failures).toEqual(failing(positions, kind));
      await expectStored(call, []);
      expect(await failuresOf(write(call))).toEqual({});
      await expectStored(call, positions);
    });
  },
);

describe('a group of records', () => {
  it('leaves out the record whose username another transaction inserts and commits', async () => {
    const call = await newCall('update', 'committed');
    const [owner] = await writes.newPrincipals(1);
    const other = await otherTransaction();
    await other.query(
      `insert into anagrafe.users (principal_id, username, username_key, password_hash)
       values ($1, $2, $2, 'a hash')`,
      [owner?.id, `committed.${affected}`],
    );
    const writing = write(call);
    await Promise.all(others.map((position) => writing[position]));
    await untilBlocking(other);
    await other.query('commit');
    expect(await failuresOf(writing)).toEqual(failing([affected], 'conflict'));
    // The other transaction has counted neither its user nor that of its principal.
    await writes.store.database.query('delete from anagrafe.users where username = $1', [
      `committed.${affected}`,
    ]);
    await expectStored(call, others);
  });

  it('leaves out the record whose principal another transaction disables', async () => {
    const call = await newCall('update', 'disabled');
    const other = await otherTransaction();
    await other.query(`update anagrafe.principals set state = 'disabled' where id = $1`, [
      call.principals[affected],
    ]);
    const writing = write(call);
    await Promise.all(others.map((position) => writing[position]));
    await untilBlocking(other);
    await other.query('commit');
    expect(await failuresOf(writing)).toEqual(failing([affected], 'conflict'));
    await expectStored(call, others);
  });

  it.each(['update', 'insert', 'state'] as const)(
    'of irs/%s leaves out the record whose outcome another node has stored',
    async (operation) => {
      const call = await newCall(operation, `settled.${operation}`);
      const { database } = writes.store;
      await database.query(
        `insert into anagrafe.outcomes (call_id, position, users, error, failed_at) values ($1, $2, 0, '{}', now())`,
        [call.callId, affected],
      );
      expect(await failuresOf(write(call))).toEqual(failing([affected], 'hasOutcome'));
      await database.query('delete from anagrafe.outcomes where call_id = $1 and position = $2', [
        call.callId,
        affected,
      ]);
      await expectStored(call, others);
    },
  );

  it('leaves out the record whose outcome another node is storing', async () => {
    // Not registrations: while they wait for an outcome they hold a row count, which the other records may need.
    const call = await newCall('state', 'storing');
    const other = await otherTransaction();
    await other.query(
      `insert into anagrafe.outcomes (call_id, position, users, error, failed_at) values ($1, $2, 0, '{}', now())`,
      [call.callId, affected],
    );
    const writing = write(call);
    await Promise.all(others.map((position) => writing[position]));
    await untilBlocking(other);
    await other.query('rollback');
    expect(await failuresOf(writing)).toEqual({});
    await expectStored(call, positions);
  });

  it('is written without the two records that another transaction would make it wait for in a circle', async () => {
    const call = await newCall('update', 'circle');
    const [owner] = await writes.newPrincipals(1);
    const other = await otherTransaction();
    await other.query(
      `insert into anagrafe.users (principal_id, username, username_key, password_hash)
       values ($1, $2, $2, 'a hash')`,
      [owner?.id, `circle.${affected}`],
    );
    const writing = write(call);
    await untilBlocking(other);
    // The group has locked this principal, and waits for the username.
    const last = count - 1;
    await other.query('select from anagrafe.principals where id = $1 for update', [call.principals[last]]);
    const free = others.filter((position) => position !== last);
    await Promise.all(free.map((position) => writing[position]));
    await expectStored(call, free);
    await other.query('rollback');
    expect(await failuresOf(writing)).toEqual({});
    await expectStored(call, positions);
  });

  it('is stored as a whole, and its outcome is unknown, if the connection is lost after the commit', async () => {
    const call = await newCall('update', 'unanswered');
    const proxy = await startProxy(writes.url);
    const config = readConfig({ ...writes.settings, ANAGRAFE_DATABASE_URL: proxy.url });
    const node = await openStore(config, { mode: 'existing', log: () => {} });
    afterTest(node.close);
    proxy.muteAt('commit');
    const writing = openWriteStore(node.database, 0).writeChanges(call.records);
    const failure = expect(writing).rejects.toMatchObject({ kind: 'unknown' });
    const sql = 'select from anagrafe.outcomes where call_id = $1';
    await until(async () => (await writes.store.database.query(sql, [call.callId])).length === count);
    proxy.cut();
    await failure;
    await expectStored(call, positions);
  });
});
