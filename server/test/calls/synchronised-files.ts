import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { adminOf } from '@anagrafe/testing/admin';
import type { TestService } from '@anagrafe/testing/service';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Tuple } from '../../src/records/read/tuple.ts';
import { planUndo, send, stored } from './undo.ts';

// Random pairs of files: the first is imported, the second is synchronised, as `anagrafe sync` does, and then undone. A model
// in memory says what is stored after each step.

interface FileUser {
  readonly Username: string;
  readonly Phone?: string;
  readonly State?: string;
}

interface FileRecord {
  readonly ExternalKey: string;
  readonly Denomination?: string;
  readonly Vatnumber?: string;
  readonly State?: string;
  readonly Users: readonly FileUser[];
}

interface ModelUser {
  readonly key: string;
  readonly phone: string | null;
  readonly state: string;
  readonly hash: string;
}

interface ModelPrincipal {
  readonly denomination: string | null;
  readonly vatnumber: string | null;
  readonly state: string;
}

interface Model {
  readonly principals: Map<string, ModelPrincipal>;
  readonly users: Map<string, ModelUser>;
}

const keys = ['K1', 'K2', 'K3', 'K4'];
const usernames = ['u1', 'u2', 'u3', 'u4', 'u5', 'u6'];
const salts = ['c29tZXNhbHRzb21lc2FsdA', 'b3RoZXJzYWx0c2FsdHNhbA'];
const hashes = salts.map(
  (salt) => `$argon2id$v=19$m=19456,t=2,p=1$${salt}$Zm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyMTI`,
);

const seldom = <Value>(value: Value) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constant(value) });
const optional = (...values: readonly string[]) => fc.option(fc.constantFrom(...values), { nil: undefined });

/** Each company is in the file or not, and each user in one company of the file or in none. */
const file: fc.Arbitrary<FileRecord[]> = fc
  .record({
    companies: fc.subarray(keys, { minLength: 1 }),
    names: fc.tuple(...keys.map(() => optional('Alfa', 'Beta', ''))),
    numbers: fc.tuple(...keys.map(() => optional('IT1', 'IT2', ''))),
    disabled: fc.tuple(...keys.map(() => seldom('disabled'))),
    homes: fc.tuple(...usernames.map(() => fc.nat(keys.length))),
    phones: fc.tuple(...usernames.map(() => optional('1', '2', ''))),
    states: fc.tuple(...usernames.map(() => seldom('disabled'))),
  })
  .map(({ companies, names, numbers, disabled, homes, phones, states }) =>
    companies.map((ExternalKey) => {
      const at = keys.indexOf(ExternalKey);
      const Users = usernames.flatMap((Username, user) =>
        homes[user] === at ? [{ Username, Phone: phones[user], State: states[user] }] : [],
      );
      const fields = { Denomination: names[at], Vatnumber: numbers[at], State: disabled[at] };
      return { ExternalKey, ...fields, Users } as FileRecord;
    }),
  );

/** Files in the order in which their records are sent. */
export const filePairs = fc.tuple(
  file,
  file.chain((records) => fc.shuffledSubarray(records, { minLength: records.length })),
);

/** The value after the value of a file was sent: an absent one keeps it, an empty text clears it. */
const after = (sent: string | undefined, old: string | null) => (sent === undefined ? old : sent || null);

/** Applies a file to the model. Returns which of its records are applied. */
function synchronise(model: Model, records: readonly FileRecord[], hash: string): boolean[] {
  const before = { principals: new Map(model.principals), users: new Map(model.users) };
  const inFile = new Set(records.flatMap(({ Users }) => Users.map(({ Username }) => Username)));
  return records.map(({ ExternalKey: key, Users, ...sent }) => {
    const old = before.principals.get(key);
    const values = {
      denomination: after(sent.Denomination, old?.denomination ?? null),
      vatnumber: after(sent.Vatnumber, old?.vatnumber ?? null),
      state: sent.State ?? old?.state ?? 'active',
    };
    const addsUsers = Users.some(({ Username }) => before.users.get(Username)?.key !== key);
    if (old?.state === 'disabled' && sent.State === undefined && addsUsers) return false;
    model.principals.set(key, values);
    for (const { Username, Phone, State } of Users) {
      const user = before.users.get(Username);
      model.users.set(Username, {
        key,
        phone: after(Phone, user?.phone ?? null),
        state: State ?? user?.state ?? 'active',
        hash: user?.hash ?? hash,
      });
    }
    for (const [name, user] of before.users)
      if (user.key === key && !inFile.has(name)) model.users.set(name, { ...user, state: 'disabled' });
    return true;
  });
}

/** Disables the companies that the file does not contain. Returns their keys. */
function disableMissing(model: Model, records: readonly FileRecord[]): string[] {
  const missing = [...model.principals].filter(
    ([key, { state }]) => state === 'active' && !records.some(({ ExternalKey }) => ExternalKey === key),
  );
  for (const [key, principal] of missing) model.principals.set(key, { ...principal, state: 'disabled' });
  return missing.map(([key]) => key);
}

async function sendFile(
  service: TestService,
  run: string | null,
  {
    records,
    hash,
    query,
  }: { readonly records: readonly FileRecord[]; readonly hash: string; readonly query: string },
): Promise<boolean[]> {
  const body = records.map(({ Users, ...record }) => ({
    ...record,
    Users: Users.map((user) => ({ ...user, PasswordHash: hash })),
  }));
  const { body: answer, text } = await send(service, run, `upsert${query}`, body);
  expect(answer.result, text).not.toBeNull();
  return (answer.result?.records ?? []).map(({ Item3 }) => Item3);
}

/** Imports the first file, synchronises the second one, and undoes that; compares with the model after each. */
export async function expectUndone(
  service: TestService,
  [first, second]: readonly [readonly FileRecord[], readonly FileRecord[]],
): Promise<void> {
  // Also what an earlier pair has left that failed.
  await service.call(
    'irs/delete',
    keys.map((ExternalKey) => ({ ExternalKey })),
  );
  const model: Model = { principals: new Map(), users: new Map() };
  const [oldHash = '', newHash = ''] = hashes;
  const imported = await sendFile(service, null, { records: first, hash: oldHash, query: '' });
  expect(imported).toEqual(synchronise(model, first, oldHash));
  expect(await modelOf(service)).toEqual(model);
  const before = await stored(service);

  const run = randomUUID();
  const query = '?missing=disable&moves=allow';
  const applied = await sendFile(service, run, { records: second, hash: newHash, query });
  expect(applied).toEqual(synchronise(model, second, newHash));
  const missing = disableMissing(model, second);
  if (missing.length > 0)
    await send(
      service,
      run,
      'state',
      missing.map((ExternalKey) => ({ ExternalKey, State: 'disabled' })),
    );
  expect(await modelOf(service)).toEqual(model);

  if (isDeepStrictEqual(await stored(service), before)) {
    const plan = await adminOf(service)(`POST runs/${run}/undo?dryRun=true`, {});
    expect(plan.body.errorCode, plan.text).toBe('NOTHING_TO_UNDO');
  } else {
    const { Plan, RecordsFailed, tuples } = await planUndo(service, run);
    expect(RecordsFailed).toBe(0);
    expect(tuples.flatMap(keptIn)).toEqual([]);
    const undone = await adminOf(service)(`POST runs/${run}/undo`, { 'if-match': `"${Plan}"` });
    expect(undone.status, undone.text).toBe(200);
  }
  expect(await stored(service)).toEqual(before);
}

function keptIn({ Item6 }: Tuple): unknown[] {
  return [Item6, ...(Item6.Users ?? [])].flatMap(({ Kept = [] }) => Kept);
}

async function modelOf({ database }: TestService): Promise<Model> {
  const principals = await database.query<ModelPrincipal & { key: string }>(
    'select external_key as key, denomination, vatnumber, state from anagrafe.principals',
  );
  const users = await database.query<ModelUser & { username: string }>(
    `select username, external_key as key, users.phone, users.state, password_hash as hash
       from anagrafe.users join anagrafe.principals on principals.id = principal_id`,
  );
  return {
    principals: new Map(principals.map(({ key, ...principal }) => [key, principal])),
    users: new Map(users.map(({ username, ...user }) => [username, user])),
  };
}
