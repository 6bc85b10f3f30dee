import { expect } from 'vitest';
import { serviceActor } from '../../server/src/audit/audit-log.ts';
import { migrate } from '../../server/src/db/migrations.ts';
import { FieldErrors } from '../../server/src/lib/field-errors.ts';
import { required } from '../../server/src/lib/required.ts';
import { type CheckStore, openCheckStore } from '../../server/src/records/check/check.store.ts';
import { defaultOptions } from '../../server/src/records/check/operation.ts';
import { type PrincipalFields, principalFieldNames } from '../../server/src/records/fields/fields.ts';
import { insertOperation } from '../../server/src/records/operations/insert.ts';
import { stateOperation } from '../../server/src/records/operations/state.ts';
import { updateOperation } from '../../server/src/records/operations/update.ts';
import { passwordsIn } from '../../server/src/records/write/change.ts';
import { reserveIds } from '../../server/src/records/write/id-reservation.ts';
import { type WritableChange, writableChange } from '../../server/src/records/write/writable-change.ts';
import { openWriteStore } from '../../server/src/records/write/write-changes.store.ts';
import { readConfig } from '../../server/src/settings/config.ts';
import { openStore } from '../../server/src/store.ts';
import { atEnd } from './endings.ts';
import { importedUser } from './jobs.ts';
import { plainRules } from './records.ts';
import { emptyStore } from './store.ts';

export type GroupedOperation = 'update' | 'insert' | 'state';
export type GroupedWrites = Awaited<ReturnType<typeof openGroupedWrites>>;
type Sent = Record<string, unknown>;

export const reset = (ID: number) => ({ ID, Password: 'correct horse', ConfirmPassword: 'correct horse' });

const userFields = { Email: null, Phone: null, FirstName: null, LastName: null, Language: null };
const rules = plainRules;

/** Answers the checks as if the principal and the users of the record existed, and as if no name were taken. */
function asIfFound({ ID }: Sent, checkStore: CheckStore): CheckStore {
  const fields = Object.fromEntries(principalFieldNames.map((name) => [name, null])) as PrincipalFields;
  const found = { version: '', state: 'active', usersCount: 0, aliases: [], hiddenTags: [], fields } as const;
  const user = {
    version: '',
    principalId: Number(ID),
    username: '',
    usernameKey: '',
    state: 'active',
    hasPassword: true,
    mustChange: false,
    fields: userFields,
  } as const;
  return {
    ...checkStore,
    findPrincipals: async (ids) => new Map(ids.map((id) => [id, { id, ...found }])),
    findUsers: async ({ ids }) => ids.map((id) => ({ id, ...user })),
    findAttributes: async () => new Map(),
    findForms: async () => [],
    findTakenUsernames: async () => new Map(),
    findExternalKeys: async () => new Map(),
  };
}

/** Opens the operations on a new database, without the service, so that a test decides what a group consists of. */
export async function openGroupedWrites() {
  const empty = await emptyStore();
  atEnd(empty.discard);
  const store = await openStore(readConfig(empty.settings), { mode: 'exclusive', log: () => {} });
  atEnd(store.close);
  await migrate(store.database);
  const checkStore = openCheckStore(store.database, null);
  const writeStore = openWriteStore(store.database, 0);

  /**
   * Returns the changes of records as `applyRecords` writes them, without the checks against the store; except for states,
   * whose changes are the difference to the stored ones.
   */
  async function ready(
    name: GroupedOperation,
    records: readonly Sent[],
    callId: string | null = null,
  ): Promise<WritableChange[]> {
    const changes = await Promise.all(
      records.map(async (record) => {
        const operation = {
          update: updateOperation(asIfFound(record, checkStore), rules),
          insert: insertOperation(asIfFound(record, checkStore), rules, defaultOptions),
          state: stateOperation(checkStore),
        }[name];
        const parsed = await operation.parse(structuredClone(record), new FieldErrors());
        const [change] = await operation.startChecks()([parsed]);
        expect([...parsed.errors.byPlace]).toEqual([]);
        return required(change);
      }),
    );
    const ids = await reserveIds(changes, writeStore);
    return changes.map((change, position) => {
      const hashes = new Map(passwordsIn(change).map((password) => [password, 'a new hash']));
      return writableChange(
        change,
        { ids: required(ids[position]), hashes, position },
        {
          actor: serviceActor,
          call: callId === null ? null : { id: callId, unstoredCall: null },
          callerTags: null,
        },
      );
    });
  }

  /** Writes changes in one group. Returns those that were written, and null for the others. */
  async function write(changes: readonly WritableChange[]): Promise<(WritableChange | null)[]> {
    const written = await writeStore.writeChanges(changes);
    return changes.map((change, at) => (written[at] ? change : null));
  }

  let names = 0;
  async function newPrincipals(count: number): Promise<{ id: number; user: number }[]> {
    const records = Array.from({ length: count }, () => ({
      Denomination: 'Rossi Srl',
      Users: [importedUser(`grouped.${++names}`)],
    }));
    const written = await write(await ready('insert', records));
    return written.map((change) => ({ id: change?.principalId ?? 0, user: change?.applied[0]?.id ?? 0 }));
  }

  const usersOf = (principal: number) =>
    store.database.query<{ id: number; hash: string; state: string }>(
      'select id, password_hash as hash, state from anagrafe.users where principal_id = $1 order by id',
      [principal],
    );

  const url = empty.settings.ANAGRAFE_DATABASE_URL ?? '';
  return {
    store,
    checkStore,
    writeStore,
    settings: empty.settings,
    url,
    ready,
    write,
    newPrincipals,
    usersOf,
  };
}
