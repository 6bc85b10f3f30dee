import { randomUUID } from 'node:crypto';
import type { ExportedPrincipal, Principal, UserOfPrincipal } from '@anagrafe/client';
import { adminOf } from '@anagrafe/testing/admin';
import { importedUser } from '@anagrafe/testing/jobs';
import { insertPrincipal, representation } from '@anagrafe/testing/records';
import { getText, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

const insert = (tags: unknown, others = {}) =>
  insertPrincipal(service, { Name: 'One', Tags: tags, ...others });

async function tagsOf(ID: number) {
  const { body } = await service.call<Principal>('irs/list', { ID });
  return body.result?.records[0]?.Tags;
}

async function errorsOf(tags: unknown) {
  const { body } = await service.call('irs/insert', [{ Name: 'One', Tags: tags }]);
  return body.result?.records[0]?.Item5.Tags?.map(({ code }) => code);
}

describe('tags of a principal', () => {
  it('are stored in lower case, sorted, each once', async () => {
    expect(await tagsOf((await insert(['Sud', 'nord', 'SUD', 'a.b-c_1'])).id)).toEqual([
      'a.b-c_1',
      'nord',
      'sud',
    ]);
    expect(await tagsOf((await insert([])).id)).toBeNull();
    expect(await tagsOf((await insert(null)).id)).toBeNull();
  });

  it.each([
    ['nord', ['WRONG_TYPE']],
    [['con spazio'], ['TAG_INVALID']],
    [['a,b'], ['TAG_INVALID']],
    [
      ['-a', 'ok', ''],
      ['TAG_INVALID', 'TAG_INVALID'],
    ],
    [[null], ['TAG_INVALID']],
    [['x'.repeat(41)], ['TAG_INVALID']],
    [['città'], ['TAG_INVALID']],
    [Array.from({ length: 21 }, (_, n) => `t${n}`), ['TAGS_TOO_MANY']],
  ])('are refused if they are %j', async (tags, codes) => {
    expect(await errorsOf(tags)).toEqual(codes);
  });

  it('are changed as a whole, cleared, left alone, and restored by an undo', async () => {
    const { id } = await insert(['nord', 'vip']);
    const run = randomUUID();
    const headers = { 'anagrafe-run': run };
    const update = (fields: object) => service.call('irs/update', [{ ID: id, ...fields }], { headers });
    await update({ Name: 'Two' });
    expect(await tagsOf(id)).toEqual(['nord', 'vip']);
    await update({ Tags: ['sud'] });
    expect(await tagsOf(id)).toEqual(['sud']);
    await update({ Tags: [] });
    expect(await tagsOf(id)).toBeNull();
    expect((await adminOf(service)(`POST runs/${run}/undo`, {})).status).toBe(200);
    expect(await tagsOf(id)).toEqual(['nord', 'vip']);
  });

  it('are compared by an upsert without regard to order and case', async () => {
    const { id, key } = await insert(['nord', 'vip']);
    const upsert = async (Tags: readonly string[]) => {
      const { body } = await service.call('irs/upsert', [{ ExternalKey: key, Tags }], representation);
      return body.result?.records[0]?.Item6.Principal;
    };
    expect(await upsert(['VIP', 'Nord'])).toBe('unchanged');
    expect(await upsert(['vip'])).toBe('updated');
    expect(await tagsOf(id)).toEqual(['vip']);
  });

  it('appear in the audit log with the old and new values', async () => {
    const { id } = await insert(['nord']);
    await service.call('irs/update', [{ ID: id, Tags: ['sud', 'est'] }]);
    const admin = (call: string) => adminOf(service)(call, {});
    await expect
      .poll(async () => (await admin(`GET audit?principal=${id}`)).body.result?.records.length)
      .toBe(2);
    const { body } = await admin(`GET audit?principal=${id}&order=newest`);
    const [change] = (body.result?.records ?? []) as unknown as { Position: number; Action: string }[];
    const changes = await admin(`GET audit/${change?.Position}/changes`);
    expect(changes.body.result?.records).toEqual([
      { UserID: null, Field: 'Tags', Old: ['nord'], New: ['est', 'sud'] },
    ]);
  });

  it('are kept in a failed record', async () => {
    const { headers } = await service.call('irs/insert', [{ Tags: ['Nord'], Name: 'Kept', Email: 'no' }]);
    const call = headers.get('anagrafe-request-id') ?? headers.get('x-request-id');
    const [failed] = (await service.database.query(
      "select outcome from (select to_jsonb(outcomes) as outcome from anagrafe.outcomes) as stored where outcome::text like '%Kept%'",
    )) as { outcome: unknown }[];
    expect(JSON.stringify(failed), `${call}`).toContain('nord');
  });
});

describe('lists and exports', () => {
  it('select the principals that have one of the tags, and their users', async () => {
    const north = await insert(['list-north'], { Users: [importedUser('tags.north')] });
    const both = await insert(['list-north', 'list-south'], { Users: [importedUser('tags.both')] });
    const south = await insert(['list-south']);
    await insert(null);
    const list = async (Tags: readonly string[]) => {
      const { body } = await service.call<Principal>('irs/list', { Tags });
      return [body.result?.totalCount, ...(body.result?.records ?? []).map(({ ID }) => ID)];
    };
    expect(await list(['List-North'])).toEqual([2, north.id, both.id]);
    expect(await list(['list-north', 'list-south'])).toEqual([3, north.id, both.id, south.id]);
    expect(await list(['no-principal'])).toEqual([0]);
    const users = await service.call<UserOfPrincipal>('irs/users', { Tags: ['list-north'] });
    expect(users.body.result?.records.map(({ Username }) => Username)).toEqual(['tags.north', 'tags.both']);
    expect((await service.call('irs/list', { Tags: [] })).status).toBe(400);
    expect((await service.call('irs/list', { Tags: ['con spazio'] })).status).toBe(400);
  });

  it('have the tags, in CSV in one column', async () => {
    const { key } = await insert(['export-b', 'export-a']);
    const path = '/api/sync/v1/irs/export';
    const ndjson = await getText(service, `${path}?tags=export-a,export-c`);
    const lines = ndjson.text.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as ExportedPrincipal).Tags)).toEqual([
      ['export-a', 'export-b'],
    ]);
    const csv = await getText(service, `${path}?tags=Export-B&format=csv&separator=;`);
    expect(csv.text).toMatch(/;Tags;/);
    expect(csv.text).toContain('"export-a, export-b"');
    expect(csv.text).toContain(key);
    expect((await getText(service, `${path}?tags=a,,b`)).status).toBe(400);
  });
});
