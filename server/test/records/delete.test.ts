import { adminOf } from '@anagrafe/testing/admin';
import { allHashed } from '@anagrafe/testing/audit-chain';
import { wrongFigures } from '@anagrafe/testing/figures';
import { finished, importedUser, submit } from '@anagrafe/testing/jobs';
import { asUser, login, signedIn } from '@anagrafe/testing/login';
import {
  fieldCodes,
  importedUsers,
  insertPrincipal,
  listedPrincipal,
  representation,
  unique,
} from '@anagrafe/testing/records';
import { newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CloudEvent } from '../../src/audit/events.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

const remove = (...records: unknown[]) => service.call('irs/delete', records, representation);

const principal = (users = 2) =>
  insertPrincipal(service, { Denomination: 'Rossi Srl', Users: importedUsers(users) });

/** Returns the IDs of the users of a principal; undefined if it does not exist. */
const userIdsOf = async (id: number) => (await listedPrincipal(service, id))?.Users.map((user) => user.ID);

describe('irs/delete', () => {
  it('deletes a principal with all of its users, by ID or by external key', async () => {
    const [byId, byKey, kept] = [await principal(3), await principal(0), await principal(1)];
    const { status, body } = await remove({ ID: byId.id }, { ExternalKey: byKey.key });
    expect(status).toBe(200);
    expect(body.result?.records.map(({ Item1, Item6 }) => [Item1, Item6])).toEqual([
      [
        byId.id,
        {
          Principal: 'deleted',
          Users: byId.userIds.map((ID) => ({ ID, Username: null, Email: null, Operation: 'delete' })),
        },
      ],
      [byKey.id, { Principal: 'deleted', Users: [] }],
    ]);
    expect(await userIdsOf(byId.id)).toBeUndefined();
    expect(await userIdsOf(byKey.id)).toBeUndefined();
    expect(await userIdsOf(kept.id)).toEqual(kept.userIds);
    expect(await wrongFigures(service.database)).toEqual([]);
    const again = await remove({ ID: byId.id });
    expect([again.status, again.body.errorCode]).toEqual([422, 'PRINCIPAL_NOT_FOUND']);
    const { body: inserted } = await service.call('irs/insert', [
      { ExternalKey: byKey.key, Users: byId.usernames.map((name) => importedUser(name)) },
    ]);
    expect(inserted.result?.records[0]?.Item3).toBe(true);
  });

  it('deletes some users of a principal, by ID or by username', async () => {
    const { id, key, usernames, userIds } = await principal(3);
    const { status, body } = await remove({
      ExternalKey: key,
      Users: [{ Username: usernames[2] }, { ID: userIds[0] }],
    });
    expect([status, body.result?.records[0]?.Item1]).toEqual([200, id]);
    expect(body.result?.records[0]?.Item6).toEqual({
      Users: [userIds[2], userIds[0]].map((ID) => ({ ID, Username: null, Email: null, Operation: 'delete' })),
    });
    expect(await userIdsOf(id)).toEqual([userIds[1]]);
    expect(await wrongFigures(service.database)).toEqual([]);
  });

  it('ends the sessions of a deleted user, whose username can be registered again', async () => {
    const name = unique('user');
    const { id } = await insertPrincipal(service, { Users: [newUser(name)] });
    const session = await signedIn(service, name);
    await remove({ ID: id, Users: [{ Username: name }] });
    expect((await service.call('irs/list', {}, asUser(session))).status).toBe(401);
    expect((await service.call('login/refresh', { RefreshToken: session.RefreshToken })).status).toBe(401);
    expect((await login(service, name)).status).toBe(401);
    await service.call('irs/update', [{ ID: id, Users: [newUser(name)] }]);
    expect((await login(service, name)).status).toBe(200);
  });

  it('returns the first 1,000 users of a deleted principal', async () => {
    const { id, userIds } = await principal(1000);
    await service.call('irs/update', [{ ID: id, Users: [importedUser('one more')] }]);
    const { body } = await remove({ ID: id });
    expect(body.result?.records[0]?.Item6.Users?.map(({ ID }) => ID)).toEqual(userIds);
    expect(await wrongFigures(service.database)).toEqual([]);
  });

  it('refuses a record as a whole, with all of its field errors', async () => {
    const [mine, other] = [await principal(), await principal()];
    const { status, body } = await remove(
      {},
      { ID: mine.id, ExternalKey: mine.key },
      { ID: mine.id, Users: [] },
      { ID: mine.id, Users: {} },
      {
        ID: mine.id,
        Users: [{ ID: mine.userIds[0] }, { ID: other.userIds[0] }, { Username: mine.usernames[0] }, 7, {}],
      },
      { ID: mine.id, State: 'disabled' },
      { ExternalKey: 'unknown' },
    );
    expect(status).toBe(422);
    expect(body.result?.records.map(fieldCodes)).toEqual([
      { ID: ['REQUIRED'] },
      { ID: ['AMBIGUOUS_PRINCIPAL'] },
      { Users: ['NO_USERS'] },
      { Users: ['WRONG_TYPE'] },
      {
        'Users[1].ID': ['USER_NOT_FOUND'],
        'Users[2].Username': ['DUPLICATE_USER'],
        'Users[3]': ['WRONG_TYPE'],
        'Users[4].ID': ['REQUIRED'],
      },
      { State: ['UNKNOWN_FIELD'] },
      { ExternalKey: ['PRINCIPAL_NOT_FOUND'] },
    ]);
    expect(await userIdsOf(mine.id)).toEqual(mine.userIds);
  });

  it('accepts dryRun=true, an idempotency key and Prefer: respond-async', async () => {
    const { id, userIds } = await principal();
    const [other] = [await principal()];
    const record = [{ ID: id, Users: [{ ID: userIds[0] }] }];
    expect((await service.call('irs/delete?dryRun=true', record)).status).toBe(200);
    expect(await userIdsOf(id)).toEqual(userIds);
    const headers = { ...representation.headers, 'idempotency-key': unique('delete') };
    const first = await service.call('irs/delete', record, { headers });
    const again = await service.call('irs/delete', record, { headers });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body.result).toEqual(first.body.result);
    const job = await submit(service, 'irs/delete', [{ ID: id }, { ID: other.id }, { ID: 999_999_999 }]);
    const { body } = await finished(service, job, representation.headers);
    expect(body.result?.record).toMatchObject({ Operation: 'delete', Records: 3, RecordsFailed: 1 });
    expect(body.result?.records.map(({ Item6 }) => Item6)).toMatchObject([
      { Principal: 'deleted', Users: [{ ID: userIds[1], Username: null }] },
      { Principal: 'deleted', Users: other.userIds.map((ID) => ({ ID })) },
      {},
    ]);
    expect(await userIdsOf(id)).toBeUndefined();
  });

  it('writes the IDs of deleted users to the audit log, whose hash chain stays valid', async () => {
    const { id, key, userIds, usernames } = await principal();
    await remove({ ID: id, Users: [{ ID: userIds[0] }] }, { ID: id });
    await allHashed(service);
    const rows = await service.database.query<{ action: string; deleted: number[]; details: object }>(
      `select action, deleted, details from anagrafe.audit_log
        where principal_id = $1 and action not in ('insert', 'records.read') order by id`,
      [id],
    );
    expect(rows).toMatchObject([
      { action: 'update', deleted: [userIds[0]] },
      { action: 'delete', deleted: [userIds[1]], details: { externalKey: key } },
    ]);
    expect(JSON.stringify(rows)).not.toContain(usernames[0]);
    const { body } = await adminOf(service)('GET audit/verify', {});
    expect(body.result?.record).toMatchObject({ Sound: true });
  });

  it('creates events with the external key of the deleted principal', async () => {
    const { id, key, userIds } = await principal();
    await remove({ ID: id });
    await allHashed(service);
    const response = await fetch(`${service.url}/api/sync/v1/events?order=newest&pageSize=8`);
    const { result } = (await response.json()) as { result: { records: CloudEvent[] } };
    const own = result.records.filter(({ data }) => data.IRID === id).toReversed();
    expect(own.map(({ type, data }) => [type, data])).toEqual([
      ['principal.inserted', { IRID: id, ExternalKey: null }],
      ...userIds.map((UserID) => [
        'user.registered',
        { IRID: id, ExternalKey: null, UserID, Username: null, Email: null },
      ]),
      ['principal.deleted', { IRID: id, ExternalKey: key }],
      ...userIds.map((UserID) => ['user.deleted', { IRID: id, ExternalKey: key, UserID }]),
    ]);
  });
});

describe('the search for failed records that mention deleted users', () => {
  it('uses the index, although few failed records are stored', async () => {
    const { id } = await principal(0);
    const failed = [{ Username: 'sought', PasswordHash: 'no hash' }, importedUser('mentioned too')];
    expect((await service.call('irs/update', [{ ID: id, Users: failed }])).status).toBe(422);
    await service.database.transaction(async (connection) => {
      const found = await connection.query(
        `select from anagrafe.outcomes_mentioning(array['name:not mentioned', 'name:sought'])`,
      );
      expect(found).toHaveLength(1);
      const [scans] = await connection.query(
        `select pg_stat_get_xact_numscans('anagrafe.outcomes_mentions'::regclass) as "byIndex",
                pg_stat_get_xact_numscans('anagrafe.outcomes'::regclass) as "ofTable"`,
      );
      expect(scans).toEqual({ byIndex: 1, ofTable: 0 });
    });
  });
});
