import { randomUUID } from 'node:crypto';
import { atEnd } from '@anagrafe/testing/endings';
import { importedHash, importedUser, jobOf, readJob } from '@anagrafe/testing/jobs';
import { asUser, rightPassword, signedIn } from '@anagrafe/testing/login';
import { type Answer, insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { newStore } from '@anagrafe/testing/store';
import { until } from '@anagrafe/testing/until';
import { expect } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { required } from '../../src/lib/required.ts';
import { type Hit, type Hurt, type HurtingProxy, startHurtingProxy } from './hurting-proxy.ts';

export interface HurtService {
  readonly service: TestService;
  readonly proxy: HurtingProxy;
  /** Reads the stored rows without the proxy. */
  rows(sql: string, values: readonly unknown[]): Promise<readonly object[]>;
  readonly transaction: Database['transaction'];
}

/** Starts a service that reaches PostgreSQL through a proxy that hurts answers. */
export async function startHurtService({ tls }: { tls: boolean }): Promise<HurtService> {
  const { settings, discard } = await newStore();
  atEnd(discard);
  const direct = settings.ANAGRAFE_DATABASE_URL ?? '';
  const proxy = await startHurtingProxy(direct, { tls });
  const service = await startTestService({ ...settings, ANAGRAFE_DATABASE_URL: proxy.url });
  const connection = { connectionString: direct };
  const database = openDatabase({ connection, poolSize: 1, onLostConnection: () => {} });
  atEnd(() => database.close());
  return {
    service,
    proxy,
    rows: (sql, values) => database.query(sql, values),
    transaction: database.transaction,
  };
}

type Select = readonly [sql: string, ...values: unknown[]];

interface TestedRecord {
  readonly record: object;
  /** The rows that exist if the record was applied, of which there must be one. Null for a record that is refused. */
  readonly applied: Select | null;
}

/** A call, and how to find out what it has changed. */
interface Prepared {
  readonly path: string;
  readonly records: readonly TestedRecord[];
  readonly headers?: Record<string, string>;
  /** True if the call cannot have a key. */
  readonly keyless?: boolean;
}

const auditRows = 'select id from anagrafe.audit_log where principal_id = $1 and action = $2';

async function register({ service }: HurtService): Promise<Prepared> {
  const [ID = 0] = await insertPrincipals(service, 1);
  const record = { ID, Users: [importedUser(randomUUID())] };
  return { path: 'irs/update', records: [{ record, applied: [auditRows, ID, 'update'] }] };
}

/** Prepares an update of one user of an own principal. */
async function update(tested: HurtService, fields: object): Promise<Prepared> {
  const { ID, users } = await principalWithUsers(tested, 2);
  const record = { ID, Users: [{ ID: users[0], ...fields }] };
  return { path: 'irs/update', records: [{ record, applied: [auditRows, ID, 'update'] }] };
}

const reset = (tested: HurtService) => update(tested, { Operation: 'reset', PasswordHash: importedHash });
const edit = (tested: HurtService) => update(tested, { Operation: 'edit', Email: 'new@example.com' });

/** Prepares a call of each write operation, on principals of its own. */
const operations: Record<string, (tested: HurtService) => Promise<Prepared>> = {
  register,
  reset,
  edit,
  'rename a user': (tested) => update(tested, { Operation: 'edit', NewUsername: randomUUID() }),
  'delete a user by update': (tested) => update(tested, { Operation: 'delete' }),
  async 'rename a principal'({ service }) {
    const [ID = 0] = await insertPrincipals(service, 1);
    const record = { ID, NewExternalKey: randomUUID() };
    return { path: 'irs/update', records: [{ record, applied: [auditRows, ID, 'update'] }] };
  },
  async insert() {
    const name = randomUUID();
    const record = { Denomination: name, Users: [importedUser(name)] };
    return { path: 'irs/insert', records: [{ record, applied: [auditedWith('denomination'), name] }] };
  },
  async upsert() {
    const key = randomUUID();
    const record = { ExternalKey: key, Denomination: 'Neri Srl', Users: [importedUser(key)] };
    return { path: 'irs/upsert', records: [{ record, applied: [auditedWith('external_key'), key] }] };
  },
  'upsert with missing=disable': (tested) => upsertWithout(tested, 'disable'),
  'upsert with missing=delete': (tested) => upsertWithout(tested, 'delete'),
  async 'disable a principal'({ service }) {
    const [ID = 0] = await insertPrincipals(service, 1);
    const record = { ID, State: 'disabled' };
    return { path: 'irs/state', records: [{ record, applied: [auditRows, ID, 'state'] }] };
  },
  async 'disable a user'(tested) {
    const { ID, users } = await principalWithUsers(tested, 1);
    const record = { ID, Users: [{ ID: users[0], State: 'disabled' }] };
    return { path: 'irs/state', records: [{ record, applied: [auditRows, ID, 'state'] }] };
  },
  async 'delete a principal'(tested) {
    const { ID } = await principalWithUsers(tested, 1);
    return { path: 'irs/delete', records: [{ record: { ID }, applied: [auditRows, ID, 'delete'] }] };
  },
  async 'delete a user'(tested) {
    const { ID, users } = await principalWithUsers(tested, 2);
    const record = { ID, Users: [{ ID: users[0] }] };
    const sql = 'select id from anagrafe.audit_log where principal_id = $1 and deleted is not null';
    return { path: 'irs/delete', records: [{ record, applied: [sql, ID] }] };
  },
  async 'several records'(tested) {
    return { path: 'irs/update', records: await recordsOf([register, register, register], tested) };
  },
  async 'mixed records'(tested) {
    const unknown = { record: { ID: 2 ** 40, Denomination: 'Unknown' }, applied: null };
    return { path: 'irs/update', records: [unknown, ...(await recordsOf([register, reset, edit], tested))] };
  },
  async 'own password'(tested) {
    const { ID, ExternalKey, users } = await principalWithUsers(tested, 1);
    const login = await signedIn(tested.service, ExternalKey);
    const [stored] = await tested.rows(
      'select password_hash as hash from anagrafe.users where id = $1',
      users,
    );
    const Password = 'a new long sentence';
    const user = { ID: users[0], Password, ConfirmPassword: Password, CurrentPassword: rightPassword };
    const sql = 'select id from anagrafe.users where id = $1 and password_hash <> $2';
    const applied: Select = [sql, users[0], (stored as { hash: string }).hash];
    const records = [{ record: { ID, Users: [user] }, applied }];
    return { path: 'irs/update', records, headers: asUser(login).headers, keyless: true };
  },
  async job(tested) {
    const records = await recordsOf([register, edit], tested);
    return { path: 'irs/update', records, headers: { prefer: 'respond-async' } };
  },
};

export const operationNames = Object.keys(operations);

const auditedWith = (column: string) =>
  `select principals.id from anagrafe.principals join anagrafe.audit_log on principal_id = principals.id
    where ${column} = $1`;

async function recordsOf(
  calls: readonly ((tested: HurtService) => Promise<Prepared>)[],
  tested: HurtService,
): Promise<TestedRecord[]> {
  const prepared = await Promise.all(calls.map((prepare) => prepare(tested)));
  return prepared.flatMap(({ records }) => records);
}

/** Inserts a principal whose external key is the username of its first user. */
async function principalWithUsers({ service, rows }: HurtService, count: number) {
  const ExternalKey = randomUUID();
  const Users = Array.from({ length: count }, (_, n) =>
    importedUser(n === 0 ? ExternalKey : `${ExternalKey} ${n}`),
  );
  const { body } = await service.call('irs/insert', [{ ExternalKey, Denomination: 'Neri Srl', Users }]);
  const ID = body.result?.records[0]?.Item1 ?? 0;
  const found = await rows('select id from anagrafe.users where principal_id = $1 order by id', [ID]);
  return { ID, ExternalKey, users: found.map((row) => (row as { id: number }).id) };
}

/** Prepares an upsert of a principal without its second user. */
async function upsertWithout(tested: HurtService, missing: 'disable' | 'delete'): Promise<Prepared> {
  const { ID, ExternalKey } = await principalWithUsers(tested, 2);
  const record = { ExternalKey, Users: [{ Username: ExternalKey }] };
  const left = missing === 'delete' ? 'true' : `state = 'active'`;
  const sql = `select id from anagrafe.audit_log where principal_id = $1 and action <> 'insert'
    and 1 = (select count(*) from anagrafe.users where principal_id = $1 and ${left})`;
  return { path: `irs/upsert?missing=${missing}`, records: [{ record, applied: [sql, ID] }] };
}

interface TestedCall {
  readonly operation: string;
  readonly keyed: boolean;
}

async function prepare(tested: HurtService, { operation }: TestedCall): Promise<Prepared> {
  return required(await operations[operation]?.(tested));
}

function keyFor({ keyed }: TestedCall): Record<string, string> {
  return keyed ? { 'idempotency-key': randomUUID() } : {};
}

/** Returns the number of statements of a call, with its begin and its commit; 0 if the call cannot have a key. */
export async function countStatements(tested: HurtService, call: TestedCall): Promise<number> {
  const prepared = await prepare(tested, call);
  if (call.keyed && prepared.keyless) return 0;
  tested.proxy.count();
  const answer = await send(tested, prepared, keyFor(call));
  await jobsEnded(tested);
  expect(isAnswered(answer), answer.text).toBe(true);
  return tested.proxy.counted();
}

/** Returns the numbers of rows that may be stored for a record with the code; null is that of an applied record. */
function possibleRows(code: string | null, hit: Hit | null): readonly number[] {
  if (code === null) return [1];
  if (code === 'NOT_APPLIED' || code === 'UNAVAILABLE') return [0];
  // Before the transaction has sent a write, the answer must be definite.
  return code === 'OUTCOME_UNKNOWN' && hit?.mayBeStored ? [0, 1] : [];
}

/**
 * Sends a call of which the answer to one statement is damaged, and compares what the service says with what is stored.
 * A call with a key is then sent again, which must apply its records exactly once. Returns the answer.
 */
export async function expectTruth(tested: HurtService, call: TestedCall, hurt: Hurt): Promise<Answer> {
  const prepared = await prepare(tested, call);
  const key = keyFor(call);
  tested.proxy.arm(hurt);
  const answer = await send(tested, prepared, key);
  await jobsEnded(tested);
  const hit = tested.proxy.hit();
  // The call may have needed fewer statements than the one that was counted.
  tested.proxy.count();
  const about = JSON.stringify({ ...call, ...hurt, hit });
  const stored = await storedRows(tested, prepared);
  const codes = await codesOf(tested, answer, prepared);
  for (const [at, { applied }] of prepared.records.entries()) {
    const code = codes[at] ?? null;
    const possible = applied === null && code === 'PRINCIPAL_NOT_FOUND' ? [0] : possibleRows(code, hit);
    expect(possible, `${about}: ${answer.text}, and ${stored} stored`).toContain(stored[at]);
  }
  if (call.keyed) {
    let again = answer;
    await until(
      async () => {
        again = await send(tested, prepared, key);
        return isAnswered(again);
      },
      () => `an answer to ${about}: ${again.text}`,
    );
    await jobsEnded(tested);
    const once = prepared.records.map(({ applied }) => (applied ? 1 : 0));
    expect(await storedRows(tested, prepared), about).toEqual(once);
  }
  return answer;
}

/** Returns true if no record needs to be sent again. */
function isAnswered({ status, text }: Answer): boolean {
  return [200, 202, 207].includes(status) && !/NOT_APPLIED|OUTCOME_UNKNOWN/.test(text);
}

function storedRows({ rows }: HurtService, { records }: Prepared): Promise<number[]> {
  return Promise.all(
    records.map(async ({ applied }) => (applied ? (await rows(applied[0], applied.slice(1))).length : 0)),
  );
}

/** Returns the code of each record, from its tuple if there is one; null for an applied record. */
async function codesOf(
  { service }: HurtService,
  answer: Answer,
  { records }: Prepared,
): Promise<(string | null)[]> {
  const { body } = answer.status === 202 ? await readJob(service, jobOf(answer).ID) : answer;
  const tuples = body.result?.records ?? [];
  return records.map((_, at) => (tuples[at] ? tuples[at].Item2 : (body.errorCode ?? 'no tuple')));
}

/** Waits until no job is open. It does not ask the service, whose statements would be hurt instead of those of the job. */
function jobsEnded({ rows }: HurtService): Promise<void> {
  const open = 'select id from anagrafe.calls where is_job and ended_at is null';
  return until(
    async () => (await rows(open, [])).length === 0,
    () => 'the end of the jobs',
  );
}

function send(
  { service }: HurtService,
  { path, records, headers }: Prepared,
  key: Record<string, string>,
): Promise<Answer> {
  const body = records.map(({ record }) => record);
  return service.call(path, body, { headers: { ...headers, ...key } });
}
