import { randomUUID } from 'node:crypto';
import { adminOf } from '@anagrafe/testing/admin';
import { allHashed } from '@anagrafe/testing/audit-chain';
import { importedUser } from '@anagrafe/testing/jobs';
import { signedIn } from '@anagrafe/testing/login';
import { insertPrincipal } from '@anagrafe/testing/records';
import { newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifyStoredAuditLog } from '../../src/cli/commands/audit.ts';
import type { Tuple } from '../../src/records/read/tuple.ts';
import { planUndo, sendApplied, stored, undo } from './undo.ts';

let service: TestService;
const run = (): string => randomUUID();

beforeAll(async () => {
  service = await startTestService();
});

const applied = (id: string | null, operation: string, record: object) =>
  sendApplied(service, id, operation, record);

describe('the undo of a run', () => {
  it('moves users back with their IDs, passwords and values, and then deletes the principal that the run has created for them', async () => {
    const names = ['moves.one', 'moves.signed.in'];
    const { id, userIds } = await insertPrincipal(service, {
      Users: [importedUser('moves.one', { Phone: 'old' }), newUser('moves.signed.in')],
    });
    await signedIn(service, 'moves.signed.in');
    const before = await stored(service);
    const own = run();
    await applied(own, 'state', { ID: id, State: 'disabled' });
    const target = await applied(own, 'insert', {
      Denomination: 'Target',
      Users: [importedUser('moves.new')],
    });
    await applied(own, 'upsert?moves=allow', {
      ID: target.id,
      Users: names.map((Username) => ({ Username, Phone: 'new' })),
    });
    const { tuples, ...counts } = await undo(service, own);
    expect(counts).toMatchObject({
      UsersMoved: 2,
      UsersDeleted: 1,
      PrincipalsDeleted: 1,
      PrincipalsUpdated: 1,
    });
    expect(tuples[0]).toMatchObject({
      Item1: id,
      Item6: {
        Users: names.map((Username, at) => ({
          ID: userIds[at],
          Username,
          Operation: 'move',
          Changes: [{ Field: 'Phone', From: 'new', To: at === 0 ? 'old' : null }],
        })),
      },
    });
    expect(await stored(service)).toEqual(before);
    await signedIn(service, 'moves.signed.in');
    await allHashed(service);
    const { body } = await adminOf(service)(`GET audit?user=${userIds[0]}`, {});
    expect(body.result?.records.map(({ IRID }) => IRID)).toEqual(expect.arrayContaining([id, target.id]));
    expect(await verifyStoredAuditLog(service.config, null)).toMatchObject({ sound: true });
  });

  it('follows a user that the run has moved several times', async () => {
    const [first, second, third] = [
      await insertPrincipal(service, { Users: [importedUser('chain.one'), importedUser('chain.round')] }),
      await insertPrincipal(service, { Denomination: 'Second' }),
      await insertPrincipal(service, { Denomination: 'Third' }),
    ];
    const before = await stored(service);
    const own = run();
    const move = (to: number, ...Users: string[]) =>
      applied(own, 'upsert?moves=allow', { ID: to, Users: Users.map((Username) => ({ Username })) });
    await move(second.id, 'chain.one', 'chain.round');
    await move(third.id, 'chain.one');
    await move(first.id, 'chain.round');
    const created = await applied(own, 'update', { ID: second.id, Users: [importedUser('chain.new')] });
    expect(created.userIds).toHaveLength(1);
    await move(third.id, 'chain.new');
    await undo(service, own);
    expect(await stored(service)).toEqual(before);
  });

  it('keeps a user that has moved on, or whose former principal is deleted, and says so after the undo as well', async () => {
    const former = await insertPrincipal(service, { Users: [importedUser('stays.deleted', { Phone: '1' })] });
    const other = await insertPrincipal(service, {
      Users: [importedUser('stays.moved'), importedUser('stays.edited')],
    });
    const own = run();
    const target = await applied(own, 'insert', { Denomination: 'Stays' });
    await applied(own, 'upsert?moves=allow', {
      ID: target.id,
      Users: ['stays.deleted', 'stays.moved', 'stays.edited'].map((Username) => ({ Username, Phone: '2' })),
    });
    await applied(null, 'delete', { ID: former.id });
    const elsewhere = await applied(null, 'insert', { Denomination: 'Elsewhere' });
    const [moved = 0, edited = 0] = other.userIds;
    await applied(null, 'update', { ID: elsewhere.id, Users: [{ Operation: 'move', ID: moved }] });
    const rename = { Operation: 'edit', ID: edited, NewUsername: 'stays.renamed', Phone: '3' };
    await applied(null, 'update', { ID: target.id, Users: [rename] });
    const { tuples, Plan } = await planUndo(service, own);
    const kept = (shown: typeof tuples) =>
      shown.map(({ Item1, Item6 }) => [
        Item1,
        (Item6.Users ?? []).map(({ ID, Operation, Kept }) => [ID, Operation, Kept]),
      ]);
    const expected = [
      [
        other.id,
        [
          [moved, 'none', [{ Field: null, Reason: 'changed' }]],
          [edited, 'move', [{ Field: 'Phone', Reason: 'changed' }]],
        ],
      ],
      [target.id, [[former.userIds[0], 'edit', [{ Field: null, Reason: 'moved' }]]]],
    ];
    expect(kept(tuples)).toEqual(expected);
    const headers = {
      prefer: 'return=representation',
      'if-match': `"${Plan}"`,
      'idempotency-key': randomUUID(),
    };
    const apply = () => adminOf(service)<Tuple>(`POST runs/${own}/undo`, headers);
    const undone = await apply();
    expect(kept(undone.body.result?.records ?? [])).toEqual(expected);
    const replayed = await apply();
    expect(kept(replayed.body.result?.records ?? [])).toEqual(expected);
    const columns =
      'select id, principal_id, username, phone from anagrafe.users where id = any($1) order by id';
    expect(await service.database.query(columns, [[former.userIds[0], moved, edited]])).toEqual([
      { id: former.userIds[0], principal_id: target.id, username: 'stays.deleted', phone: '1' },
      { id: moved, principal_id: elsewhere.id, username: 'stays.moved', phone: '2' },
      { id: edited, principal_id: other.id, username: 'stays.renamed', phone: '3' },
    ]);
  });
});
