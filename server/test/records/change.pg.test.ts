import { randomUUID } from 'node:crypto';
import { newStore } from '@anagrafe/testing/store';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { operatorActor } from '../../src/audit/audit-log.ts';
import {
  type PrincipalFields,
  principalFieldNames,
  type UserFields,
  userFieldNames,
} from '../../src/records/fields/fields.ts';
import type { UserEdit } from '../../src/records/write/change.ts';
import { versionOf } from '../../src/records/write/stored-rows.store.ts';
import type { WritableChange } from '../../src/records/write/writable-change.ts';
import { openWriteStore, type WriteStore } from '../../src/records/write/write-changes.store.ts';
import { readConfig } from '../../src/settings/config.ts';
import { openStore, type Store } from '../../src/store.ts';

let store: Store;
let records: WriteStore;

beforeEach(async () => {
  const made = await newStore();
  store = await openStore(readConfig(made.settings), { mode: 'existing', log: () => {} });
  onTestFinished(async () => {
    await store.close();
    await made.discard();
  });
  records = openWriteStore(store.database, 0);
});

const noPrincipalFields = Object.fromEntries(
  principalFieldNames.map((name) => [name, null]),
) as PrincipalFields;
const noUserFields = Object.fromEntries(userFieldNames.map((name) => [name, null])) as unknown as UserFields;
const hash =
  '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$Zm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyMTI';

function change(principalId: number, more: Partial<WritableChange>): WritableChange {
  return {
    principalId,
    action: 'update',
    principal: { kind: 'keep' },
    expectedVersion: null,
    storedUsers: 0,
    users: [],
    applied: [],
    invitations: [],
    position: 0,
    context: { actor: operatorActor, call: null, callerTags: null },
    changeIds: [randomUUID()],
    ...more,
  };
}

function values(fields: Partial<PrincipalFields>, state: 'active' | 'disabled' = 'active') {
  return { fields: { ...noPrincipalFields, ...fields }, state, aliases: [] };
}

function user(id: number, username: string): WritableChange['users'][number] {
  const password = { text: null, hash, mustChange: false };
  return {
    kind: 'register',
    id,
    username,
    usernameKey: username,
    fields: noUserFields,
    password,
    invite: null,
    state: 'active',
  };
}

function edit(id: number, username: string, more: Partial<UserEdit>): UserEdit {
  return {
    kind: 'edit',
    id,
    newUsername: { asSent: username, key: username },
    fields: noUserFields,
    state: 'active',
    changed: ['Email'],
    ...more,
  };
}

function reset(id: number, newHash = hash) {
  return { kind: 'reset', id, password: { text: null, hash: newHash, mustChange: false } } as const;
}

const deletions = (ids: readonly number[]) => ids.map((id) => ({ kind: 'delete', id }) as const);

/** Inserts a principal with the users `<name>.1`, `<name>.2`, ... and returns their IDs. */
async function insert(name: string, users: number): Promise<{ id: number; users: readonly number[] }> {
  const [id] = await records.reservePrincipalIds(1);
  const ids = await records.reserveUserIds(users);
  const registrations = ids.map((userId, index) => user(userId, `${name}.${index + 1}`));
  const principal = { kind: 'insert', values: values({ ExternalKey: name, Denomination: name }) } as const;
  const written = await records.writeChanges([
    change(id as number, { action: 'insert', principal, users: registrations }),
  ]);
  expect(written).toEqual([true]);
  return { id: id as number, users: ids };
}

const query = <Row extends object>(text: string, parameters: unknown[] = []) =>
  store.database.query<Row>(text, parameters);

async function version(id: number): Promise<string> {
  const [row] = await query<{ version: string }>(
    `select ${versionOf('principals')} as version from anagrafe.principals where id = $1`,
    [id],
  );
  return row?.version ?? '';
}

async function counts(): Promise<Record<string, number>> {
  const rows = await query<{ kind: string; amount: number }>(
    'select kind, sum(amount)::integer as amount from anagrafe.row_counts group by kind',
  );
  return Object.fromEntries(rows.map(({ kind, amount }) => [kind, amount]));
}

describe('writeChanges with a change of a principal', () => {
  it('writes the fields, the state and the search terms, and names the changed fields in the audit log', async () => {
    const { id } = await insert('alfa', 0);
    const principal = {
      kind: 'edit',
      values: values({ ExternalKey: 'alfa', Denomination: 'Beta' }, 'disabled'),
      changed: ['Denomination', 'State'],
    } as const;
    await records.writeChanges([change(id, { principal, expectedVersion: await version(id) })]);
    expect(await query('select denomination, state, sessions_epoch from anagrafe.principals')).toEqual([
      { denomination: 'Beta', state: 'disabled', sessions_epoch: 1 },
    ]);
    const audit = await query('select action, details from anagrafe.audit_log order by id');
    expect(audit).toEqual([
      { action: 'insert', details: null },
      { action: 'update', details: { changed: ['Denomination'], state: 'disabled' } },
    ]);
  });

  it('writes nothing if the principal or one of its users has changed since the check', async () => {
    const { id, users } = await insert('alfa', 1);
    const expectedVersion = await version(id);
    const resetting = change(id, { users: [reset(users[0] as number)] });
    expect(await records.writeChanges([resetting])).toEqual([true]);
    const principal = {
      kind: 'edit',
      values: values({ Denomination: 'Beta' }),
      changed: ['Denomination'],
    } as const;
    expect(await records.writeChanges([change(id, { principal, expectedVersion })])).toEqual([false]);
    expect(await query('select denomination from anagrafe.principals')).toEqual([{ denomination: 'alfa' }]);
  });

  it('gives the principal a new version, even if the clock has not advanced', async () => {
    const { id, users } = await insert('alfa', 1);
    await query(`update anagrafe.principals set updated_at = now() + interval '1 hour' where id = $1`, [id]);
    const before = await version(id);
    const resetting = change(id, { users: [reset(users[0] as number)] });
    await records.writeChanges([resetting]);
    expect(BigInt(await version(id))).toBe(BigInt(before) + 1n);
  });

  it('deletes the principal with its users and sessions, updates the counts, and writes the IDs to the audit log', async () => {
    const { id, users } = await insert('alfa', 3);
    const other = await insert('beta', 2);
    await query(
      `insert into anagrafe.sessions (user_id, family, user_epoch, principal_epoch, token_digest, refresh_digest,
         token_expires_at, refresh_expires_at)
       values ($1, gen_random_uuid(), 0, 0, '\\x01', '\\x02', now(), now())`,
      [users[0]],
    );
    const principal = { kind: 'delete', externalKey: 'alfa' } as const;
    const written = await records.writeChanges([
      change(id, { action: 'delete', principal, expectedVersion: await version(id), storedUsers: 3 }),
    ]);
    expect(written).toEqual([true]);
    expect(await query('select id from anagrafe.principals')).toEqual([{ id: other.id }]);
    expect(await query('select principal_id, count(*) from anagrafe.users group by principal_id')).toEqual([
      { principal_id: other.id, count: 2 },
    ]);
    expect(await query('select id from anagrafe.sessions')).toEqual([]);
    expect(await counts()).toEqual({ principals: 1, users: 2 });
    const [, , row] = await query<{ details: unknown; deleted: string }>(
      'select action, principal_id, to_json(deleted) as deleted, details from anagrafe.audit_log order by id',
    );
    expect(row).toEqual({
      action: 'delete',
      principal_id: id,
      deleted: users,
      details: { externalKey: 'alfa' },
    });
  });
});

describe('writeChanges with changes of users', () => {
  it('registers, edits, resets and deletes users of one record', async () => {
    const { id, users } = await insert('alfa', 4);
    const [newId] = await records.reserveUserIds(1);
    const [first, second, third, fourth] = users as [number, number, number, number];
    await records.writeChanges([
      change(id, {
        expectedVersion: await version(id),
        users: [
          user(newId as number, 'alfa.new'),
          reset(second, 'reset'),
          edit(first, 'renamed', {
            fields: { ...noUserFields, Email: 'a@example.com' },
            changed: ['Username', 'Email'],
          }),
          edit(fourth, 'alfa.4', { state: 'disabled', changed: ['State'] }),
          ...deletions([third]),
        ],
      }),
    ]);
    const stored = await query(
      'select id, username, email, state, password_hash = $1 as reset, sessions_epoch from anagrafe.users order by id',
      ['reset'],
    );
    const plain = { email: null, state: 'active', reset: false, sessions_epoch: 0 };
    expect(stored).toEqual([
      { ...plain, id: first, username: 'renamed', email: 'a@example.com' },
      { ...plain, id: second, username: 'alfa.2', reset: true, sessions_epoch: 1 },
      { ...plain, id: fourth, username: 'alfa.4', state: 'disabled', sessions_epoch: 1 },
      { ...plain, id: newId, username: 'alfa.new' },
    ]);
    expect(await query('select users_count from anagrafe.principals')).toEqual([{ users_count: 4 }]);
    expect(await counts()).toEqual({ principals: 1, users: 4 });
    const [, row] = await query(
      `select to_json(registered) as registered, to_json(reset) as reset, to_json(deleted) as deleted, details
         from anagrafe.audit_log order by id`,
    );
    expect(row).toEqual({
      registered: [newId],
      reset: [second],
      deleted: [third],
      details: {
        users: [
          [first, ['Username', 'Email'], null],
          [fourth, ['State'], 'disabled'],
        ],
      },
    });
  });

  it('writes nothing of a record if one of its users belongs to another principal', async () => {
    const alfa = await insert('alfa', 1);
    const beta = await insert('beta', 1);
    const users = deletions([alfa.users[0] as number, beta.users[0] as number]);
    expect(await records.writeChanges([change(alfa.id, { users })])).toEqual([false]);
    expect(await query('select id from anagrafe.users')).toHaveLength(2);
  });

  it('writes the other records of a group if one of them is outdated', async () => {
    const alfa = await insert('alfa', 1);
    const beta = await insert('beta', 1);
    const written = await records.writeChanges([
      change(alfa.id, { users: deletions(alfa.users), expectedVersion: '1' }),
      change(beta.id, { users: deletions(beta.users), expectedVersion: await version(beta.id) }),
    ]);
    expect(written).toEqual([false, true]);
    expect(await query('select id from anagrafe.users')).toEqual([{ id: alfa.users[0] }]);
  });

  it('writes only the outcome of a record that changes nothing', async () => {
    const { id, users } = await insert('alfa', 1);
    const before = await version(id);
    const call = { id: '5f8b1c1e-0000-4000-8000-000000000001', unstoredCall: null };
    const applied = [{ id: users[0] as number, username: 'alfa.1', email: null, operation: 'none' }] as const;
    const context = { actor: operatorActor, call, callerTags: null };
    const written = await records.writeChanges([change(id, { applied, context })]);
    expect(written).toEqual([true]);
    expect(await version(id)).toBe(before);
    expect(await query('select id from anagrafe.audit_log')).toHaveLength(1);
    expect(await query('select principal_id, applied, principal_change from anagrafe.outcomes')).toEqual([
      { principal_id: id, applied: [[users[0], 'none']], principal_change: 'unchanged' },
    ]);
  });
});
