import { randomUUID } from 'node:crypto';
import { adminOf } from '@anagrafe/testing/admin';
import { wrongFigures } from '@anagrafe/testing/figures';
import { finished, submit } from '@anagrafe/testing/jobs';
import { login, signedIn } from '@anagrafe/testing/login';
import {
  codesOf,
  fieldCodes,
  importedUsers,
  insertPrincipal,
  representation,
  unique,
} from '@anagrafe/testing/records';
import { type Answer, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { planOf } from '@anagrafe/testing/upserts';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

const merge = (records: unknown, headers: Record<string, string> = {}, query = '') =>
  service.call(`irs/merge${query}`, records, { headers: { ...representation.headers, ...headers } });

const company = (users = 1, more: Record<string, unknown> = {}) =>
  insertPrincipal(service, { Denomination: unique('Srl'), Users: importedUsers(users), ...more });

async function listed(filter: object): Promise<Record<string, unknown>[]> {
  const { body } = await service.call('irs/list', filter);
  return (body.result?.records ?? []) as unknown as Record<string, unknown>[];
}

const item6 = ({ body }: Answer) => body.result?.records[0]?.Item6 as unknown;

describe('irs/merge', () => {
  it('moves the users with their IDs and passwords, keeps the key as an alias, and deletes the other principal', async () => {
    const Username = unique('user');
    const from = await insertPrincipal(service, { Denomination: 'From', Users: [newUser(Username)] });
    const to = await company(1);
    const { Token } = await signedIn(service, Username);
    const answer = await merge([{ ExternalKey: to.key, From: { ExternalKey: from.key } }]);
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    expect(answer.body.result?.record).toMatchObject({ PrincipalsUpdated: 1, UsersMoved: 1 });
    expect(item6(answer)).toMatchObject({
      Principal: 'updated',
      Kept: [{ Field: 'Denomination', Reason: 'differs' }],
      Users: [{ ID: from.userIds[0], Username, Operation: 'move' }],
    });
    expect(await listed({ ID: from.id })).toEqual([]);
    const [found] = await listed({ ExternalKey: from.key });
    expect(found).toMatchObject({ ID: to.id, ExternalKey: to.key, Aliases: [from.key], UsersCount: 2 });
    expect((await service.call('irs/list', {}, { headers: { AccessToken: Token } })).status).toBe(401);
    const again = await login(service, Username);
    expect(again.body.result?.record).toMatchObject({ IRID: to.id, UserID: from.userIds[0] });
    expect(await wrongFigures(service.database)).toEqual([]);
  });

  it('shows in a plan which values are taken and which are dropped, and is applied only while the plan holds', async () => {
    const from = await company(1, { Denomination: 'Other name', Vatnumber: 'IT123', Taxcode: 'SAME' });
    const to = await company(1, { Denomination: 'Own name', Taxcode: 'SAME' });
    await service.call('irs/state', [{ ID: from.id, State: 'disabled' }]);
    const records = [{ ID: to.id, From: { ID: from.id } }];
    const plan = await merge(records, {}, '?dryRun=true');
    expect(item6(plan)).toMatchObject({
      Principal: 'updated',
      Changes: [{ Field: 'Vatnumber', From: null, To: 'IT123' }],
      Kept: [
        { Field: 'Denomination', Reason: 'differs', Other: 'Other name' },
        { Field: 'State', Reason: 'differs', Other: 'disabled' },
      ],
    });
    expect(await listed({ ID: from.id })).toHaveLength(1);
    await service.call('irs/update', [{ ID: from.id, Surname: 'Changed' }]);
    const late = await merge(records, { 'if-match': `"${planOf(plan)}"` });
    expect([late.status, late.body.errorCode]).toEqual([412, 'PLAN_OUTDATED']);
    const fresh = planOf(await merge(records, {}, '?dryRun=true'));
    expect((await merge(records, { 'if-match': `"${fresh}"` })).status).toBe(200);
    expect(await listed({ ID: to.id })).toMatchObject([
      { Denomination: 'Own name', Vatnumber: 'IT123', Surname: 'Changed', State: 'active' },
    ]);
  });

  it('gives its key to a principal that has none', async () => {
    const from = await company(0);
    const { id } = await insertPrincipal(service, { ExternalKey: undefined, Denomination: 'No key' });
    await service.database.query('update anagrafe.principals set external_key = null where id = $1', [id]);
    expect((await merge([{ ID: id, From: { ID: from.id } }])).status).toBe(200);
    const [found] = await listed({ ExternalKey: from.key });
    expect(found).toMatchObject({ ID: id, ExternalKey: from.key });
    expect(found).not.toHaveProperty('Aliases');
  });

  it('writes audit rows for both principals and the event principal.merged, before the moves of the users', async () => {
    const [from, to] = [await company(2), await company(0)];
    await merge([{ ID: to.id, From: { ID: from.id } }]);
    const rows = await service.database.query<{ details: unknown }>(
      `select details from anagrafe.audit_log where principal_id = any($1) and action = 'update' order by id`,
      [[from.id, to.id]],
    );
    expect(rows.map(({ details }) => details)).toEqual([
      {
        changed: ['Aliases'],
        merged: [from.id, from.key],
        moved: from.userIds.map((id) => [id, from.id]),
      },
      { mergedInto: to.id, movedAway: from.userIds.map((id) => [id, to.id]) },
    ]);
    const newest = async () => {
      const { body } = await service.call<{ type: string; data: { IRID: number } }>(
        'events?order=newest&pageSize=20',
        undefined,
        { method: 'GET' },
      );
      return (body.result?.records ?? []).filter(({ data }) => data.IRID === to.id).toReversed();
    };
    await expect
      .poll(async () => (await newest()).map(({ type }) => type))
      .toEqual(['principal.inserted', 'principal.merged', 'principal.updated', 'user.moved', 'user.moved']);
    const [, merged, , moved] = await newest();
    const former = { FromIRID: from.id, FromExternalKey: from.key };
    expect(merged?.data).toEqual({ IRID: to.id, ExternalKey: to.key, ...former });
    expect(moved?.data).toMatchObject(former);
  });

  it.each<
    [string, (one: { id: number; key: string }, two: { id: number; key: string }) => unknown[], object]
  >([
    ['itself', (one) => [{ ID: one.id, From: { ExternalKey: one.key } }], { From: ['SAME_PRINCIPAL'] }],
    ['nothing', (one) => [{ ID: one.id }], { From: ['REQUIRED'] }],
    ['a text', (one) => [{ ID: one.id, From: 'C-1' }], { From: ['WRONG_TYPE'] }],
    [
      'an unknown principal',
      (one) => [{ ID: one.id, From: { ID: 999_999 } }],
      { 'From.ID': ['PRINCIPAL_NOT_FOUND'] },
    ],
    ['a principal without a name', (one) => [{ ID: one.id, From: {} }], { 'From.ID': ['REQUIRED'] }],
    [
      'a principal with two names',
      (one, two) => [{ ID: one.id, From: { ID: two.id, ExternalKey: two.key, Users: [] } }],
      { 'From.ID': ['AMBIGUOUS_PRINCIPAL'], 'From.Users': ['UNKNOWN_FIELD'] },
    ],
  ])('refuses a merge with %s', async (_, records, errors) => {
    const [one, two] = [await company(0), await company(0)];
    const answer = await merge(records(one, two));
    expect(fieldCodes(answer.body.result?.records[0])).toEqual(errors);
  });

  it('is an update in the counts and a row in both histories, also without users, keys and values', async () => {
    const of = async () => {
      const { body } = await service.call('irs/insert', [{ Denomination: 'Equal' }]);
      return body.result?.records[0]?.Item1 ?? 0;
    };
    const [to, from] = [await of(), await of()];
    const answer = await merge([{ ID: to, From: { ID: from } }], {}, '?changed=true&dryRun=true');
    expect(answer.body.result?.record).toMatchObject({ PrincipalsUpdated: 1, Unchanged: 0 });
    expect(answer.body.result?.records).toHaveLength(1);
    await merge([{ ID: to, From: { ID: from } }]);
    const rows = await service.database.query<{ id: number; details: object }>(
      `select principal_id as id, details from anagrafe.audit_log where principal_id = any($1) and action = 'update'`,
      [[to, from]],
    );
    expect(rows).toEqual(
      expect.arrayContaining([
        { id: to, details: { merged: [from, null] } },
        { id: from, details: { mergedInto: to } },
      ]),
    );
  });

  it('of many users is sent as a job, and each event names the merged principal', async () => {
    const to = await company(1);
    const from = await company(800);
    await service.call('irs/update', [{ ID: from.id, Users: importedUsers(400) }]);
    const records = [{ ID: to.id, From: { ID: from.id } }];
    const refused = await merge(records);
    expect([refused.status, refused.body.errorCode]).toEqual([413, 'BATCH_TOO_LARGE']);
    await finished(service, await submit(service, 'irs/merge', records));
    const rows = await service.database.query<{ keys: number }>(
      `select count(*) as keys from anagrafe.audit_log where principal_id = $1
          and coalesce(details -> 'merged', details -> 'mergedBefore') = $2::jsonb`,
      [to.id, JSON.stringify([from.id, from.key])],
    );
    expect(rows).toEqual([{ keys: 2 }]);
  });

  it('refuses a disabled principal, and one that an earlier record of the call names', async () => {
    const [one, two, three] = [await company(0), await company(0), await company(0)];
    const twice = await merge([
      { ID: one.id, From: { ID: two.id } },
      { ID: three.id, From: { ID: one.id } },
    ]);
    expect(codesOf(twice)).toEqual([null, 'DUPLICATE_PRINCIPAL']);
    await service.call('irs/state', [{ ID: one.id, State: 'disabled' }]);
    expect(codesOf(await merge([{ ID: one.id, From: { ID: three.id } }]))).toEqual(['PRINCIPAL_DISABLED']);
  });

  it('refuses a principal with more users than a record may have', async () => {
    const small = await startTestService({ ANAGRAFE_MAX_RECORD_USERS: '3' });
    const [from, to] = [
      await insertPrincipal(small, { Users: importedUsers(3) }),
      await insertPrincipal(small, { Denomination: 'To' }),
    ];
    await small.call('irs/update', [{ ID: from.id, Users: importedUsers(1) }]);
    const answer = await small.call('irs/merge', [{ ID: to.id, From: { ID: from.id } }]);
    expect(codesOf(answer)).toEqual(['RECORD_TOO_LARGE']);
  });

  it('is applied once with an idempotency key, and as a job', async () => {
    const [one, two, three] = [await company(1), await company(1), await company(1)];
    const headers = { 'idempotency-key': randomUUID() };
    const first = await merge([{ ID: one.id, From: { ID: two.id } }], headers);
    const replayed = await merge([{ ID: one.id, From: { ID: two.id } }], headers);
    expect(item6(replayed)).toEqual(item6(first));
    const job = await submit(service, 'irs/merge', [{ ID: one.id, From: { ID: three.id } }]);
    await finished(service, job);
    expect(await listed({ ID: one.id })).toMatchObject([
      { Aliases: [two.key, three.key].sort(), UsersCount: 3 },
    ]);
    expect(await wrongFigures(service.database)).toEqual([]);
  });

  it('is written again if a user is registered meanwhile, which then moves, too', async () => {
    const [from, to] = [await company(1), await company(0)];
    const merging = merge([{ ID: to.id, From: { ID: from.id } }]);
    const registering = service.call('irs/update', [{ ID: from.id, Users: importedUsers(1) }]);
    const [merged, registered] = await Promise.all([merging, registering]);
    expect(merged.status).toBe(200);
    const users = registered.status === 200 ? 2 : 1;
    expect(await listed({ ID: to.id })).toMatchObject([{ UsersCount: users }]);
    expect(await wrongFigures(service.database)).toEqual([]);
  });

  it('is not undone with its run, which says so', async () => {
    const [from, to] = [await company(1), await company(0)];
    const run = randomUUID();
    await merge([{ ID: to.id, From: { ID: from.id } }], { 'anagrafe-run': run });
    const { body } = await adminOf(service)(`POST runs/${run}/undo?dryRun=true`, {
      prefer: 'return=representation',
    });
    expect(body.result?.records).toMatchObject([
      {
        Item1: to.id,
        Item6: {
          Principal: 'unchanged',
          Users: [{ ID: from.userIds[0], Kept: [{ Field: null, Reason: 'moved' }] }],
        },
      },
    ]);
  });
});

describe('the alias of a merged principal', () => {
  async function merged(users = 1) {
    const [from, to] = [await company(users, { Denomination: unique('Merged') }), await company(1)];
    expect((await merge([{ ID: to.id, From: { ID: from.id } }])).status).toBe(200);
    return { to, from, alias: from.key };
  }

  it('finds the principal in every call that names one, and changes no key', async () => {
    const { to, alias } = await merged();
    const name = unique('user');
    const ok = async (path: string, record: object) => {
      const { body, text } = await service.call(path, [{ ExternalKey: alias, ...record }], representation);
      expect(body.result?.records[0]?.Item3, text).toBe(true);
      return body.result?.records[0];
    };
    const upserted = await ok('irs/upsert?similar=refuse', {
      Name: 'By alias',
      Users: [{ ...newUser(name), Phone: '1' }],
    });
    expect(upserted).toMatchObject({ Item1: to.id, Item6: { Principal: 'updated' } });
    await ok('irs/update', { Surname: 'By alias' });
    await ok('irs/state', { Users: [{ Username: name, State: 'disabled' }] });
    await ok('irs/delete', { Users: [{ Username: name }] });
    const again = await ok('irs/upsert', { Name: 'By alias' });
    expect(again).toMatchObject({ Item6: { Principal: 'unchanged' } });
    const expected = { ID: to.id, ExternalKey: to.key, Name: 'By alias', Surname: 'By alias' };
    expect(await listed({ ExternalKey: alias })).toMatchObject([expected]);
    expect(await listed({ Search: alias })).toMatchObject([expected]);
    const { body } = await service.call('irs/users', { ExternalKey: alias });
    expect(body.result?.records).toHaveLength(2);
    const exported = await fetch(`${service.url}/api/sync/v1/irs/export?externalKey=${alias}`);
    expect(JSON.parse(await exported.text())).toMatchObject({ ...expected, Aliases: [alias] });
  });

  it('is taken for other principals, also for one that is inserted at the same time', async () => {
    const { alias } = await merged();
    const inserted = await service.call('irs/insert', [{ ExternalKey: alias, Denomination: 'x' }]);
    expect(codesOf(inserted)).toEqual(['EXTERNAL_KEY_TAKEN']);
    const other = await company(0);
    const renamed = await service.call('irs/update', [{ ID: other.id, NewExternalKey: alias }]);
    expect(codesOf(renamed)).toEqual(['EXTERNAL_KEY_TAKEN']);
    await expect(
      service.database.query('update anagrafe.principals set external_key = $1 where id = $2', [
        alias,
        other.id,
      ]),
    ).rejects.toThrow('alias');
  });

  it('counts as a look-alike with zeros, case or dashes in another form', async () => {
    const { to, alias } = await merged();
    const like = { ExternalKey: `00${alias.toUpperCase()}`, Denomination: unique('New') };
    const { body } = await service.call('irs/upsert?similar=refuse', [like]);
    expect(fieldCodes(body.result?.records[0])).toEqual({ ExternalKey: ['LOOKS_LIKE_ANOTHER'] });
    expect(body.result?.records[0]?.Item5.ExternalKey?.[0]?.details).toMatchObject({ PrincipalID: to.id });
  });

  it('and the key of the principal in one call name the same principal', async () => {
    const { to, alias } = await merged();
    const answer = await service.call('irs/upsert', [{ ExternalKey: to.key }, { ExternalKey: alias }]);
    expect(codesOf(answer)).toEqual([null, 'DUPLICATE_PRINCIPAL']);
  });

  it('stays with the principal through further merges and changes of its key, and can become its key', async () => {
    const { to, alias } = await merged();
    const last = await company(0);
    await merge([{ ID: last.id, From: { ExternalKey: alias } }]);
    expect(await listed({ ExternalKey: alias })).toMatchObject([
      { ID: last.id, Aliases: [alias, to.key].sort() },
    ]);
    await service.call('irs/update', [{ ID: last.id, NewExternalKey: alias }]);
    expect(await listed({ ExternalKey: alias })).toMatchObject([
      { ID: last.id, ExternalKey: alias, Aliases: [to.key] },
    ]);
  });

  it('is erased with the principal, in failed records as well', async () => {
    const from = await company(1);
    const to = await company(0);
    const failed = async () => {
      const { body } = await service.call('irs/update', [
        { ExternalKey: from.key, Denomination: 7, Name: 'Secret' },
      ]);
      expect(body.result?.records[0]?.Item3).toBe(false);
    };
    await failed();
    await merge([{ ID: to.id, From: { ID: from.id } }]);
    await failed();
    const kept = () =>
      service.database.query(`select from anagrafe.outcomes where record::text like '%"${from.key}"%'`);
    expect(await kept()).toHaveLength(2);
    await service.call('irs/delete', [{ ExternalKey: from.key }]);
    expect(await kept()).toHaveLength(0);
    expect(
      await service.database.query('select from anagrafe.principal_aliases where external_key = $1', [
        from.key,
      ]),
    ).toEqual([]);
    const inserted = await service.call('irs/insert', [{ ExternalKey: from.key, Denomination: 'New' }]);
    expect(inserted.status).toBe(200);
  });

  it('the old values of the merged principal are erased', async () => {
    const [from, to] = [await company(0), await company(0)];
    await service.call('irs/update', [{ ID: from.id, Denomination: 'New name' }]);
    const values = () =>
      service.database.query('select from anagrafe.changed_values where principal_id = $1', [from.id]);
    expect(await values()).toHaveLength(1);
    await merge([{ ID: to.id, From: { ID: from.id } }]);
    expect(await values()).toEqual([]);
  });
});
