import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { atEnd } from '../setup/endings.ts';
import { importedHash, importedUser } from '../setup/jobs.ts';
import { type Answer, insertPrincipals, startTestService, type TestService } from '../setup/service.ts';
import { newStore } from '../setup/store.ts';
import { until } from '../setup/until.ts';
import { type Hurt, type HurtingProxy, startHurtingProxy } from './hurting-proxy.ts';

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

/** A call with one valid record, and the rows that exist if it was applied, of which there must be one. */
interface Prepared {
  readonly path: string;
  readonly records: readonly object[];
  readonly applied: readonly [sql: string, ...values: unknown[]];
}

const auditRows = `select id from anagrafe.audit_log where principal_id = $1 and action = $2`;

/** Prepares a call of each write operation, on a principal of its own. */
export const operations: Record<string, (tested: HurtService) => Promise<Prepared>> = {
  async register({ service }) {
    const [ID = 0] = await insertPrincipals(service, 1);
    const records = [{ ID, Users: [importedUser(randomUUID())] }];
    return { path: 'irs/update', records, applied: [auditRows, ID, 'update'] };
  },
  async reset(tested) {
    const { ID, user } = await principalWithUser(tested);
    const records = [{ ID, Users: [{ ID: user, Operation: 'reset', PasswordHash: importedHash }] }];
    return { path: 'irs/update', records, applied: [auditRows, ID, 'update'] };
  },
  async edit(tested) {
    const { ID, user } = await principalWithUser(tested);
    const records = [{ ID, Users: [{ ID: user, Operation: 'edit', Email: 'new@example.com' }] }];
    return { path: 'irs/update', records, applied: [auditRows, ID, 'update'] };
  },
  async insert() {
    const name = randomUUID();
    const records = [{ Denomination: name, Users: [importedUser(name)] }];
    const sql = `select principals.id from anagrafe.principals join anagrafe.audit_log on principal_id = principals.id
                  where denomination = $1`;
    return { path: 'irs/insert', records, applied: [sql, name] };
  },
  async upsert() {
    const key = randomUUID();
    const records = [{ ExternalKey: key, Denomination: 'Neri Srl', Users: [importedUser(key)] }];
    const sql = `select principals.id from anagrafe.principals join anagrafe.audit_log on principal_id = principals.id
                  where external_key = $1`;
    return { path: 'irs/upsert', records, applied: [sql, key] };
  },
  async disable({ service }) {
    const [ID = 0] = await insertPrincipals(service, 1);
    return { path: 'irs/state', records: [{ ID, State: 'disabled' }], applied: [auditRows, ID, 'state'] };
  },
  async delete(tested) {
    const { ID } = await principalWithUser(tested);
    return { path: 'irs/delete', records: [{ ID }], applied: [auditRows, ID, 'delete'] };
  },
};

async function principalWithUser({ service, rows }: HurtService): Promise<{ ID: number; user: number }> {
  const records = [{ Denomination: 'Neri Srl', Users: [importedUser(randomUUID())] }];
  const { body } = await service.call('irs/insert', records);
  const ID = body.result?.records[0]?.Item1 ?? 0;
  const [user] = await rows('select id from anagrafe.users where principal_id = $1', [ID]);
  return { ID, user: (user as { id: number }).id };
}

/** Returns the number of statements that a call of the operation sends. */
export async function countStatements(
  tested: HurtService,
  operation: string,
  keyed: boolean,
): Promise<number> {
  const prepared = await operations[operation]?.(tested);
  tested.proxy.count();
  const answer = await send(tested, prepared as Prepared, keyed ? randomUUID() : null);
  expect(answer.status).toBe(200);
  return tested.proxy.counted();
}

/**
 * Sends a call of which the answer to one statement is damaged, and compares what the service says with what is stored.
 * A call with a key is then sent again, which must apply its record exactly once. Returns the answer.
 */
export async function expectTruth(
  tested: HurtService,
  operation: string,
  hurt: Hurt,
  keyed: boolean,
): Promise<Answer> {
  const prepared = (await operations[operation]?.(tested)) as Prepared;
  const count = async () => (await tested.rows(prepared.applied[0], prepared.applied.slice(1))).length;
  const key = keyed ? randomUUID() : null;
  tested.proxy.arm(hurt);
  const answer = await send(tested, prepared, key);
  // The call may have needed fewer statements than the one that was counted.
  tested.proxy.count();
  const stored = await count();
  const code = answer.body.result?.records[0]?.Item2 ?? answer.body.errorCode;
  const truths = { applied: [1], NOT_APPLIED: [0], UNAVAILABLE: [0], OUTCOME_UNKNOWN: [0, 1] };
  const possible = truths[(code ?? 'applied') as keyof typeof truths] ?? [];
  const message = `${operation} ${JSON.stringify({ keyed, ...hurt })}: ${answer.text}, and ${stored} stored`;
  expect(possible, message).toContain(stored);
  if (key !== null) {
    let again = answer;
    await until(
      async () => {
        if (again.status !== 200) again = await send(tested, prepared, key);
        return again.status === 200;
      },
      () => `an answer to ${operation} ${JSON.stringify(hurt)}: ${again.text}`,
    );
    expect({ operation, hurt, stored: await count() }).toEqual({ operation, hurt, stored: 1 });
  }
  return answer;
}

function send({ service }: HurtService, { path, records }: Prepared, key: string | null): Promise<Answer> {
  return service.call(path, records, key === null ? {} : { headers: { 'idempotency-key': key } });
}
