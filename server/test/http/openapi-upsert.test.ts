import { finished, importedUser, submit } from '@anagrafe/testing/jobs';
import { readDocument, type Validate } from '@anagrafe/testing/openapi';
import { type Answer, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { planOf, upsert } from '@anagrafe/testing/upserts';
import { beforeAll, describe, expect, it } from 'vitest';

const path = '/api/sync/v1/irs/upsert';

let service: TestService;
let validate: Validate;

beforeAll(async () => {
  service = await startTestService();
  ({ validate } = await readDocument(service));
  await upsert(service, [
    { ExternalKey: 'C-1', Denomination: 'Alfa Srl', Users: [importedUser('old'), importedUser('gone')] },
  ]);
});

function expectDescribed({ status, body }: Answer, expected: number) {
  expect(status).toBe(expected);
  const schema = ['paths', path, 'post', 'responses', status, 'content', 'application/json', 'schema'];
  expect(validate(schema, body)).toEqual([]);
}

const changed = {
  ExternalKey: 'C-1',
  Denomination: 'Beta Srl',
  Users: [{ Username: 'old', Email: 'old@example.com', Attributes: { Department: 'Sales' } }, newUser('new')],
};

describe('/openapi.json', () => {
  it('matches the answers to a dry run of irs/upsert, with and without a page', async () => {
    expectDescribed(await upsert(service, [changed], 'dryRun=true&missing=disable'), 200);
    expectDescribed(await upsert(service, [changed, { ExternalKey: '' }], 'dryRun=true&changed=true'), 207);
    expectDescribed(await upsert(service, [{ ExternalKey: '' }], 'dryRun=true&page=1'), 422);
  });

  it('matches the answers of irs/upsert to calls that are applied, refused or have an outdated plan', async () => {
    const plan = planOf(await upsert(service, [changed], 'dryRun=true&missing=delete'));
    const headers = { 'if-match': `"${plan}"` };
    expectDescribed(await upsert(service, [changed], 'missing=delete', headers), 200);
    expectDescribed(await upsert(service, [changed], 'missing=delete', headers), 412);
    expectDescribed(await upsert(service, [changed, { ExternalKey: '' }]), 207);
    expectDescribed(
      await upsert(service, [{ ExternalKey: 'C-1', Denomination: 'X' }], 'existing=refuse'),
      422,
    );
    expectDescribed(await upsert(service, [changed], 'missing=gone'), 400);
    const many = Array.from({ length: 21 }, (_, n) => importedUser(`many ${n}`));
    await upsert(service, [{ ExternalKey: 'C-2', Users: many }]);
    expectDescribed(await upsert(service, [{ ExternalKey: 'C-2', Users: [] }], 'missing=delete'), 422);
  });

  it('matches a job of irs/upsert with its counts', async () => {
    const id = await submit(service, 'irs/upsert', [changed, { ExternalKey: 'C-3' }]);
    const { status, body } = await finished(service, id);
    const schema = ['paths', '/api/sync/v1/jobs/{id}', 'get', 'responses', status];
    expect(validate([...schema, 'content', 'application/json', 'schema'], body)).toEqual([]);
  });

  it.each([
    [[{ ExternalKey: 'C', Email: '', Users: [] }]],
    [[{ ID: 1, ExternalKey: null, State: 'disabled', Users: null }]],
    [[{ ExternalKey: 'C', Users: [{ Username: 'a', Email: '', Phone: null, State: 'active' }] }]],
    [[{ ExternalKey: 'C', Users: [importedUser('a')], Position: 3, FieldErrors: {} }]],
  ])('allows the body of irs/upsert %j', (body) => {
    const schema = ['paths', path, 'post', 'requestBody', 'content', 'application/json', 'schema'];
    expect(validate(schema, body)).toEqual([]);
  });

  it.each([
    [[]],
    [[{ Denomination: 'X' }]],
    [[{ ID: 1, ExternalKey: 'C' }]],
    [[{ ExternalKey: '' }]],
    [[{ ExternalKey: 'C', Users: [{ ID: 1 }] }]],
    [[{ ExternalKey: 'C', Users: [{ Username: 'a', Operation: 'edit' }] }]],
  ])('does not allow the body of irs/upsert %j', (body) => {
    const schema = ['paths', path, 'post', 'requestBody', 'content', 'application/json', 'schema'];
    expect(validate(schema, body)).not.toEqual([]);
  });
});
