import { adminOf, type Credential, credential, recordOf } from '@anagrafe/testing/admin';
import { allHashed } from '@anagrafe/testing/audit-chain';
import { holding } from '@anagrafe/testing/jobs';
import { login, registerUsers, signedIn } from '@anagrafe/testing/login';
import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import type { auditFields } from '../../src/audit/audit.routes.ts';
import { openAuditStore } from '../../src/audit/audit.store.ts';
import type { ChainEnd } from '../../src/audit/hash-chain.ts';
import { exportedLines, inWords, verifyStoredAuditLog } from '../../src/cli/commands/audit.ts';

type Row = Omit<ReturnType<typeof auditFields>, 'At'> & { readonly At: string };

interface Verdict {
  readonly Sound: boolean;
  readonly Rows: number;
  readonly Position: number | null;
  readonly Error: string | null;
  readonly LastPosition: number | null;
  readonly LastHash: string | null;
}

let service: TestService;
let admin: ReturnType<typeof adminOf>;
let office: Credential;
let principal: number;
let ids: number[];

beforeAll(async () => {
  service = await startTestService();
  admin = adminOf(service);
  await insertPrincipals(service, 2);
  ({ principal, ids } = await registerUsers(service, 'mario', 'anna'));
  await signedIn(service, 'mario');
  await login(service, 'mario', 'a wrong password');
  office = await credential(service);
  const reset = { ...newUser(''), Username: undefined, ID: ids[0] };
  await service.call('irs/update', [{ ID: principal, Users: [reset] }], { headers: office });
  await allHashed(service);
});

const read = async (query = '') => (await admin<Row>(`GET audit${query}`, office)).body.result;
const verify = async () => recordOf<Verdict>(await admin('GET audit/verify', office));
const judge = (expected: ChainEnd | null = null) => verifyStoredAuditLog(service.config, expected);

describe('the audit log', () => {
  it('has a row for every action, in order, with its actor', async () => {
    const page = await read('?pageSize=1000');
    const rows = page?.records ?? [];
    expect(rows.map(({ Position }) => Position)).toEqual(rows.map((_, at) => at + 1));
    expect(page?.record).toEqual({ After: rows.length, More: false });
    expect(page?.count).toBe(rows.length);
    const actions = rows.map(({ Action }) => Action);
    expect(actions).toEqual(
      expect.arrayContaining([
        'insert',
        'update',
        'call.completed',
        'login',
        'login.failed',
        'client.created',
      ]),
    );
    expect(rows.find(({ Action, Registered }) => Action === 'update' && Registered)).toEqual({
      Position: expect.any(Number),
      ID: expect.any(Number),
      At: expect.stringMatching(/^\d{4}-.*Z$/),
      Actor: 'protected',
      ClientID: null,
      ClientName: null,
      UserID: null,
      Address: '127.0.0.1',
      RequestId: expect.any(String),
      CallID: expect.stringMatching(/^[0-9a-f-]{36}$/),
      Action: 'update',
      IRID: principal,
      Registered: ids,
      Reset: null,
      Deleted: null,
      Details: null,
      Changes: [],
      MoreChanges: false,
      Hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(rows.find(({ Reset }) => Reset)).toMatchObject({ Actor: 'client', Reset: [ids[0]] });
    expect(rows.find(({ Action }) => Action === 'client.created')).toMatchObject({ Actor: 'operator' });
  });

  it('can be read from a position on, and a page reports whether more rows follow', async () => {
    const first = await read('?pageSize=3');
    expect(first?.record).toEqual({ After: 3, More: true });
    const next = await read('?after=3&pageSize=2');
    expect(next?.records.map(({ Position }) => Position)).toEqual([4, 5]);
    expect(await read('?after=1000000')).toMatchObject({
      count: 0,
      record: { After: 1_000_000, More: false },
    });
  });

  it('can be filtered by principal', async () => {
    const rows = (await read(`?principal=${principal}`))?.records ?? [];
    expect(new Set(rows.map(({ IRID }) => IRID))).toEqual(new Set([principal]));
    expect(rows.map(({ Action }) => Action)).toEqual(expect.arrayContaining(['insert', 'update', 'login']));
    expect((await read('?principal=999999'))?.records).toEqual([]);
  });

  it('contains no password, hash or secret', async () => {
    const { text } = await admin('GET audit?pageSize=1000', office);
    for (const secret of ['correct horse', 'wrong password', 'ags_', '$argon2', 'digest'])
      expect(text).not.toContain(secret);
  });

  it('passes verification over HTTP and on the command line, which report its last row', async () => {
    const verdict = await verify();
    expect(verdict).toEqual({
      Sound: true,
      Rows: verdict.LastPosition,
      Position: null,
      Error: null,
      LastPosition: expect.any(Number),
      LastHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const judged = await judge();
    expect(judged).toMatchObject({ sound: true, rows: verdict.Rows });
    expect(inWords(judged)).toBe(`Audit log verified: ${verdict.Rows} rows are intact.`);
  });

  it('passes verification while rows are written and hashed', async () => {
    const writes = Promise.all(
      Array.from({ length: 20 }, () => service.call('irs/insert', [{ Name: 'x' }], { headers: office })),
    );
    for (let round = 0; round < 10; round++) expect((await verify()).Sound).toBe(true);
    await writes;
    await allHashed(service);
    expect((await verify()).Sound).toBe(true);
  });

  it('is exported row by row, and rows without a position are last', async () => {
    const { database } = service;
    const lines: Row[] = [];
    await allHashed(service);
    // While the test holds the lock on the end of the hash chain, new rows get no position.
    await holding(service, ['select from anagrafe.audit_chain for update'], async () => {
      await service.call('irs/insert', [{ Name: 'late' }], { headers: office });
      await openAuditStore(database).inSnapshot(async (moment) => {
        for await (const line of exportedLines(moment)) {
          expect(line).toMatch(/^\{.*\}$/);
          lines.push(JSON.parse(line));
        }
      });
    });
    expect(lines.slice(-2).map(({ Position, Action, Hash: hash }) => [Position, Action, hash])).toEqual([
      [null, 'insert', null],
      [null, 'call.completed', null],
    ]);
    const positions = lines.slice(0, -2).map(({ Position }) => Position);
    expect(positions).toEqual(positions.map((_, at) => at + 1));
    const [counted] = await database.query<{ rows: number }>(
      'select count(*) as rows from anagrafe.audit_log',
    );
    expect(lines).toHaveLength(counted?.rows ?? 0);
    expect(lines.slice(0, 10)).toEqual((await read('?pageSize=10'))?.records);
  });
});

describe('verification of the audit log', () => {
  const columns =
    'at, actor, client_id, user_id, address, request_id, call_id, action, principal_id, details';
  let middle: number;
  let last: number;

  beforeAll(async () => {
    await allHashed(service);
    last = (await verify()).LastPosition ?? 0;
    middle = Math.floor(last / 2);
  });

  /** Restores the audit log and the end of its hash chain after `work`. */
  async function restoring(work: () => Promise<void>): Promise<void> {
    const { database } = service;
    await database.query(
      'create table public.kept as select * from anagrafe.audit_log; create table public.kept_chain as select * from anagrafe.audit_chain',
    );
    try {
      await work();
    } finally {
      await database.query(`
        delete from anagrafe.audit_log;
        insert into anagrafe.audit_log select * from public.kept;
        update anagrafe.audit_chain as chain set last_position = kept.last_position, last_hash = kept.last_hash,
               first_position = kept.first_position, first_hash = kept.first_hash from public.kept_chain as kept;
        drop table public.kept, public.kept_chain`);
    }
    expect((await verify()).Sound).toBe(true);
  }

  /** Changes the audit log, asserts the error and position that verification reports, and restores the log. */
  function tampering(statements: readonly string[], error: string, position: number): Promise<void> {
    return restoring(async () => {
      for (const statement of statements) await service.database.query(statement);
      expect(await verify()).toEqual({
        Sound: false,
        Rows: expect.any(Number),
        Position: position,
        Error: error,
        LastPosition: null,
        LastHash: null,
      });
      const judged = await judge();
      expect(judged).toMatchObject({ sound: false, position, error });
      expect(inWords(judged)).toContain(`: row ${position} was ${error}.`);
    });
  }

  it.each([
    `details = '{"forged": true}'`,
    `at = at + interval '1 microsecond'`,
    `actor = 'service'`,
    'client_id = 77',
    `address = '192.0.2.1'`,
    `action = 'logout'`,
    'registered = array[1]',
    `hash = sha256('x')`,
  ])('detects a row that was changed with %s', async (change) => {
    await tampering(
      [`update anagrafe.audit_log set ${change} where position = ${middle}`],
      'changed',
      middle,
    );
  });

  it('detects that the first, a middle or the last row was removed', async () => {
    for (const position of [1, middle, last])
      await tampering([`delete from anagrafe.audit_log where position = ${position}`], 'removed', position);
  });

  it('detects a row that was inserted, even if the later rows and the stored end were moved', async () => {
    const insert = (position: number) =>
      `insert into anagrafe.audit_log (${columns}, position, hash)
       select ${columns}, ${position}, hash from anagrafe.audit_log where position = 1`;
    const moved = [
      `update anagrafe.audit_log set position = -position where position >= ${middle}`,
      'update anagrafe.audit_log set position = 1 - position where position < 0',
      'update anagrafe.audit_chain set last_position = last_position + 1',
    ];
    await tampering([...moved, insert(middle)], 'inserted', middle);
    await tampering([insert(last + 1)], 'inserted', last + 1);
    await tampering([insert(0)], 'inserted', 0);
  });

  it('detects that two rows were swapped', async () => {
    const swap = (from: number, to: number) =>
      `update anagrafe.audit_log set position = ${to} where position = ${from}`;
    await tampering([swap(2, -1), swap(middle, 2), swap(-1, middle)], 'changed', 2);
  });

  it('detects that the last rows were cut off only by comparison with an expected end', async () => {
    const complete = await judge();
    if (!complete.sound) throw new Error('the journal should be sound');
    expect(await judge(complete.last)).toMatchObject({ sound: true });
    await restoring(async () => {
      await service.database.query(`
        delete from anagrafe.audit_log where position > ${middle};
        update anagrafe.audit_chain set last_position = position, last_hash = hash
          from anagrafe.audit_log where position = ${middle}`);
      expect((await verify()).Sound).toBe(true);
      const judged = await judge(complete.last);
      expect(judged).toEqual({ sound: false, rows: middle, position: middle + 1, error: 'cut off' });
      expect(inWords(judged)).toContain(`the rows from ${middle + 1} on are missing`);
    });
  });
});
