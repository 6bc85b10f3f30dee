import { randomUUID } from 'node:crypto';
import { wrongFigures } from '@anagrafe/testing/figures';
import { type GroupedWrites, openGroupedWrites, reset } from '@anagrafe/testing/grouped-writes';
import { importedUser } from '@anagrafe/testing/jobs';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { WriteFailure } from '../../src/db/errors.ts';
import { RecordWriter } from '../../src/records/write/record-writer.ts';
import type { WritableChange } from '../../src/records/write/writable-change.ts';
import type { Store } from '../../src/store.ts';
import { lockPrincipals } from './row-lock.ts';

let store: Store;
let url: string;
let writeStore: GroupedWrites['writeStore'];
let write: GroupedWrites['write'];
let ready: GroupedWrites['ready'];
let newPrincipals: GroupedWrites['newPrincipals'];
let usersOf: GroupedWrites['usersOf'];

beforeAll(async () => {
  ({ store, url, writeStore, write, ready, newPrincipals, usersOf } = await openGroupedWrites());
});

describe('a group of records', () => {
  it('leaves out a missing or disabled principal, a missing user and a changed password, and writes the others', async () => {
    const [good, disabled, other, changed] = await newPrincipals(4);
    if (!good || !disabled || !other || !changed) throw new Error('no principals');
    await write(await ready('state', [{ ID: disabled.id, State: 'disabled' }]));
    const callId = randomUUID();
    const records = await ready(
      'update',
      [
        { ID: good.id, Users: [importedUser('grouped.good'), reset(good.user)] },
        { ID: disabled.id, Users: [importedUser('grouped.disabled')] },
        { ID: 999_999_999, Users: [importedUser('grouped.missing')] },
        { ID: other.id, Users: [importedUser('grouped.other'), reset(good.user)] },
        { ID: changed.id, Users: [reset(changed.user)] },
      ],
      callId,
    );
    const last = records.pop() as WritableChange;
    records.push({ ...last, context: { ...last.context, expectedCurrentHash: 'an older hash' } });
    const written = await write(records);
    expect(written.map((change) => change?.principalId ?? null)).toEqual([good.id, null, null, null, null]);
    expect(written[0]?.applied).toMatchObject([
      { username: 'grouped.good', operation: 'register' },
      { id: good.user, operation: 'reset' },
    ]);
    expect(await usersOf(good.id)).toMatchObject([{ id: good.user, hash: 'a new hash' }, {}]);
    for (const { id } of [disabled, other, changed]) expect(await usersOf(id)).toHaveLength(1);
    expect((await usersOf(changed.id))[0]?.hash).not.toBe('a new hash');
    const outcomes = await store.database.query(
      'select position, principal_id as id, users from anagrafe.outcomes where call_id = $1',
      [callId],
    );
    expect(outcomes).toEqual([{ position: 0, id: good.id, users: 2 }]);
    const audit = await store.database.query(
      `select principal_id as id, registered, reset from anagrafe.audit_log where call_id = $1`,
      [callId],
    );
    expect(audit).toEqual([{ id: good.id, registered: [expect.any(Number)], reset: [good.user] }]);
    expect(await wrongFigures(store.database)).toEqual([]);
  });

  it('has at most 1,000 users, also if their states change', async () => {
    const Users = Array.from({ length: 600 }, (_, n) => n);
    const inserted = await write(
      await ready(
        'insert',
        Array.from({ length: 12 }, (_, n) => ({
          Denomination: 'Verdi Srl',
          Users: Users.map((user) => importedUser(`grouped.states.${n}.${user}`)),
        })),
      ),
    );
    const records = await ready(
      'state',
      inserted.map((principal) => ({
        ID: principal?.principalId ?? 0,
        Users: (principal?.applied ?? []).map(({ id }) => ({ ID: id, State: 'disabled' })),
      })),
    );
    const groups: number[] = [];
    const writer = new RecordWriter({
      ...writeStore,
      writeChanges(group) {
        groups.push(group.length);
        return writeStore.writeChanges(group);
      },
    });
    const results = await Promise.allSettled(records.map((record) => writer.write(record)));
    expect(results.map(({ status }) => status)).toEqual(records.map(() => 'fulfilled'));
    expect(groups).toEqual(records.map(() => 1));
  });

  it('ends as a conflict, with nothing written, if one username is taken', async () => {
    const principals = await newPrincipals(3);
    const [taken] = await newPrincipals(1);
    const [{ username = '' } = {}] = await store.database.query<{ username: string }>(
      'select username from anagrafe.users where id = $1',
      [taken?.user],
    );
    const records = principals.map(({ id }, n) => ({
      ID: id,
      Users: [importedUser(n === 1 ? username : `grouped.free.${n}`)],
    }));
    const writing = write(await ready('update', records));
    await expect(writing).rejects.toThrow(WriteFailure);
    await expect(writing).rejects.toMatchObject({ kind: 'conflict' });
    for (const { id } of principals) expect(await usersOf(id)).toHaveLength(1);
  });

  it('is inserted as a whole, with audit rows in the order sent', async () => {
    const callId = randomUUID();
    const keys = ['c', 'a', 'b'].map((key) => `${key}.${callId}`);
    const records = await ready(
      'insert',
      keys.map((ExternalKey) => ({ ExternalKey, Denomination: 'Bianchi Srl', Vatnumber: '012 345' })),
      callId,
    );
    const ids = (await write(records)).map((change) => change?.principalId);
    const stored = await store.database.query<{ key: string; search: string }>(
      `select external_key as key, search_terms::text as search
         from anagrafe.audit_log join anagrafe.principals on principals.id = principal_id
        where call_id = $1 order by audit_log.id`,
      [callId],
    );
    expect(stored.map(({ key }) => key)).toEqual(keys);
    expect(stored[0]?.search).toContain("'012345'");
    expect(ids).toEqual(ids.toSorted((one, other) => Number(one) - Number(other)));
    expect(await wrongFigures(store.database)).toEqual([]);
  });

  it('changes states, and adds only real changes to the audit log', async () => {
    const principals = await newPrincipals(3);
    const callId = randomUUID();
    const change = principals.map(({ id, user }, n) => ({
      ID: id,
      State: n === 0 ? 'active' : 'disabled',
      Users: n === 2 ? [] : [{ ID: user, State: 'disabled' }],
    }));
    const written = await write(await ready('state', change, callId));
    expect(written.map((change) => change?.applied.length)).toEqual([1, 1, 0]);
    const audit = await store.database.query<{ details: unknown }>(
      'select details from anagrafe.audit_log where call_id = $1 order by id',
      [callId],
    );
    const [first, second] = principals;
    expect(audit.map(({ details }) => details)).toEqual([
      { users: [[first?.user, ['State'], 'disabled']] },
      { state: 'disabled', users: [[second?.user, ['State'], 'disabled']] },
      { state: 'disabled' },
    ]);
  });
});

describe('the record writer', () => {
  it('writes the other records of a group if one of them conflicts', async () => {
    const principals = await newPrincipals(20);
    const [taken] = await newPrincipals(1);
    const [{ username = '' } = {}] = await store.database.query<{ username: string }>(
      'select username from anagrafe.users where id = $1',
      [taken?.user],
    );
    const records = await ready(
      'update',
      principals.map(({ id }, n) => ({
        ID: id,
        Users: [importedUser(n === 15 ? username : `grouped.writer.${n}`)],
      })),
    );
    const writer = new RecordWriter(writeStore);
    const results = await Promise.allSettled(records.map((record) => writer.write(record)));
    expect(results.map(({ status }) => status === 'rejected')).toEqual(principals.map((_, n) => n === 15));
    expect(results[15]).toMatchObject({ reason: { kind: 'conflict' } });
    for (const [n, { id }] of principals.entries()) expect(await usersOf(id)).toHaveLength(n === 15 ? 1 : 2);
  });

  it('writes the other records while the principal of one is locked', async () => {
    const principals = await newPrincipals(20);
    const locked = principals[15]?.id ?? 0;
    const lock = await lockPrincipals(url, [locked]);
    const records = await ready(
      'update',
      principals.map(({ id }, n) => ({ ID: id, Users: [importedUser(`grouped.lock.${n}`)] })),
    );
    const writer = new RecordWriter(writeStore);
    const writing = records.map((record) => writer.write(record));
    await Promise.all(writing.filter((_, n) => n !== 15));
    await lock.blocked(1);
    await lock.release();
    await writing[15];
    expect(await usersOf(locked)).toHaveLength(2);
  });

  it('writes the other records while another transaction inserts the username of one', async () => {
    const principals = await newPrincipals(20);
    const [other] = await newPrincipals(1);
    const client = new pg.Client(url);
    await client.connect();
    await client.query('begin');
    await client.query(
      `insert into anagrafe.users (principal_id, username, username_key, password_hash)
       values ($1, 'grouped.held.15', 'grouped.held.15', 'a hash')`,
      [other?.id],
    );
    const records = await ready(
      'update',
      principals.map(({ id }, n) => ({ ID: id, Users: [importedUser(`grouped.held.${n}`)] })),
    );
    const writer = new RecordWriter(writeStore);
    const writing = records.map((record) => writer.write(record));
    await Promise.all(writing.filter((_, n) => n !== 15));
    await client.query('rollback');
    await client.end();
    await writing[15];
    expect(await usersOf(principals[15]?.id ?? 0)).toHaveLength(2);
  });

  it('leaves out the only existing principal that it changes while that one is locked', async () => {
    const [locked, other] = await newPrincipals(2);
    if (!locked || !other) throw new Error('no principals');
    const lock = await lockPrincipals(url, [locked.id]);
    const changes = [
      ...(await ready('insert', [{ Denomination: 'Beside a lock' }])),
      ...(await ready('update', [{ ID: locked.id, Users: [importedUser('grouped.locked')] }])),
    ];
    const written = await write(changes);
    expect(written.map((change) => change !== null)).toEqual([true, false]);
    await lock.release();
    expect(await usersOf(locked.id)).toHaveLength(1);
  });

  it('writes the other records while a user whose password one resets is locked', async () => {
    const principals = await newPrincipals(20);
    const client = new pg.Client(url);
    await client.connect();
    await client.query('begin');
    await client.query('select from anagrafe.users where id = $1 for update', [principals[15]?.user]);
    const records = await ready(
      'update',
      principals.map(({ id, user }) => ({ ID: id, Users: [reset(user)] })),
    );
    const writer = new RecordWriter(writeStore);
    const writing = records.map((record) => writer.write(record));
    await Promise.all(writing.filter((_, n) => n !== 15));
    await client.query('rollback');
    await client.end();
    await writing[15];
    expect(await usersOf(principals[15]?.id ?? 0)).toMatchObject([{ hash: 'a new hash' }]);
  });

  it('resets the passwords of 20,000 users of one principal without a sort on disk', async () => {
    const count = 20_000;
    const { database } = store;
    const Users = Array.from({ length: count }, (_, n) => importedUser(`grouped.many.${n}`));
    const [principal] = await write(await ready('insert', [{ Denomination: 'Molti Srl', Users }]));
    const files = async () => {
      await database.query('select pg_stat_force_next_flush()');
      const [row] = await database.query<{ bytes: number }>(
        'select temp_bytes as bytes from pg_stat_database where datname = current_database()',
      );
      return Number(row?.bytes);
    };
    const before = await files();
    const records = await ready('update', [
      { ID: principal?.principalId ?? 0, Users: (principal?.applied ?? []).map(({ id }) => reset(id)) },
    ]);
    const [written] = await write(records);
    expect(written?.applied).toHaveLength(count);
    // The statement itself needs some megabytes of temporary files; a copy of the list in every row would take gigabytes.
    await expect.poll(files).toBeLessThan(before + 200_000_000);
  });

  it('never writes two records of one principal in the same group', async () => {
    const [principal] = await newPrincipals(1);
    const records = await ready(
      'update',
      Array.from({ length: 12 }, (_, n) => ({
        ID: principal?.id ?? 0,
        Users: [importedUser(`grouped.same.${n}`)],
      })),
    );
    const writer = new RecordWriter(writeStore);
    await Promise.all(records.map((record) => writer.write(record)));
    expect(await usersOf(principal?.id ?? 0)).toHaveLength(13);
    expect(await wrongFigures(store.database)).toEqual([]);
  });
});
