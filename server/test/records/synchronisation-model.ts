import type { TestService } from '@anagrafe/testing/service';
import fc from 'fast-check';
import { expect } from 'vitest';

// A model of the stored principals and users, random calls that change both, and their comparison by `irs/export`.

interface ModelUser {
  readonly Username: string;
  readonly Email: string | null;
  readonly State: string;
  readonly PasswordHash: string;
}

interface ModelPrincipal {
  readonly ExternalKey: string;
  readonly Denomination: string | null;
  readonly State: string;
  readonly Users: ReadonlyMap<string, ModelUser>;
}

type Model = Map<string, ModelPrincipal>;

interface SentUser {
  readonly Operation?: 'reset' | 'edit' | 'delete';
  readonly Username: string;
  readonly Email?: string;
  readonly NewUsername?: string;
  readonly State?: string;
  readonly PasswordHash?: string;
}

interface SentRecord {
  readonly ExternalKey: string;
  readonly Denomination?: string;
  readonly State?: string;
  readonly Users?: readonly SentUser[];
}

export interface Call {
  readonly operation: 'insert' | 'update' | 'upsert' | 'state' | 'delete';
  readonly missing?: 'keep' | 'disable' | 'delete';
  readonly records: readonly SentRecord[];
}

const hashes = ['c29tZXNhbHRzb21lc2FsdA', 'b3RoZXJzYWx0c2FsdHNhbA'].map(
  (salt) => `$argon2id$v=19$m=19456,t=2,p=1$${salt}$Zm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyMTI`,
);

// Few values, so that calls meet the same principals and users, and contradict each other.
const ExternalKey = fc.constantFrom('K1', 'K2', 'K3');
const Username = fc.constantFrom('u1', 'u2', 'u3', 'u4', 'u5');
const Email = fc.constantFrom('a@example.com', 'b@example.com');
const Denomination = fc.constantFrom('Alfa', 'Beta');
const State = fc.constantFrom('active', 'disabled');
const PasswordHash = fc.constantFrom(...hashes);
const newUser = fc.record({ Username, Email, PasswordHash }, { requiredKeys: ['Username', 'PasswordHash'] });
const newUsers = fc.array(newUser, { maxLength: 4 });

const updateItem: fc.Arbitrary<SentUser> = fc.oneof(
  newUser,
  fc.record({ Operation: fc.constant('reset' as const), Username, PasswordHash }),
  fc.record({
    Operation: fc.constant('edit' as const),
    Username,
    Email: fc.oneof(Email, fc.constant('')),
  }),
  fc.record({ Operation: fc.constant('edit' as const), Username, NewUsername: Username }),
  fc.record({ Operation: fc.constant('edit' as const), Username, State }),
  fc.record({ Operation: fc.constant('delete' as const), Username }),
);

const insertRecord = fc.record({ ExternalKey, Denomination, Users: newUsers });
const updateRecord = fc.oneof(
  fc.record({ ExternalKey, Denomination }),
  fc.record({ ExternalKey, Users: fc.array(updateItem, { minLength: 1, maxLength: 4 }) }),
  fc.record({ ExternalKey, Denomination, Users: fc.array(updateItem, { minLength: 1, maxLength: 3 }) }),
);
const upsertRecord = fc.record(
  { ExternalKey, Denomination, Users: newUsers },
  { requiredKeys: ['ExternalKey'] },
);
const stateRecord = fc.oneof(
  fc.record({ ExternalKey, State }),
  fc.record({ ExternalKey, Users: fc.array(fc.record({ Username, State }), { minLength: 1, maxLength: 2 }) }),
);
const deleteRecord = fc.oneof(
  fc.record({ ExternalKey }),
  fc.record({ ExternalKey, Users: fc.array(fc.record({ Username }), { minLength: 1, maxLength: 2 }) }),
);

const recordsOf = (record: fc.Arbitrary<SentRecord>) =>
  fc.uniqueArray(record, { minLength: 1, maxLength: 2, selector: (sent) => sent.ExternalKey });

export const calls: fc.Arbitrary<Call[]> = fc.array(
  fc.oneof(
    fc.record({ operation: fc.constant('insert' as const), records: recordsOf(insertRecord) }),
    fc.record({ operation: fc.constant('update' as const), records: recordsOf(updateRecord) }),
    fc.record({
      operation: fc.constant('upsert' as const),
      missing: fc.constantFrom('keep' as const, 'disable' as const, 'delete' as const),
      records: recordsOf(upsertRecord),
    }),
    fc.record({
      operation: fc.constant('state' as const),
      // Also several records of one principal, which are applied in the order sent.
      records: fc.array(stateRecord, { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ operation: fc.constant('delete' as const), records: recordsOf(deleteRecord) }),
  ),
  { minLength: 1, maxLength: 8 },
);

/** Applies a call to the model. Returns which of its records are applied. */
function applyToModel(model: Model, { operation, missing = 'keep', records }: Call): boolean[] {
  // All records are checked before the first is written: a username that one of them frees is still taken.
  const before = new Map(model);
  const claimed = new Set<string>();
  return records.map((record) => {
    const stored = (operation === 'state' ? model : before).get(record.ExternalKey);
    const written = changes[operation](record, stored, new Usernames(before, claimed), missing);
    if (written === 'refused') return false;
    for (const name of newNames(record)) claimed.add(name);
    if (written) model.set(record.ExternalKey, written);
    else model.delete(record.ExternalKey);
    return true;
  });
}

function newNames({ Users = [] }: SentRecord): string[] {
  return Users.map(({ NewUsername, Username: name }) => NewUsername ?? name);
}

class Usernames {
  readonly #owners = new Map<string, string>();
  readonly #claimed: ReadonlySet<string>;

  constructor(model: Model, claimed: ReadonlySet<string>) {
    this.#claimed = claimed;
    for (const { ExternalKey: key, Users } of model.values())
      for (const name of Users.keys()) this.#owners.set(name, key);
  }

  isTaken(name: string): boolean {
    return this.#owners.has(name) || this.#claimed.has(name);
  }
}

/** The principal after a change; null if it is deleted. */
type Changed = ModelPrincipal | null | 'refused';
type Change = (
  record: SentRecord,
  stored: ModelPrincipal | undefined,
  usernames: Usernames,
  missing: 'keep' | 'disable' | 'delete',
) => Changed;

const changes: Record<Call['operation'], Change> = {
  insert: (record, stored, usernames) => (stored ? 'refused' : inserted(record, usernames)),

  update(record, stored, usernames) {
    const { Users = [] } = record;
    if (!stored || namesAnyTwice(Users)) return 'refused';
    const users = new Map(stored.Users);
    for (const item of Users) {
      const changed = updatedUser(item, stored, usernames);
      if (changed === 'refused') return 'refused';
      users.delete(item.Username);
      if (changed) users.set(changed.Username, changed);
    }
    return { ...stored, Denomination: record.Denomination ?? stored.Denomination, Users: users };
  },

  upsert(record, stored, usernames, missing) {
    const { Users } = record;
    if (!stored) return inserted(record, usernames);
    const users = new Map(stored.Users);
    if (namesAnyTwice(Users ?? [])) return 'refused';
    for (const sent of Users ?? []) {
      const own = stored.Users.get(sent.Username);
      if (!own && (usernames.isTaken(sent.Username) || stored.State === 'disabled')) return 'refused';
      users.set(sent.Username, own ? { ...own, Email: sent.Email ?? own.Email } : registered(sent));
    }
    for (const [name, user] of stored.Users) {
      if (!Users || missing === 'keep' || Users.some((sent) => sent.Username === name)) continue;
      if (missing === 'delete') users.delete(name);
      else users.set(name, { ...user, State: 'disabled' });
    }
    return { ...stored, Denomination: record.Denomination ?? stored.Denomination, Users: users };
  },

  state(record, stored) {
    const { Users = [] } = record;
    if (!stored || namesAnyTwice(Users)) return 'refused';
    const users = new Map(stored.Users);
    for (const { Username: name, State: state = '' } of Users) {
      const user = stored.Users.get(name);
      if (!user) return 'refused';
      users.set(name, { ...user, State: state });
    }
    return { ...stored, State: record.State ?? stored.State, Users: users };
  },

  delete(record, stored) {
    if (!stored || namesAnyTwice(record.Users ?? [])) return 'refused';
    if (!record.Users) return null;
    if (record.Users.some(({ Username: name }) => !stored.Users.has(name))) return 'refused';
    const users = new Map(stored.Users);
    for (const { Username: name } of record.Users) users.delete(name);
    return { ...stored, Users: users };
  },
};

function inserted(record: SentRecord, usernames: Usernames): Changed {
  const { ExternalKey: key, Denomination: name, Users = [] } = record;
  if (namesAnyTwice(Users) || Users.some((sent) => usernames.isTaken(sent.Username))) return 'refused';
  const users = new Map(Users.map((sent) => [sent.Username, registered(sent)]));
  return { ExternalKey: key, Denomination: name ?? null, State: 'active', Users: users };
}

function registered({ Username: name, Email: email, PasswordHash: hash = '' }: SentUser): ModelUser {
  return { Username: name, Email: email ?? null, State: 'active', PasswordHash: hash };
}

/** A username counts as named by the item that has it, and by the one that takes it. */
function namesAnyTwice(users: readonly SentUser[]): boolean {
  const names = users.flatMap(({ Username: name, NewUsername: other }) =>
    other === undefined || other === name ? [name] : [name, other],
  );
  return new Set(names).size < names.length;
}

/** Returns null for a deleted user. */
function updatedUser(
  item: SentUser,
  { State: state, Users }: ModelPrincipal,
  usernames: Usernames,
): ModelUser | null | 'refused' {
  const own = Users.get(item.Username);
  if (item.Operation === undefined)
    return usernames.isTaken(item.Username) || state === 'disabled' ? 'refused' : registered(item);
  if (!own) return 'refused';
  if (item.Operation === 'delete') return null;
  if (item.Operation === 'reset') return { ...own, PasswordHash: item.PasswordHash ?? own.PasswordHash };
  const { NewUsername: name = own.Username } = item;
  if (name !== own.Username && usernames.isTaken(name)) return 'refused';
  const email = item.Email === '' ? null : (item.Email ?? own.Email);
  return { ...own, Username: name, Email: email, State: item.State ?? own.State };
}

/** Sends the calls, and compares each answer and the export at the end with the model; then deletes everything. */
export async function expectModel(service: TestService, sequence: readonly Call[]): Promise<void> {
  const model: Model = new Map();
  for (const call of sequence) {
    const query = call.missing ? `?missing=${call.missing}` : '';
    const { body } = await service.call(`irs/${call.operation}${query}`, call.records);
    const expected = applyToModel(model, call);
    expect(body.result?.records.map(({ Item3 }) => Item3)).toEqual(expected);
  }
  expect(await exported(service)).toEqual(plain(model));
  await expectUnchanged(service, model);
  if (model.size > 0)
    await service.call(
      'irs/delete',
      [...model.keys()].map((key) => ({ ExternalKey: key })),
    );
  expect(await exported(service)).toEqual([]);
}

/** An upsert of what is stored changes nothing and leaves no trace. */
async function expectUnchanged(service: TestService, model: Model): Promise<void> {
  if (model.size === 0) return;
  const records = [...model.values()].map(({ ExternalKey: key, Denomination: name, Users }) => ({
    ExternalKey: key,
    Denomination: name,
    Users: [...Users.values()].map(({ State: _, ...user }) => user),
  }));
  const before = await auditRows(service);
  const { body } = await service.call('irs/upsert?missing=delete', records);
  expect(body.result?.record).toMatchObject({
    PrincipalsUpdated: 0,
    UsersRegistered: 0,
    UsersUpdated: 0,
    UsersDeleted: 0,
  });
  expect(await auditRows(service)).toBe(before);
}

async function auditRows({ database }: TestService): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `select count(*) from anagrafe.audit_log where action in ('insert', 'update', 'state', 'delete')`,
  );
  return row?.count ?? 0;
}

async function exported({ url }: TestService): Promise<unknown[]> {
  const response = await fetch(`${url}/api/sync/v1/irs/export?hashes=true`);
  expect(response.status).toBe(200);
  const lines = (await response.text()).split('\n').filter((line) => line !== '');
  const principals = lines.map((line) => {
    const { ExternalKey: key, Denomination: name, State: state, Users } = JSON.parse(line);
    const users = (Users as ModelUser[]).map((user) => ({
      Username: user.Username,
      Email: user.Email ?? null,
      State: user.State,
      PasswordHash: user.PasswordHash,
    }));
    return { ExternalKey: key, Denomination: name ?? null, State: state, Users: users.toSorted(byUsername) };
  });
  return principals.toSorted(byKey);
}

function plain(model: Model): unknown[] {
  return [...model.values()]
    .map((principal) => ({ ...principal, Users: [...principal.Users.values()].toSorted(byUsername) }))
    .toSorted(byKey);
}

function byUsername(one: ModelUser, other: ModelUser): number {
  return one.Username < other.Username ? -1 : 1;
}

function byKey(one: { ExternalKey: string }, other: { ExternalKey: string }): number {
  return one.ExternalKey < other.ExternalKey ? -1 : 1;
}
