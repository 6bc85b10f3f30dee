import { beforeAll, describe, expect, it } from 'vitest';
import { adminOf, type Credential, credential } from '../setup/admin.ts';
import { finished, importedUser, submit } from '../setup/jobs.ts';
import { allSealed } from '../setup/journal.ts';
import { readDocument, type Validate } from '../setup/openapi.ts';
import { insertPrincipals, startTestService, type TestService } from '../setup/service.ts';

let service: TestService;
let validate: Validate;
let admin: ReturnType<typeof adminOf>;
let office: Credential;

beforeAll(async () => {
  service = await startTestService();
  admin = adminOf(service);
  ({ validate } = await readDocument(service));
  const [ID] = await insertPrincipals(service, 2);
  const id = await submit(service, 'irs/update', [{ ID, Users: [importedUser('one')] }]);
  await finished(service, id);
  office = await credential(service);
  await allSealed(service);
});

/** What is called, the status that comes of it, and with which body. */
const calls: [what: string, status: number, body?: unknown][] = [
  ['GET clients', 200],
  ['POST clients', 200, { Name: 'erp', Networks: ['10.0.0.0/8'] }],
  ['POST clients', 422, { Name: 'erp', KnownByAddress: true }],
  ['POST clients', 400, {}],
  ['POST clients/{publicKey}/rotate', 200, { Hours: 1 }],
  ['POST clients/{publicKey}/rotate', 400, { Hours: -1 }],
  ['DELETE clients/{publicKey}', 200],
  ['DELETE clients/{publicKey}', 422],
  ['GET calls', 200],
  ['GET jobs', 200],
  ['GET audit', 200],
  ['GET audit/verify', 200],
  ['POST webhooks', 200, { URL: 'https://erp.example.com/' }],
  ['POST webhooks', 400, {}],
  ['GET webhooks', 200],
  ['PATCH webhooks/{id}', 200, { Enabled: false }],
  ['GET webhooks/{id}/deliveries', 200],
  ['POST webhooks/{id}/replay', 200],
  ['DELETE webhooks/{id}', 200],
  ['DELETE webhooks/{id}', 404],
  ['GET statistics', 200],
];

describe('/openapi.json', () => {
  it('describes every answer of the administration as it is', async () => {
    const { SyncPublicKey = '' } = await credential(service, { scopes: ['sync:read'] });
    for (const [what, status, body] of calls) {
      const answer = await admin(
        `${what.replace('{publicKey}', SyncPublicKey).replace('{id}', '1')}?debug=true`,
        office,
        body,
      );
      expect([what, answer.status]).toEqual([what, status]);
      const [method = '', path = ''] = what.split(' ');
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
