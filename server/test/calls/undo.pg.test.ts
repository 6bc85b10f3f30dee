import { randomUUID } from 'node:crypto';
import { adminOf, recordOf } from '@anagrafe/testing/admin';
import { allHashed } from '@anagrafe/testing/audit-chain';
import { finished, importedUser, jobOf, submit } from '@anagrafe/testing/jobs';
import { signedIn } from '@anagrafe/testing/login';
import { insertPrincipal, range } from '@anagrafe/testing/records';
import { newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifyStoredAuditLog } from '../../src/cli/commands/audit.ts';
import { planUndo, send, sendApplied, stored, undo } from './undo.ts';

let service: TestService;
const run = (): string => randomUUID();
const admin = (call: string, headers = {}) => adminOf(service)(call, headers);

beforeAll(async () => {
  service = await startTestService();
});

const applied = (id: string | null, operation: string, record: object) =>
  sendApplied(service, id, operation, record);

describe('a run', () => {
  it('is one entry with its calls and jobs', async () => {
    const id = run();
    const first = await applied(id, 'insert', { Denomination: 'One', Users: [importedUser('run.one')] });
    await send(service, id.toUpperCase(), 'update', [
      { ID: first.id },
      { ID: first.id, Denomination: 'Two' },
    ]);
    const job = await submit(service, 'irs/insert', [{ Denomination: 'Job' }], { 'anagrafe-run': id });
    await finished(service, job);
    const keyed = { headers: { 'anagrafe-run': id, 'idempotency-key': 'run' } };
    await service.call('irs/state', [{ ID: first.id, State: 'disabled' }], keyed);
    await service.call('irs/insert?dryRun=true', [{ Name: 'Dry' }], { headers: { 'anagrafe-run': id } });
    const { body } = await admin(`GET runs/${id}`);
    const counts = { Calls: 4, Records: 5, RecordsFailed: 1, Users: 1, UndoneAt: null };
    expect(body.result?.record).toMatchObject({
      ID: id,
      ClientID: null,
      EndedAt: expect.any(String),
      ...counts,
    });
    expect(body.result?.records.map(({ Operation, RecordsFailed }) => [Operation, RecordsFailed])).toEqual([
      ['insert', 0],
      ['update', 1],
      ['insert', 0],
      ['state', 0],
    ]);
    expect(body.result?.records[2]).toMatchObject({ CallID: job, JobID: job });
    expect((await admin('GET runs')).body.result?.records[0]).toEqual(body.result?.record);
    expect((await admin(`GET runs/${run()}`)).status).toBe(404);
    const wrong = await send(service, 'no UUID', 'insert', [{ Name: 'x' }]);
    expect([wrong.status, wrong.body.errorCode]).toEqual([400, 'INVALID_PARAMETER']);
  });
});

describe('the undo of a run', () => {
  it('shows its plan, and is applied only while the plan holds', async () => {
    const { id, userIds } = await insertPrincipal(service, {
      Denomination: 'Before',
      Users: [importedUser('plan.one', { Phone: '1' })],
    });
    const before = await stored(service);
    const own = run();
    const edit = {
      ID: userIds[0],
      Operation: 'edit',
      NewUsername: 'plan.renamed',
      Phone: '2',
      State: 'disabled',
    };
    const registered = importedUser('plan.two');
    await applied(own, 'update', { ID: id, Denomination: 'After', Users: [edit, registered] });
    const created = await applied(own, 'insert', {
      Denomination: 'Created',
      Users: [importedUser('plan.new')],
    });
    const { tuples, Plan, ...counts } = await planUndo(service, own);
    expect(counts).toMatchObject({
      PrincipalsUpdated: 1,
      PrincipalsDeleted: 1,
      UsersUpdated: 1,
      UsersDeleted: 2,
    });
    expect(tuples).toEqual([
      expect.objectContaining({
        Item1: id,
        Item6: {
          Principal: 'updated',
          Changes: [{ Field: 'Denomination', From: 'After', To: 'Before' }],
          Users: [
            expect.objectContaining({
              ID: userIds[0],
              Operation: 'edit',
              Changes: [
                { Field: 'Username', From: 'plan.renamed', To: 'plan.one' },
                { Field: 'Phone', From: '2', To: '1' },
                { Field: 'State', From: 'disabled', To: 'active' },
              ],
            }),
            expect.objectContaining({ Username: 'plan.two', Operation: 'delete' }),
          ],
        },
      }),
      expect.objectContaining({
        Item1: created.id,
        Item6: expect.objectContaining({ Principal: 'deleted' }),
      }),
    ]);
    const edited = { ID: id, Users: [{ ID: userIds[0], Operation: 'edit', Phone: '3' }] };
    await applied(null, 'update', edited);
    const late = await admin(`POST runs/${own}/undo`, { 'if-match': `"${Plan}"` });
    expect([late.status, late.body.errorCode]).toEqual([412, 'PLAN_OUTDATED']);
    await applied(null, 'update', { ID: id, Users: [{ ID: userIds[0], Operation: 'edit', Phone: '2' }] });
    await undo(service, own);
    expect(await stored(service)).toEqual(before);
    const { UndoneAt, Calls } = recordOf<{ UndoneAt: string; Calls: number }>(await admin(`GET runs/${own}`));
    expect([UndoneAt, Calls]).toEqual([expect.any(String), 2]);
    await allHashed(service);
    expect(await verifyStoredAuditLog(service.config, null)).toMatchObject({ sound: true });
  });

  it.each(['respond-async', 'return=minimal'])(
    'counts the users that are deleted with their principal (%s)',
    async (prefer) => {
      const own = run();
      const names = range(5).map((n) => `counted.${prefer}.${n}`);
      await applied(own, 'insert', {
        Denomination: 'Counted',
        Users: names.map((name) => importedUser(name)),
      });
      const undone = await admin(`POST runs/${own}/undo`, { prefer });
      expect([200, 202], undone.text).toContain(undone.status);
      if (prefer === 'respond-async') {
        const ended = jobOf(await finished(service, jobOf(undone).ID));
        expect(ended).toMatchObject({ Records: 1, Users: 5, UsersDone: 5 });
        return;
      }
      const [call] = (await admin('GET calls?pageSize=1')).body.result?.records ?? [];
      expect(call).toMatchObject({ Operation: 'undo', Records: 1, Users: 5 });
    },
  );

  it('leaves alone and lists what was changed or used since, and what cannot be undone', async () => {
    const users = ['keeps.edited', 'keeps.reset', 'keeps.deleted', 'keeps.expired'].map((name) =>
      importedUser(name, { Phone: 'old', FirstName: 'Old' }),
    );
    const { id, userIds } = await insertPrincipal(service, { Denomination: 'Old', Users: users });
    const [edited = 0, reset = 0, deleted = 0, expired = 0] = userIds;
    const own = run();
    await applied(own, 'update', {
      ID: id,
      Denomination: 'New',
      Users: [
        { ID: edited, Operation: 'edit', Phone: 'new', FirstName: 'New' },
        { ID: expired, Operation: 'edit', Phone: 'new' },
        { ...newUser(''), Username: undefined, ID: reset, Operation: 'reset', Email: undefined },
        { ID: deleted, Operation: 'delete' },
        newUser('keeps.signed.in'),
        importedUser('keeps.changed'),
        importedUser('keeps.untouched'),
      ],
    });
    const used = await applied(own, 'insert', { Denomination: 'Used', Users: [importedUser('keeps.used')] });
    await signedIn(service, 'keeps.signed.in');
    await applied(null, 'update', {
      ID: id,
      Denomination: 'Newest',
      Users: [
        { ID: edited, Operation: 'edit', Phone: 'newest' },
        { Username: 'keeps.changed', Operation: 'edit', Phone: '9' },
      ],
    });
    await applied(null, 'update', { ID: used.id, Denomination: 'Used by another' });
    await service.database.query('delete from anagrafe.changed_values where user_id = $1', [expired]);
    await allHashed(service);
    const { tuples, UsersDeleted, PrincipalsDeleted = 0 } = await undo(service, own);
    const kept = tuples.map(({ Item1, Item6 }) => [
      Item1,
      Item6.Kept,
      (Item6.Users ?? []).map(({ Username, Operation, ...user }) => [Username, Operation, user.Kept]),
    ]);
    expect(kept).toEqual([
      [
        id,
        [{ Field: 'Denomination', Reason: 'changed' }],
        [
          ['keeps.edited', 'edit', [{ Field: 'Phone', Reason: 'changed' }]],
          ['keeps.reset', 'none', [{ Field: 'Password', Reason: 'password' }]],
          [null, 'none', [{ Field: null, Reason: 'deleted' }]],
          ['keeps.expired', 'none', [{ Field: null, Reason: 'expired' }]],
          ['keeps.signed.in', 'none', [{ Field: null, Reason: 'changed' }]],
          ['keeps.changed', 'none', [{ Field: null, Reason: 'changed' }]],
          ['keeps.untouched', 'delete', undefined],
        ],
      ],
      [used.id, undefined, [['keeps.used', 'delete', undefined]]],
    ]);
    expect([UsersDeleted, PrincipalsDeleted]).toEqual([2, 0]);
    const [user] = await service.database.query(
      'select phone, first_name from anagrafe.users where id = $1',
      [edited],
    );
    expect(user).toEqual({ phone: 'newest', first_name: 'Old' });
    const { body } = await admin(`POST runs/${own}/undo?dryRun=true`);
    expect(body.result?.record).toMatchObject({ UsersUpdated: 0, UsersDeleted: 0, PrincipalsUpdated: 0 });
  });

  it('is refused without a plan if it would delete too many users', async () => {
    const own = run();
    const Users = range(30).map((at) => importedUser(`limit.${at}`));
    const { id } = await applied(own, 'insert', { Denomination: 'Limit', Users });
    const refused = await admin(`POST runs/${own}/undo`);
    expect([refused.status, refused.body.errorCode]).toEqual([422, 'TOO_MANY_REMOVALS']);
    await undo(service, own);
    expect(await service.database.query('select from anagrafe.principals where id = $1', [id])).toEqual([]);
  });

  it('with an idempotency key is applied once', async () => {
    const own = run();
    await applied(own, 'insert', { Denomination: 'Once' });
    const key = { prefer: 'respond-async', 'idempotency-key': randomUUID() };
    const [one, two] = [await admin(`POST runs/${own}/undo`, key), await admin(`POST runs/${own}/undo`, key)];
    expect([one.status, two.status]).toEqual([202, 202]);
    expect(jobOf(two).ID).toBe(jobOf(one).ID);
    await finished(service, jobOf(one).ID);
  });

  it('undoes thousands of users of one principal', async () => {
    const { id } = await insertPrincipal(service, { Denomination: 'Large' });
    const before = await stored(service);
    const own = run();
    const Users = range(1500).map((at) => importedUser(`large.${at}`));
    const records = [
      { ID: id, Users: Users.slice(0, 900) },
      { ID: id, Denomination: 'L', Users: Users.slice(900) },
    ];
    await finished(service, await submit(service, 'irs/update', records, { 'anagrafe-run': own }));
    expect((await undo(service, own)).UsersDeleted).toBe(1500);
    expect(await stored(service)).toEqual(before);
  }, 120_000);

  it('is refused while the run has not ended, after its time, and for a run without applied records', async () => {
    const own = run();
    await applied(own, 'insert', { Denomination: 'Old run' });
    const codeOf = async (id: string) => (await admin(`POST runs/${id}/undo?dryRun=true`)).body.errorCode;
    await service.database.query(`update anagrafe.calls set state = 'running' where run_id = $1`, [own]);
    expect(await codeOf(own)).toBe('RUN_NOT_ENDED');
    await service.database.query(`update anagrafe.calls set state = 'completed' where run_id = $1`, [own]);
    await service.database.query(
      `update anagrafe.runs set started_at = now() - interval '31 days' where id = $1`,
      [own],
    );
    expect(await codeOf(own)).toBe('RUN_TOO_OLD');
    const failed = run();
    await send(service, failed, 'insert', [{}]);
    expect(await codeOf(failed)).toBe('NOTHING_TO_UNDO');
    expect(await codeOf(run())).toBe('RUN_NOT_FOUND');
  });
});
