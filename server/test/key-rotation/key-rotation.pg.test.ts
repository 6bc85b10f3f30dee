import { randomBytes, randomUUID } from 'node:crypto';
import { allHashed } from '@anagrafe/testing/audit-chain';
import { type ChildStore, childStore } from '@anagrafe/testing/child';
import { browserOf } from '@anagrafe/testing/console';
import { holding, principalLock, sendJob } from '@anagrafe/testing/jobs';
import { asOperator, operator } from '@anagrafe/testing/operators';
import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { masterKey } from '@anagrafe/testing/store';
import { until } from '@anagrafe/testing/until';
import { beforeEach, describe, expect, it } from 'vitest';
import { openAuditStore } from '../../src/audit/audit.store.ts';
import { operatorActor, verifyAuditLog } from '../../src/audit/audit-log.ts';
import { readMasterKeys } from '../../src/db/master-keys.ts';
import { newKey } from '../../src/encryption/cipher.ts';
import { KeyRing, MasterKeyMissing } from '../../src/encryption/key-ring.ts';
import { encryptedColumns, otherColumns } from '../../src/key-rotation/encrypted-columns.ts';
import { readEncrypted, replaceMasterKey } from '../../src/key-rotation/key-rotation.store.ts';
import { encryptAgain, inRotation, isRotating, rotate } from '../../src/key-rotation/key-rotation.ts';
import { readConfig } from '../../src/settings/config.ts';
import { openExistingKeyRing } from '../../src/settings/master-key-file.ts';

const old = Buffer.from(masterKey, 'base64');
let store: ChildStore;
let fresh: Buffer;

beforeEach(async () => {
  store = await childStore();
  fresh = randomBytes(32);
});

/** Opens the key ring of a node with these keys. */
const nodeWith = (...keys: Buffer[]) => openExistingKeyRing(keys, readConfig(store.settings), store.database);

/** Writes a value into every encrypted column, with the key in use. Returns what was encrypted, by column. */
async function fillEveryColumn(keyRing: KeyRing) {
  const { database } = store;
  await database.query(
    `insert into anagrafe.webhooks (url, granularity, secret, old_secret, position) values ('http://127.0.0.1/', 'user', '', '', 0)`,
  );
  await database.query(
    `with client as (insert into anagrafe.clients (public_key, name, scopes, is_operator) values ('op', 'op', '{}', true) returning id)
     insert into anagrafe.operators (client_id, email, email_key, role, totp_secret, totp_pending)
     select id, 'a@example.com', 'a@example.com', 'admin', '', '' from client`,
  );
  const id = randomUUID();
  const jobKey = newKey();
  await database.query(
    `insert into anagrafe.calls (id, operation, state, is_job, wrapped_key) values ($1, 'update', 'queued', true, $2)`,
    [id, keyRing.wrapJobKey(jobKey, id)],
  );
  for (const { table, column, key, associatedData } of encryptedColumns) {
    if (table !== 'webhooks' && table !== 'operators') continue;
    const [row] = await database.query<{ key: never }>(`select ${key.column} as key from anagrafe.${table}`);
    await database.query(`update anagrafe.${table} set ${column} = $1`, [
      keyRing.encryptSecret(column, associatedData(row?.key as never)),
    ]);
  }
  return jobKey.toString('hex');
}

/** Decrypts the values of every encrypted column with one master key alone. */
async function everyValue(key: Buffer) {
  const keyRing = new KeyRing(key);
  const values: Record<string, string> = {};
  for (const encrypted of encryptedColumns) {
    const { table, column, key: keyColumn, purpose, associatedData } = encrypted;
    for (const row of await readEncrypted(store.database, encrypted, keyColumn.first)) {
      const name = associatedData(row.key);
      values[`${table}.${column}`] =
        purpose === 'secret'
          ? keyRing.decryptSecret(row.value, name)
          : keyRing.openJobKey(row.value, name).toString('hex');
    }
  }
  return values;
}

/** Puts the new key into use and encrypts everything with it, as `key rotate` does. */
async function rotateAll(): Promise<void> {
  const keyRing = await nodeWith(fresh, old);
  await rotate(store.database, keyRing, operatorActor);
  while (!(await encryptAgain(store.database, keyRing)).complete);
}

/** Waits until the rotation waits for a transaction. */
const rotationWaits = () =>
  until(async () => {
    const waiting = await store.database.query(
      `select from pg_stat_activity where wait_event_type = 'Lock' and query ~ '^update anagrafe.master_key'
          and datname = current_database()`,
    );
    return waiting.length > 0;
  });

describe('the list of encrypted columns', () => {
  it('has every column of bytes of the schema, or the reason why a rotation does not change it', async () => {
    const columns = await store.database.query<{ name: string }>(
      `select table_name || '.' || column_name as name from information_schema.columns
        where table_schema = 'anagrafe' and udt_name in ('bytea', '_bytea')
          and table_name not in (select inhrelid::regclass::name from pg_inherits) and table_name !~ '^audit_log_'`,
    );
    const listed = [
      ...encryptedColumns.map(({ table, column }) => `${table}.${column}`),
      ...Object.keys(otherColumns),
    ];
    expect(columns.map(({ name }) => name).toSorted()).toEqual(listed.toSorted());
  });
});

describe('a rotation of the master key', () => {
  it('encrypts the values of all columns again, after an interruption too, and keeps the derived keys of the old one', async () => {
    const keyRing = await nodeWith(fresh, old);
    const jobKey = await fillEveryColumn(keyRing);
    const before = await everyValue(old);
    expect(before).toEqual({
      'webhooks.secret': 'secret',
      'webhooks.old_secret': 'old_secret',
      'operators.totp_secret': 'totp_secret',
      'operators.totp_pending': 'totp_pending',
      'calls.wrapped_key': jobKey,
    });
    await inRotation(store.database, () => rotate(store.database, keyRing, operatorActor));

    const interrupted = new AbortController();
    let statements = 0;
    const stopping = {
      ...store.database,
      query: (...query: Parameters<typeof store.database.query>) => {
        if (++statements === 5) interrupted.abort(new Error('interrupted'));
        return store.database.query(...query);
      },
    } as typeof store.database;
    await expect(encryptAgain(stopping, keyRing, interrupted.signal)).rejects.toThrow('interrupted');
    expect(await isRotating(store.database)).toBe(true);
    await expect(nodeWith(fresh)).rejects.toThrow(
      /lacks the former key [0-9a-f]{8}, with which stored values/,
    );

    await encryptAgain(store.database, keyRing);
    expect(await encryptAgain(store.database, keyRing)).toEqual({
      encrypted: 0,
      unreadable: 0,
      complete: true,
    });
    const after = await everyValue(fresh);
    expect(after).toEqual({ ...before, 'former_master_keys.derived_keys': expect.any(String) });
    await expect(everyValue(old)).rejects.toThrow();
    await expect(nodeWith(old)).rejects.toThrow('has only a former master key');
    await nodeWith(fresh);
  });

  it('leaves a value that no key decrypts as it is, and reports it', async () => {
    const keyRing = await nodeWith(fresh, old);
    await fillEveryColumn(keyRing);
    const damaged = randomBytes(60);
    await store.database.query('update anagrafe.webhooks set secret = $1', [damaged]);
    await rotate(store.database, keyRing, operatorActor);
    expect(await encryptAgain(store.database, keyRing)).toMatchObject({ unreadable: 1, complete: false });
    expect(await encryptAgain(store.database, keyRing)).toMatchObject({ unreadable: 1, complete: true });
    expect(await store.database.query('select secret from anagrafe.webhooks')).toEqual([{ secret: damaged }]);
  });

  it('encrypts again what a node that learns of it late has encrypted with the old key', async () => {
    const [first, late] = [await nodeWith(fresh, old), await nodeWith(fresh, old)];
    await rotate(store.database, first, operatorActor);
    expect(await encryptAgain(store.database, first)).toMatchObject({ complete: true });
    await fillEveryColumn(late);
    await late.refresh();
    expect(await encryptAgain(store.database, late)).toMatchObject({ encrypted: 5, unreadable: 0 });
    expect(Object.keys(await everyValue(fresh))).toHaveLength(6);
  });

  it('leaves the audit log verifiable without the old keys, each row with the key of its time', async () => {
    const { database, settings } = store;
    const last = randomBytes(32);
    const setting = [last, fresh, old].map((key) => key.toString('base64')).join();
    const service = await startTestService({ ...settings, ANAGRAFE_MASTER_KEY: setting });
    for (const keys of [
      [fresh, old],
      [last, fresh],
    ]) {
      await insertPrincipals(service, 3);
      await allHashed(service);
      await rotate(database, await nodeWith(...keys), operatorActor);
      while (!(await encryptAgain(database, await nodeWith(...keys))).complete);
    }
    await insertPrincipals(service, 3);
    await allHashed(service);
    const former = (await readMasterKeys(database, { recentHours: 1 }))?.former ?? [];
    expect(former.map(({ lastPosition }) => lastPosition > 0)).toEqual([true, true]);
    const audit = openAuditStore(database);
    expect(await verifyAuditLog(audit, await nodeWith(last))).toMatchObject({ sound: true });
    expect(await verifyAuditLog(audit, new KeyRing(last))).toMatchObject({ sound: false, position: 1 });
    expect(await service.call('../../../admin/v1/audit/verify', undefined, { method: 'GET' })).toMatchObject({
      body: { result: { record: { Sound: true } } },
    });
  });

  it.each<[string, string, (service: TestService, principal: number) => Promise<{ status: number }>]>([
    [
      'a job that is submitted',
      'calls',
      (service, ID) => sendJob(service, 'irs/update', [{ ID, Users: [newUser('of the job')] }]),
    ],
    [
      'a webhook that is created',
      'webhooks',
      ({ url }) =>
        fetch(`${url}/admin/v1/webhooks`, {
          method: 'POST',
          body: JSON.stringify({ URL: 'https://example.com/' }),
          headers: { 'content-type': 'application/json' },
        }),
    ],
    [
      'a second factor that is set up',
      'operators',
      async (service) => {
        const headers = await asOperator(service, 'anna@example.com');
        return browserOf(service)('POST /console/second-factor', headers);
      },
    ],
  ])('leaves nothing with the old key of %s during it', async (_, table, write) => {
    const keys = [fresh, old].map((key) => key.toString('base64')).join();
    const service = await startTestService({ ...store.settings, ANAGRAFE_MASTER_KEY: keys });
    if (table === 'operators') await operator(service, 'anna@example.com', 'admin');
    const [principal = 0] = await insertPrincipals(service, 1);
    const rotating = () =>
      holding(store, [`lock table anagrafe.${table} in share mode`], async ({ blocked }) => {
        const writing = write(service, principal);
        await blocked(1);
        const rotation = rotateAll();
        // The rotation may have to wait for the write, which waits for this lock.
        await Promise.race([rotation, rotationWaits()]);
        return [writing, rotation] as const;
      });
    // The job does not end, so that its key stays.
    await holding(service, principalLock(principal), async () => {
      const [written] = await Promise.all(await rotating());
      expect(written.status).toBeLessThan(300);
      const columns = Object.keys(await everyValue(fresh));
      expect(columns.filter((name) => name.startsWith(table))).toHaveLength(1);
    });
  });

  it('leaves a node without the new key unready, which then encrypts nothing', async () => {
    const service = await startTestService(store.settings);
    const [keyRing, without] = [await nodeWith(fresh, old), await nodeWith(old)];
    await expect(rotate(store.database, keyRing, operatorActor)).rejects.toThrow(
      'connected nodes lack the key',
    );
    const derivedKeys = keyRing.derivedKeysFor(new KeyRing(fresh).identity);
    const replacement = { from: keyRing.identity, to: new KeyRing(fresh).identity, derivedKeys };
    expect(await replaceMasterKey(store.database, replacement, operatorActor)).toBe(true);
    await expect
      .poll(async () => (await fetch(`${service.url}/health/ready`)).text())
      .toContain('does not have the master key');
    await expect(without.refresh()).rejects.toThrow(MasterKeyMissing);
    expect(() => without.encryptSecret('secret', 'webhook 1')).toThrow(MasterKeyMissing);
    expect(() => without.wrapJobKey(newKey(), 'job')).toThrow(MasterKeyMissing);
    const wrapped = new KeyRing(fresh).wrapJobKey(newKey(), 'job');
    expect(() => without.openJobKey(wrapped, 'job')).toThrow(MasterKeyMissing);
  });

  it('is refused without a new key, with a former one, and while another command rotates', async () => {
    await expect(rotate(store.database, await nodeWith(old), operatorActor)).rejects.toThrow(
      'The settings have no new master key',
    );
    const keyRing = await nodeWith(fresh, old);
    await inRotation(store.database, async () => {
      await expect(inRotation(store.database, async () => {})).rejects.toThrow('Another command rotates');
      await rotate(store.database, keyRing, operatorActor);
    });
    await expect(rotate(store.database, await nodeWith(old, fresh), operatorActor)).rejects.toThrow(
      /The key [0-9a-f]{8} was in use before/,
    );
  });
});
