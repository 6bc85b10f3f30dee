import { adminOf, type Credential, credential } from '@anagrafe/testing/admin';
import { allHashed } from '@anagrafe/testing/audit-chain';
import { finished, importedUser, submit } from '@anagrafe/testing/jobs';
import { readDocument, type Validate } from '@anagrafe/testing/openapi';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let validate: Validate;
let admin: ReturnType<typeof adminOf>;
let office: Credential;
let call: string;

beforeAll(async () => {
  // Without ANAGRAFE_WEBHOOK_NETWORKS the service sends nothing to the loopback address of the webhook below.
  service = await startTestService({ ANAGRAFE_WEBHOOK_NETWORKS: '127.0.0.0/8' });
  admin = adminOf(service);
  ({ validate } = await readDocument(service));
  const [ID] = await insertPrincipals(service, 2);
  const id = await submit(service, 'irs/update', [{ ID, Users: [importedUser('one')] }]);
  await finished(service, id);
  office = await credential(service);
  await service.call('irs/update', [{ ID: 999, Users: [importedUser('two')] }], { headers: office });
  const { body } = await admin<{ CallID: string }>('GET calls?failed=true', office);
  call = body.result?.records[0]?.CallID ?? '';
  await allHashed(service);
});

/** Calls with the status that each must get. They run in this order, and later ones depend on earlier ones. */
const calls: [what: string, status: number, body?: unknown][] = [
  ['GET clients', 200],
  ['POST clients', 200, { Name: 'erp', Networks: ['10.0.0.0/8'] }],
  ['POST clients', 422, { Name: 'erp', KnownByAddress: true }],
  ['POST clients', 400, {}],
  ['POST clients/{publicKey}/rotate', 200, { Hours: 1 }],
  ['POST clients/{publicKey}/rotate', 400, { Hours: -1 }],
  ['PATCH clients/{publicKey}', 200, { Name: 'other', Scopes: ['sync:read'] }],
  ['PATCH clients/{publicKey}', 422, { KnownByAddress: true }],
  ['DELETE clients/{publicKey}', 200],
  ['DELETE clients/{publicKey}', 422],
  ['GET calls', 200],
  ['GET calls/{call}', 200],
  ['GET calls/{call}/failed', 200],
  ['GET calls/{nothing}', 404],
  ['GET failures', 200],
  ['GET jobs', 200],
  ['GET audit', 200],
  ['GET audit/verify', 200],
  ['POST webhooks', 200, { URL: 'https://127.0.0.1/' }],
  ['POST webhooks', 400, {}],
  ['GET webhooks', 200],
  ['PATCH webhooks/{id}', 200, { Enabled: false }],
  ['GET webhooks/{id}/deliveries', 200],
  ['POST webhooks/{id}/test', 200],
  ['POST webhooks/{id}/rotate', 200, { Hours: 1 }],
  ['GET webhooks/{id}/deliveries', 200],
  ['GET webhooks/{id}/deliveries/{delivery}', 200],
  ['POST webhooks/{id}/replay', 200],
  ['DELETE webhooks/{id}', 200],
  ['DELETE webhooks/{id}', 404],
  ['GET webhooks/{id}/deliveries/{delivery}', 404],
  ['GET statistics', 200],
];

describe('/openapi.json', () => {
  it('matches every answer of the admin API', async () => {
    const { SyncPublicKey = '' } = await credential(service, { scopes: ['sync:read'] });
    let delivery = '';
    for (const [what, status, body] of calls) {
      const found = what
        .replace('{publicKey}', SyncPublicKey)
        .replace('{call}', call)
        .replace('{nothing}', 'nothing')
        .replace('{delivery}', delivery)
        .replace('{id}', '1');
      const answer = await admin<{ ID: string }>(`${found}?debug=true`, office, body);
      expect([what, answer.status]).toEqual([what, status]);
      if (what.endsWith('deliveries')) delivery = answer.body.result?.records[0]?.ID ?? '';
      const [method = '', path = ''] = what.replace(/\{(call|nothing)\}/, '{id}').split(' ');
      const place = ['paths', `/admin/v1/${path}`, method.toLowerCase()];
      const schema = [...place, 'responses', status, 'content', 'application/json', 'schema'];
      expect([what, validate(schema, answer.body)]).toEqual([what, []]);
      if (body !== undefined && status !== 400) {
        const request = [...place, 'requestBody', 'content', 'application/json', 'schema'];
        expect([what, validate(request, body)]).toEqual([what, []]);
      }
    }
  });
});
