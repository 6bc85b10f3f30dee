import { randomUUID } from 'node:crypto';
import { adminOf, type Credential, credential, recordOf } from '@anagrafe/testing/admin';
import { finished, holding, importedUser, jobOf } from '@anagrafe/testing/jobs';
import { range, unique } from '@anagrafe/testing/records';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Tuple } from '../../src/records/read/tuple.ts';

let service: TestService;
let office: Credential;
let erp: Credential;

beforeAll(async () => {
  service = await startTestService();
  office = await credential(service);
  erp = await credential(service, { name: 'erp', scopes: ['sync:write'] });
});

const admin = <Item = Record<string, unknown>>(call: string, headers = {}) =>
  adminOf(service)<Item>(call, { ...office, ...headers });

const undo = (run: string, headers = {}) =>
  admin<Tuple>(`POST runs/${run}/undo`, { prefer: 'return=representation', ...headers });

/** Sends principals as a part of a run. */
async function insert(run: string, client: Credential, { count = 1, headers = {}, query = '' } = {}) {
  const records = range(count).map(() => ({
    ExternalKey: unique('run'),
    Denomination: 'Run',
    Users: [importedUser(unique('run'))],
  }));
  return service.call(`irs/insert${query}`, records, {
    headers: { ...client, 'anagrafe-run': run, ...headers },
  });
}

const idsOf = ({ body }: { body: { result: { records: readonly Tuple[] } | null } }) =>
  (body.result?.records ?? []).map(({ Item1 }) => Item1 ?? 0);

const stored = async (ids: readonly number[]) =>
  (
    await service.database.query<{ id: number }>(
      'select id from anagrafe.principals where id = any($1) order by id',
      [ids],
    )
  ).map(({ id }) => id);

const runExists = async (run: string) => (await admin(`GET runs/${run}`)).status === 200;

describe('a run', () => {
  it.each([
    ['with an idempotency key', () => ({ 'idempotency-key': randomUUID() })],
    ['without an idempotency key', () => ({})],
    ['as a job', () => ({ prefer: 'respond-async' })],
  ])('belongs to the client of the first call, %s', async (_, headers) => {
    const run = randomUUID();
    const first = await insert(run, office, { headers: headers() });
    expect(first.status, first.text).toBeLessThan(300);
    const other = await insert(run, erp, { headers: headers() });
    expect([other.status, other.body.errorCode]).toEqual([403, 'FORBIDDEN']);
    expect(other.body.message).toContain('belongs to another client');
    expect(recordOf(await admin(`GET runs/${run}`))).toMatchObject({ Calls: 1 });
  });

  it('belongs to one client when two clients begin it at the same time', async () => {
    for (const keyed of [true, false]) {
      const run = randomUUID();
      const send = (client: Credential) =>
        insert(run, client, { headers: keyed ? { 'idempotency-key': randomUUID() } : {} });
      const answers = await Promise.all([office, erp, office, erp].map(send));
      const applied = answers.map(({ status }) => status === 200);
      expect(applied).toEqual(applied[0] ? [true, false, true, false] : [false, true, false, true]);
      const owners = await service.database.query(
        'select distinct client_id from anagrafe.calls where run_id = $1',
        [run],
      );
      expect(owners).toHaveLength(1);
    }
  });

  it('does not exist after a call that was rejected as a whole', async () => {
    for (const headers of [{ 'idempotency-key': randomUUID() }, {}]) {
      const run = randomUUID();
      const upsert = {
        headers: { ...erp, 'anagrafe-run': run, 'if-match': `"${'A'.repeat(43)}"`, ...headers },
      };
      const rejected = await service.call('irs/upsert', [{ ExternalKey: 'r', Name: 'x', Users: [] }], upsert);
      expect([rejected.status, rejected.body.errorCode]).toEqual([412, 'PLAN_OUTDATED']);
      expect(await runExists(run)).toBe(false);
      expect((await insert(run, office)).status).toBe(200);
      expect(await runExists(run)).toBe(true);
    }
  });

  it('does not exist after a dry run, and not after a call with the key of another call', async () => {
    const [run, other] = [randomUUID(), randomUUID()];
    await insert(run, office, { query: '?dryRun=true' });
    expect(await runExists(run)).toBe(false);
    const headers = { 'idempotency-key': randomUUID() };
    await insert(run, office, { headers });
    const reused = await insert(other, office, { headers });
    expect(reused.body.errorCode).toBe('IDEMPOTENCY_KEY_REUSED');
    expect(await runExists(other)).toBe(false);
  });

  it('counts all of its calls, however many there are, and finds the undo after them', async () => {
    const run = randomUUID();
    await insert(run, office);
    await service.database.query(
      `insert into anagrafe.calls (id, operation, state, submitted_at, ended_at, records, users, run_id)
       select gen_random_uuid(), 'insert', 'completed', now() - interval '1 hour', now(), 9, 0, $1
         from generate_series(1, 10001)`,
      [run],
    );
    expect(recordOf(await admin(`GET runs/${run}`))).toMatchObject({ Calls: 10_002, Records: 90_010 });
    expect((await undo(run)).status).toBe(200);
    expect(recordOf(await admin(`GET runs/${run}`))).toMatchObject({
      ClientName: 'office',
      UndoneAt: expect.any(String),
      UndoneBy: 'office',
    });
  });
});

describe('the undo of a run', () => {
  it('continues with its own records when it is resumed, also if a principal was changed in between', async () => {
    const run = randomUUID();
    const [first = 0, second = 0, third = 0] = idsOf(await insert(run, office, { count: 3 }));
    await service.database.query(`
      create function anagrafe.refuse_deletion() returns trigger language plpgsql as $$
      begin raise exception 'test' using errcode = 'serialization_failure'; end $$`);
    await service.database.query(
      `create trigger refuse_deletion before delete on anagrafe.principals
         for each row when (old.id > ${first}) execute function anagrafe.refuse_deletion()`,
    );
    const headers = { 'idempotency-key': randomUUID() };
    const begun = await undo(run, headers);
    expect(begun.body.result?.records.map(({ Item1, Item3 }) => [Item1, Item3])).toEqual([
      [first, true],
      [second, false],
      [third, false],
    ]);
    await service.database.query('drop trigger refuse_deletion on anagrafe.principals');
    await service.call('irs/update', [{ ID: second, Denomination: 'Changed' }], { headers: office });
    const resumed = await undo(run, headers);
    expect(resumed.body.result?.records.map(({ Item1, Item3, Item6 }) => [Item1, Item3, Item6.Kept])).toEqual(
      [
        [first, true, undefined],
        [second, true, [{ Field: null, Reason: 'changed' }]],
        [third, true, undefined],
      ],
    );
    expect(await stored([first, second, third])).toEqual([second]);
  });

  it('answers a retry as before after UndoableUntil, and for a run ID in upper case', async () => {
    const run = randomUUID();
    await insert(run, office);
    const headers = { 'idempotency-key': randomUUID() };
    const first = await undo(run, headers);
    expect(first.status, first.text).toBe(200);
    const old = `update anagrafe.runs set started_at = now() - interval '31 days' where id = $1`;
    await service.database.query(old, [run]);
    for (const id of [run, run.toUpperCase()]) {
      const again = await undo(id, headers);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect([again.status, again.body.result]).toEqual([200, first.body.result]);
    }
    expect((await undo(run)).body.errorCode).toBe('RUN_TOO_OLD');
  });

  it('is refused while another undo of the run is being applied, as are further calls of the run', async () => {
    const run = randomUUID();
    const ids = idsOf(await insert(run, office, { count: 2 }));
    await holding(
      service,
      ['select from anagrafe.principals where id = any($1) for update', ids],
      async ({ blocked }) => {
        const begun = undo(run, { prefer: 'return=representation' });
        await blocked(1);
        const refused = [
          await undo(run),
          await undo(run, { prefer: 'respond-async' }),
          await insert(run, office),
        ];
        for (const { status, body } of refused)
          expect([status, body.errorCode, body.message]).toEqual([
            409,
            'RUN_NOT_ENDED',
            expect.stringContaining('being undone'),
          ]);
        return { begun };
      },
    ).then(async ({ begun }) => expect((await begun).status).toBe(200));
    expect(await stored(ids)).toEqual([]);
    expect((await insert(run, office)).status).toBe(200);
  });

  it('is applied once when it is sent several times at the same time', async () => {
    const run = randomUUID();
    const ids = idsOf(await insert(run, office, { count: 3 }));
    const answers = await Promise.all(range(4).map(() => undo(run)));
    const applied = answers.filter(({ status }) => status === 200);
    expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    expect(applied.length).toBeGreaterThan(0);
    const deleted = applied.flatMap(({ body }) => body.result?.records ?? []).filter(({ Item3 }) => Item3);
    expect(deleted).toHaveLength(3);
    expect(await stored(ids)).toEqual([]);
  });

  it('as a job is refused while another job undoes the run', async () => {
    const run = randomUUID();
    const ids = idsOf(await insert(run, office, { count: 2 }));
    const job = await holding(
      service,
      ['select from anagrafe.principals where id = any($1) for update', ids],
      async () => {
        const submitted = await admin(`POST runs/${run}/undo`, { prefer: 'respond-async' });
        expect((await undo(run)).status).toBe(409);
        return jobOf(submitted).ID;
      },
    );
    await finished(service, job, office);
    expect(await stored(ids)).toEqual([]);
  });

  it('is refused if the run has changed more principals than a job may have, whatever it has left unchanged', async () => {
    const run = randomUUID();
    const [id = 0] = idsOf(await insert(run, office));
    await service.database.query(
      `insert into anagrafe.outcomes (call_id, position, principal_id, users, applied, principal_change)
       select id, number, 1e9 + number, 1, jsonb_build_array(jsonb_build_array(1e9 + number, 'none')), 'unchanged'
         from anagrafe.calls, generate_series(1, 100000) as number where run_id = $1`,
      [run],
    );
    const plan = await admin(`POST runs/${run}/undo?dryRun=true`);
    expect(recordOf(plan)).toMatchObject({ PrincipalsDeleted: 1, UsersDeleted: 1 });
    await service.database.query(
      `update anagrafe.outcomes set principal_change = 'updated'
         from anagrafe.calls where run_id = $1 and call_id = id and position > 0`,
      [run],
    );
    const refused = await undo(run);
    expect([refused.status, refused.body.errorCode]).toEqual([413, 'BATCH_TOO_LARGE']);
    expect(refused.body.message).toContain('cannot be undone');
    expect(await stored([id])).toEqual([id]);
  });

  it('may delete at most the allowed share of a large principal, although its records have a part of it each', async () => {
    const records = [{ ExternalKey: unique('large') }];
    const [id = 0] = idsOf(await service.call('irs/insert', records, { headers: office }));
    const users = async (count: number, headers: Credential) => {
      const Users = range(count).map(() => importedUser(unique('large')));
      const { status } = await service.call('irs/update', [{ ID: id, Users }], { headers });
      expect(status).toBe(200);
    };
    for (const count of [900, 900]) await users(count, office);
    const run = randomUUID();
    await users(350, { ...office, 'anagrafe-run': run });
    const refused = await undo(run);
    expect([refused.status, refused.body.errorCode]).toEqual([422, 'TOO_MANY_REMOVALS']);
    expect(refused.body.message).toContain('350 of 2150');
  });
});
