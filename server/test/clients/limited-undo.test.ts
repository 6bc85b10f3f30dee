import { randomUUID } from 'node:crypto';
import { adminOf, type Credential, credential } from '@anagrafe/testing/admin';
import { importedUser } from '@anagrafe/testing/jobs';
import { codesOf, unique } from '@anagrafe/testing/records';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let admin: Credential;
/** Limited to the tags `nord` and `vip`. */
let nord: Credential;

beforeAll(async () => {
  service = await startTestService();
  admin = await credential(service);
  nord = await credential(service, { name: 'nord', tags: ['nord', 'vip'] });
});

async function inserted(fields: object) {
  const record = { Denomination: unique('Company'), Users: [importedUser(unique('undone.user'))], ...fields };
  const { body } = await service.call('irs/insert', [record], { headers: admin });
  return body.result?.records[0]?.Item1 ?? 0;
}

/** Changes a principal in a run of its own, and returns the run. */
async function inRun(client: Credential, ID: number, fields: object): Promise<string> {
  const run = randomUUID();
  const headers = { ...client, 'anagrafe-run': run };
  expect(codesOf(await service.call('irs/update', [{ ID, ...fields }], { headers }))).toEqual([null]);
  return run;
}

const undo = (client: Credential, run: string, query = '') =>
  adminOf(service)(`POST runs/${run}/undo${query}`, { ...client, prefer: 'return=representation' });

async function storedTags(id: number) {
  const [row] = await service.database.query<{ tags: string[] | null }>(
    'select tags from anagrafe.principals where id = $1',
    [id],
  );
  return row?.tags;
}

describe('an undo of a limited caller', () => {
  it('takes its own tags back, and neither names nor removes the others', async () => {
    const id = await inserted({ Tags: ['nord', 'secret'] });
    const run = await inRun(nord, id, { Tags: ['nord', 'vip'], Name: 'Changed' });
    expect(await storedTags(id)).toEqual(['nord', 'secret', 'vip']);
    const tried = await undo(nord, run, '?dryRun=true');
    expect([tried.status, tried.text]).toEqual([200, expect.not.stringContaining('secret')]);
    const undone = await undo(nord, run);
    expect([undone.status, undone.text]).toEqual([200, expect.not.stringContaining('secret')]);
    expect(await storedTags(id)).toEqual(['nord', 'secret']);
  });

  it('keeps a tag that another caller has given since', async () => {
    const id = await inserted({ Tags: ['nord'] });
    const run = await inRun(nord, id, { Tags: ['nord', 'vip'] });
    const given = [{ ID: id, Tags: ['later', 'nord', 'vip'] }];
    expect(codesOf(await service.call('irs/update', given, { headers: admin }))).toEqual([null]);
    const undone = await undo(nord, run);
    expect([undone.status, undone.text]).toEqual([200, expect.not.stringContaining('later')]);
    expect(await storedTags(id)).toContain('later');
  });
});

describe('an undo of a caller that is not limited', () => {
  it('gives all tags back that a limited caller had not seen', async () => {
    const id = await inserted({ Tags: ['nord', 'secret'] });
    const run = await inRun(nord, id, { Tags: ['nord', 'vip'] });
    expect((await undo(admin, run)).status).toBe(200);
    expect(await storedTags(id)).toEqual(['nord', 'secret']);
  });
});
