import { expect } from 'vitest';
import { serviceActor } from '../../src/audit/audit-log.ts';
import { migrate } from '../../src/db/migrations.ts';
import { FieldErrors } from '../../src/lib/field-errors.ts';
import { TimeSlice } from '../../src/lib/yield-to-event-loop.ts';
import { reserveFor } from '../../src/records/id-reservation.ts';
import { insertOperation } from '../../src/records/insert.ts';
import type { Operation, ReadyRecord } from '../../src/records/operation.ts';
import type { ParsedRecord } from '../../src/records/parsed-record.ts';
import type { ParsedUpdate } from '../../src/records/parsed-update.ts';
import { openRecordStore } from '../../src/records/records.store.ts';
import { stateOperation } from '../../src/records/state.ts';
import { updateOperation } from '../../src/records/update.ts';
import { readConfig } from '../../src/settings/config.ts';
import { openStore, type Store } from '../../src/store.ts';
import { atEnd } from '../setup/endings.ts';
import { importedUser } from '../setup/jobs.ts';
import { emptyStore } from '../setup/store.ts';

export type GroupedOperations = Record<'update' | 'insert' | 'state', Operation>;
export type GroupedWrites = Awaited<ReturnType<typeof openGroupedWrites>>;

export const reset = (ID: number) => ({ ID, Password: 'correct horse', ConfirmPassword: 'correct horse' });

/** Sets what the checks would find if the principal and the users of the record existed. */
function setAsIfFound(parsed: ParsedRecord): void {
  const { principalId: id, items } = parsed as ParsedUpdate;
  const fields = { Email: null, Phone: null, FirstName: null, LastName: null, Language: null };
  const found = { version: '', state: 'active', usersCount: 0, fields: {} };
  Object.assign(parsed, { stored: { id, ...found } });
  for (const item of items) {
    if (item.operation === 'register') continue;
    const user = { id: item.id ?? 0, principalId: id ?? 0, username: '', usernameKey: '' };
    item.stored = { ...user, state: 'active', fields };
  }
}

/** Opens the operations on a new database, without the service, so that a test decides what a group consists of. */
export async function openGroupedWrites() {
  const empty = await emptyStore();
  atEnd(empty.discard);
  const store = await openStore(readConfig(empty.settings), { mode: 'exclusive', log: () => {} });
  atEnd(store.close);
  await migrate(store.database);
  const operations = operationsOn(store);

  /**
   * Parses records and prepares them as `applyRecords` does, without the checks against the store; except for states,
   * whose changes are the difference to the stored ones.
   */
  async function ready(
    name: keyof GroupedOperations,
    records: readonly Record<string, unknown>[],
    callId: string | null = null,
  ): Promise<ReadyRecord[]> {
    const operation = operations[name];
    const parsedRecords = await Promise.all(
      records.map((fields) => operation.read(structuredClone(fields), new FieldErrors(), new TimeSlice())),
    );
    if (name === 'state') await operation.newCheck().run(parsedRecords);
    if (name === 'update') parsedRecords.forEach(setAsIfFound);
    for (const parsed of parsedRecords) expect([...parsed.errors.byPlace]).toEqual([]);
    const ids = await reserveFor(parsedRecords, operation);
    return parsedRecords.map((parsed, position) => ({
      parsed,
      ids: ids[position] ?? { principal: null, users: [] },
      hashes: new Map(parsed.users.map((item) => [item, item.passwordHash ?? 'a new hash'])),
      context: {
        actor: serviceActor,
        reference: callId === null ? null : { callId, position, newCall: null },
        expectedCurrentHash: null,
      },
    }));
  }

  let names = 0;
  async function newPrincipals(count: number): Promise<{ id: number; user: number }[]> {
    const records = Array.from({ length: count }, () => ({
      Denomination: 'Rossi Srl',
      Users: [importedUser(`grouped.${++names}`)],
    }));
    const written = await operations.insert.write(await ready('insert', records));
    return written.map((result) => ({ id: result?.id ?? 0, user: result?.users[0]?.id ?? 0 }));
  }

  const usersOf = (principal: number) =>
    store.database.query<{ id: number; hash: string; state: string }>(
      'select id, password_hash as hash, state from anagrafe.users where principal_id = $1 order by id',
      [principal],
    );

  const url = empty.settings.ANAGRAFE_DATABASE_URL ?? '';
  return { store, settings: empty.settings, url, operations, ready, newPrincipals, usersOf };
}

export function operationsOn({ database }: Pick<Store, 'database'>): GroupedOperations {
  const records = openRecordStore(database);
  const rules = { requireEmail: false, password: { minLength: 8, isCommon: () => false } };
  return {
    update: updateOperation(records, rules) as unknown as Operation,
    insert: insertOperation(records, rules) as unknown as Operation,
    state: stateOperation(records) as unknown as Operation,
  };
}
