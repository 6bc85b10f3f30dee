import { randomUUID } from 'node:crypto';
import { wrongFigures } from '@anagrafe/testing/figures';
import { importedUser } from '@anagrafe/testing/jobs';
import { plainRules, range, recordList } from '@anagrafe/testing/records';
import { newUser } from '@anagrafe/testing/service';
import { emptyStore } from '@anagrafe/testing/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operatorActor } from '../../src/audit/audit-log.ts';
import type { Database } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrations.ts';
import { KeyRing } from '../../src/encryption/key-ring.ts';
import { createChunkQueue } from '../../src/jobs/chunk-queue.ts';
import { openChunks } from '../../src/jobs/chunks.store.ts';
import { openJobStore } from '../../src/jobs/jobs.store.ts';
import { type ChunkTools, runChunk } from '../../src/jobs/run-chunk.ts';
import { openSubmissions } from '../../src/jobs/submissions.store.ts';
import { submitJob } from '../../src/jobs/submit.ts';
import { Aborted } from '../../src/lib/aborted.ts';
import { HashPool } from '../../src/passwords/hash-pool.ts';
import { openQueue, type Queue } from '../../src/queue/queue.ts';
import { openCheckStore } from '../../src/records/check/check.store.ts';
import { defaultOptions, operationOf } from '../../src/records/check/operation.ts';
import { deleteOperation } from '../../src/records/operations/delete.ts';
import { insertOperation } from '../../src/records/operations/insert.ts';
import { inviteOperation } from '../../src/records/operations/invite.ts';
import { mergeOperation } from '../../src/records/operations/merge.ts';
import { openRunStore } from '../../src/records/operations/run.store.ts';
import { stateOperation } from '../../src/records/operations/state.ts';
import { undoOperation } from '../../src/records/operations/undo.ts';
import { updateOperation } from '../../src/records/operations/update.ts';
import { upsertOperation } from '../../src/records/operations/upsert.ts';
import type { OperationName } from '../../src/records/parse/parsed-record.ts';
import { RecordWriter } from '../../src/records/write/record-writer.ts';
import { openWriteStore } from '../../src/records/write/write-changes.store.ts';
import { readConfig } from '../../src/settings/config.ts';
import { openStore, type Store } from '../../src/store.ts';
import { countWrites, leftOver, repeatedWrites } from './jobs.ts';
import { lockPrincipals } from './row-lock.ts';

let empty: Awaited<ReturnType<typeof emptyStore>>;
let store: Store;
let queue: Queue;
const keyRing = new KeyRing(Buffer.alloc(32, 'a key'));
const never = new AbortController().signal;

/** Opens all parts of a node except the worker, so that the test decides which node runs a chunk, and when. */
beforeAll(async () => {
  empty = await emptyStore();
  store = await openStore(readConfig(empty.settings), { mode: 'exclusive', log: () => {} });
  await migrate(store.database);
  queue = await openQueue({
    database: store.queue,
    listen: store.listen,
    onError: () => {},
  });
  await createChunkQueue(queue);
  await countWrites(store.database);
});

afterAll(async () => {
  await queue.stop();
  await store.close();
  await empty.discard();
});

const everyone = { clientId: 'any', callerTags: null } as const;

function newNode(onHash?: () => void): ChunkTools {
  const checkStore = openCheckStore(store.database, null);
  const rules = plainRules;
  return {
    store: openChunks(store.database),
    operations: {
      update: () => updateOperation(checkStore, rules),
      insert: (options) => insertOperation(checkStore, rules, options),
      state: () => stateOperation(checkStore),
      delete: () => deleteOperation(checkStore),
      merge: () => mergeOperation(checkStore, { maxRecordUsers: 1000, maxRemoved: 1000 }),
      invite: (options) =>
        inviteOperation(
          checkStore,
          { ...rules, maxRecordUsers: 1000, maxUsers: { answered: 1000, job: 1000 } },
          options,
        ),
      undo: (options) => undoOperation({ ...checkStore, ...openRunStore(store.database) }, options),
      upsert: (options) =>
        upsertOperation(checkStore, { ...rules, maxRecordUsers: 1000, maxRemoved: 1000 }, options),
    },
    hasher: new HashPool({
      concurrency: 1,
      memoryKib: 1024,
      passes: 1,
      maxWaitSeconds: 60,
      ...(onHash && { onHash }),
    }),
    keyRing,
    writer: new RecordWriter(openWriteStore(store.database, 0)),
    onOutcomes: () => {},
    report: () => {},
  };
}

/** Submits a job to a node. By default, another node runs it. */
async function submit(
  operation: OperationName,
  records: readonly unknown[],
  node = newNode(),
): Promise<string> {
  const id = randomUUID();
  const call = {
    id,
    clientId: null,
    actor: operatorActor,
    records: await recordList(records),
    earlierOutcomes: new Map(),
    options: defaultOptions,
    run: null,
    review: null,
    holdMemory: () => {},
  };
  const submissions = openSubmissions(store.database, queue, { jobs: 200, bytes: 1e9 });
  const { operations, hasher, writer } = node;
  const tools = { store: submissions, writeStore: writer.store, keyRing, hasher };
  await submitJob(call, operationOf(operations, operation, null), tools);
  return id;
}

async function chunksOf(id: string): Promise<number[]> {
  const rows = await store.database.query<{ number: number }>(
    'select number from anagrafe.chunks where call_id = $1 order by number',
    [id],
  );
  return rows.map((row) => row.number);
}

/** Runs a chunk as the queue does: it runs an aborted chunk again. */
async function runToItsEnd(id: string, number: number, node: ChunkTools): Promise<void> {
  for (let round = 1; ; round++) {
    try {
      await runChunk(id, number, node, never);
      return;
    } catch (error) {
      if (!(error instanceof Aborted) || round === 10) throw error;
    }
  }
}

async function collected<Item>(items: AsyncIterable<Item> | undefined): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items ?? []) all.push(item);
  return all;
}

async function ended(id: string) {
  const page = { page: 1, pageSize: 1000, failedOnly: false, withUsers: true };
  const read = await openJobStore(store.database, queue).read(id, everyone, page);
  expect(read?.job).toMatchObject({ state: 'completed', endedAt: expect.any(Date) });
  expect(read?.job.recordsDone).toBe(read?.job.records);
  const outcomes = await collected(read?.outcomes);
  expect(outcomes).toHaveLength(read?.job.records ?? -1);
  expect(await leftOver(store.database)).toEqual([]);
  expect(await wrongFigures(store.database)).toEqual([]);
  return { job: read?.job, outcomes };
}

async function newPrincipals(count: number): Promise<number[]> {
  const id = await submit(
    'insert',
    Array.from({ length: count }, (_, n) => ({ Denomination: `Principal ${n}` })),
  );
  for (const number of await chunksOf(id)) await runToItsEnd(id, number, newNode());
  return (await ended(id)).outcomes.map((outcome) => outcome.id ?? 0);
}

describe('a chunk that two nodes run at the same time', () => {
  it('registers each user and resets each password once, with one outcome for each record', async () => {
    const principals = await newPrincipals(20);
    const before = await submit(
      'update',
      principals.map((ID) => ({ ID, Users: [importedUser(`reset ${ID}`)] })),
    );
    await runToItsEnd(before, 0, newNode());
    const users = (await ended(before)).outcomes.map((outcome) => outcome.users[0]?.id ?? 0);
    await store.database.query('delete from public.writes where user_id = any($1)', [users]);

    const password = { Password: 'another long sentence', ConfirmPassword: 'another long sentence' };
    const id = await submit('update', [
      ...principals.map((ID) => ({ ID, Users: [newUser(`new ${ID} a`), newUser(`new ${ID} b`)] })),
      ...principals.map((ID, n) => ({ ID, Users: [{ ID: users[n], ...password }] })),
    ]);
    expect(await chunksOf(id)).toEqual([0]);
    await Promise.all([runToItsEnd(id, 0, newNode()), runToItsEnd(id, 0, newNode())]);
    const { job, outcomes } = await ended(id);
    expect(outcomes.map(({ error }) => error)).toEqual(outcomes.map(() => null));
    expect(job).toMatchObject({ recordsFailed: 0, users: 60, usersDone: 60, usersApplied: 60 });
    expect(await repeatedWrites(store.database)).toEqual([]);
    // If the queue delivers a message twice, the chunk runs once more after its end.
    await runChunk(id, 0, newNode(), never);
    expect(await repeatedWrites(store.database)).toEqual([]);
  });

  it('inserts each principal once', async () => {
    const count = 'select count(*) from anagrafe.principals';
    const [before] = await store.database.query<{ count: number }>(count);
    const id = await submit(
      'insert',
      range(200).map((n) => ({ Denomination: `Twice ${n}`, ...(n % 2 && { ExternalKey: `twice ${n}` }) })),
    );
    await Promise.all([runToItsEnd(id, 0, newNode()), runToItsEnd(id, 0, newNode())]);
    const { outcomes } = await ended(id);
    expect(outcomes.map(({ error }) => error)).toEqual(outcomes.map(() => null));
    expect(new Set(outcomes.map((outcome) => outcome.id)).size).toBe(200);
    const [after] = await store.database.query<{ count: number }>(count);
    expect(after?.count).toBe((before?.count ?? 0) + 200);
  });

  it('keeps the records that one node applied when the job is cancelled and the other node rejects the rest', async () => {
    const principals = await newPrincipals(40);
    const id = await submit(
      'update',
      principals.map((ID) => ({ ID, Users: [importedUser(`cancelled ${ID}`)] })),
    );
    const lock = await lockPrincipals(empty.settings.ANAGRAFE_DATABASE_URL ?? '', principals.slice(-2));
    const running = runToItsEnd(id, 0, newNode());
    await lock.blocked(2);
    const outcomesOf = 'select from anagrafe.outcomes where call_id = $1';
    await expect.poll(() => store.database.query(outcomesOf, [id])).toHaveLength(38);
    await openJobStore(store.database, queue).cancel(id, operatorActor);
    await runToItsEnd(id, 0, newNode());
    await lock.release();
    await running;
    const page = { page: 1, pageSize: 1000, failedOnly: false, withUsers: true };
    const { job, outcomes: read } =
      (await openJobStore(store.database, queue).read(id, everyone, page)) ?? {};
    const outcomes = await collected(read);
    expect(job).toMatchObject({ state: 'cancelled', recordsDone: 40, endedAt: expect.any(Date) });
    const stored = await store.database.query<{ principal: number }>(
      `select principal_id as principal from anagrafe.users where username like 'cancelled %' order by 1`,
    );
    const applied = outcomes.filter(({ error }) => error === null);
    expect(applied).toHaveLength(38);
    expect(applied.map((outcome) => outcome.id)).toEqual(stored.map((user) => user.principal));
    expect(new Set(outcomes.flatMap(({ error }) => (error ? [error.code] : [])))).toEqual(
      new Set(['CANCELLED']),
    );
    expect(job?.recordsFailed).toBe(2);
    expect(await leftOver(store.database)).toEqual([]);
  });
});

it('a chunk that is aborted after every few hashes applies each record once, and after an abort hashes only queued passwords', async () => {
  const principals = await newPrincipals(60);
  const id = await submit(
    'update',
    principals.map((ID) => ({ ID, Users: [newUser(`broken off ${ID}`)] })),
  );
  /** A job has at most four passwords in the queue of one hash thread. */
  const queued = 4;
  let aborted = 0;
  for (let limit = 1; (await chunksOf(id)).length > 0; limit += 3) {
    const stop = new AbortController();
    let hashes = 0;
    const node = newNode(() => {
      hashes++;
      if (hashes === limit) stop.abort();
    });
    try {
      await runChunk(id, 0, node, stop.signal);
    } catch (error) {
      expect(error instanceof Aborted).toBe(true);
      expect(hashes).toBeLessThanOrEqual(limit + queued);
      aborted++;
    }
  }
  expect(aborted).toBeGreaterThan(2);
  const { outcomes } = await ended(id);
  expect(outcomes.map(({ error }) => error)).toEqual(outcomes.map(() => null));
  expect(await repeatedWrites(store.database)).toEqual([]);
});

it('a chunk that is aborted while it writes records finishes these records and starts no others', async () => {
  // A chunk processes groups of 64 passwords, two groups at a time.
  const principals = await newPrincipals(4);
  const users = (ID: number) => range(64).map((n) => newUser(`begun ${ID} ${n}`));
  const id = await submit(
    'update',
    principals.map((ID) => ({ ID, Users: users(ID) })),
  );
  expect(await chunksOf(id)).toEqual([0]);
  const lock = await lockPrincipals(empty.settings.ANAGRAFE_DATABASE_URL ?? '', principals);
  const stop = new AbortController();
  const running = runChunk(id, 0, newNode(), stop.signal).catch((error: unknown) => error);
  await lock.blocked(2);
  stop.abort();
  await lock.release();
  expect(await running).toBeInstanceOf(Aborted);
  const stored = await store.database.query<{ principal: number }>(
    `select distinct principal_id as principal from anagrafe.users where username like 'begun %' order by 1`,
  );
  expect(stored.map(({ principal }) => principal)).toEqual(principals.slice(0, 2));
  await runToItsEnd(id, 0, newNode());
  const { outcomes } = await ended(id);
  expect(outcomes.map(({ error }) => error)).toEqual(outcomes.map(() => null));
  expect(await repeatedWrites(store.database)).toEqual([]);
});

it('chunks that end at the same time complete their job and delete its key', async () => {
  const chunks = openChunks(store.database);
  for (let round = 0; round < 15; round++) {
    const id = randomUUID();
    await store.database.query(
      `with call as (
         insert into anagrafe.calls (id, operation, state, is_job, records, users, wrapped_key)
         values ($1, 'insert', 'running', true, 0, 0, '\\x00') returning id)
       insert into anagrafe.chunks (call_id, number, positions, turn, encrypted_records)
       select id, number, '{}', 0, '\\x00' from call, generate_series(0, 7) as number`,
      [id],
    );
    await Promise.all(range(8).map((number) => chunks.end(id, number)));
    expect((await ended(id)).job?.recordsFailed).toBe(0);
  }
});

describe('the progress of a job', () => {
  /** Stores a running job with two chunks of 500 records, of which every fifth has failed, with all outcomes. */
  async function storeJob(): Promise<string> {
    const id = randomUUID();
    await store.database.query(
      `with call as (
         insert into anagrafe.calls (id, operation, state, is_job, started_at, records, users, wrapped_key)
         values ($1, 'update', 'running', true, now(), 1000, 2000, '\\x00') returning id
       ), stored as (
         insert into anagrafe.outcomes (call_id, position, users, applied, error, failed_at)
         select $1, n, 2, case when n % 5 > 0 then '[]'::jsonb end,
                case when n % 5 = 0 then '{"code": "RECORD_FAILED"}'::jsonb end, case when n % 5 = 0 then now() end
           from generate_series(0, 999) as n
       )
       insert into anagrafe.chunks (call_id, number, positions, turn, encrypted_records)
       select id, number, array(select generate_series(500 * number, 500 * number + 499)), 0, '\\x00'
         from call, generate_series(0, 1) as number`,
      [id],
    );
    return id;
  }

  it('counts the outcomes of a chunk once, also if two nodes end it at the same time', async () => {
    const chunks = openChunks(store.database);
    const half = { recordsDone: 500, recordsFailed: 100, usersDone: 1000, usersApplied: 800 };
    for (let round = 0; round < 10; round++) {
      const id = await storeJob();
      const find = () => openJobStore(store.database, queue).find(id, everyone);
      await Promise.all([chunks.end(id, 0), chunks.end(id, 0), chunks.end(id, 0)]);
      expect(await find()).toMatchObject({ state: 'running', ...half });
      await Promise.all([chunks.end(id, 1), chunks.end(id, 0)]);
      const all = { recordsDone: 1000, recordsFailed: 200, usersDone: 2000, usersApplied: 1600 };
      expect(await find()).toMatchObject({ state: 'completed', ...all });
    }
  });

  it('is read without the outcomes of chunks that have ended or have not started', async () => {
    const id = await storeJob();
    await openChunks(store.database).end(id, 0);
    await store.database.transaction(async (connection) => {
      const rowsRead = () =>
        connection.query(
          `select seq_tup_read, idx_tup_fetch from pg_stat_xact_user_tables
            where relid = 'anagrafe.outcomes'::regclass`,
        );
      // The figures of a connection may contain those of its last transaction.
      const before = await rowsRead();
      const job = await openJobStore(connection as unknown as Database, queue).find(id, everyone);
      expect(job).toMatchObject({ recordsDone: 500, recordsFailed: 100 });
      expect(await rowsRead()).toEqual(before);
    });
    await openChunks(store.database).end(id, 1);
  });

  it('contains the outcomes of a chunk in progress', async () => {
    const id = await storeJob();
    await openChunks(store.database).begin(id, 1);
    const job = await openJobStore(store.database, queue).find(id, everyone);
    expect(job).toMatchObject({ recordsDone: 500, recordsFailed: 100, usersDone: 1000, usersApplied: 800 });
    for (const number of [0, 1]) await openChunks(store.database).end(id, number);
  });
});

describe('a node that runs a chunk that it has accepted', () => {
  const newRecord = (name: string) => ({
    ExternalKey: `key ${name}`,
    Denomination: name,
    Users: [importedUser(`user ${name}`)],
  });

  it('checks records again that other clients have made invalid or have inserted meanwhile', async () => {
    const node = newNode();
    const names = ['late a', 'late b', 'late c'];
    const id = await submit('upsert', names.map(newRecord), node);
    const other = await submit('insert', [
      { Denomination: 'Another one', Users: [importedUser('user late b')] },
      { Denomination: 'The same key', ExternalKey: 'key late c', Users: [importedUser('user late c')] },
    ]);
    await runToItsEnd(other, 0, newNode());
    await runToItsEnd(id, 0, node);
    const { outcomes } = await ended(id);
    expect(outcomes.map(({ errors }) => [...errors.byPlace.keys()])).toEqual([[], ['Users[0].Username'], []]);
    expect(outcomes.map(({ principal }) => principal)).toEqual(['inserted', undefined, 'updated']);
    const failed = await store.database.query(
      `select record ->> 'ExternalKey' as key from anagrafe.outcomes where call_id = $1 and error is not null`,
      [id],
    );
    expect(failed).toEqual([{ key: 'key late b' }]);
  });

  it('applies each record once while another node runs the same chunk', async () => {
    const node = newNode();
    const id = await submit(
      'upsert',
      range(20).map((n) => newRecord(`both ${n}`)),
      node,
    );
    await Promise.all([runToItsEnd(id, 0, node), runToItsEnd(id, 0, newNode())]);
    const { job } = await ended(id);
    expect(job).toMatchObject({ recordsFailed: 0, usersApplied: 20 });
    expect(await repeatedWrites(store.database)).toEqual([]);
  });
});
