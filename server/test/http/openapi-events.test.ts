import { allHashed } from '@anagrafe/testing/audit-chain';
import { finished, importedUser, submit } from '@anagrafe/testing/jobs';
import { registerUsers } from '@anagrafe/testing/login';
import { readDocument, type Validate } from '@anagrafe/testing/openapi';
import { startReceiver } from '@anagrafe/testing/receiver';
import { newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { subscribe } from '@anagrafe/testing/webhooks';
import { beforeAll, describe, expect, it } from 'vitest';
import { type CloudEvent, eventTypes } from '../../src/audit/events.ts';
import type { Envelope } from '../../src/http/envelope.ts';

let service: TestService;
let validate: Validate;

beforeAll(async () => {
  service = await startTestService({ ANAGRAFE_WEBHOOK_NETWORKS: '127.0.0.1', ANAGRAFE_WEBHOOK_WAITS: '0' });
  ({ validate } = await readDocument(service));
});

async function everything(): Promise<Envelope<CloudEvent>> {
  await allHashed(service);
  const answer = await fetch(`${service.url}/api/sync/v1/events?pageSize=1000`);
  return (await answer.json()) as Envelope<CloudEvent>;
}

const schema = [
  'paths',
  '/api/sync/v1/events',
  'get',
  'responses',
  200,
  'content',
  'application/json',
  'schema',
];

describe('/openapi.json', () => {
  it('matches every type of event, and no event with an extra field', async () => {
    const receiver = await startReceiver();
    receiver.answer = () => 500;
    await subscribe(service, receiver.url, { types: ['principal.inserted'] });
    const { principal, ids } = await registerUsers(service, 'one', 'two');
    const [ID = 0] = ids;
    await service.call('irs/update', [{ ID: principal, Users: [{ ...newUser('x'), Username: null, ID }] }]);
    await service.call('irs/state', [
      { ID: principal, State: 'disabled', Users: [{ ID, State: 'disabled' }] },
    ]);
    await service.call('irs/update', [
      { ID: principal, Denomination: 'Edited', Users: [{ Operation: 'edit', ID, Phone: '1' }] },
    ]);
    const other = await registerUsers(service, 'other');
    await service.call('irs/update', [
      { ID: other.principal, Users: [{ Operation: 'move', Username: 'two' }] },
    ]);
    const third = await registerUsers(service, 'third');
    await service.call('irs/merge', [{ ID: other.principal, From: { ID: third.principal } }]);
    await service.call(
      'irs/update',
      [{ ID: other.principal, Users: [{ Username: 'invited', Invite: 'code' }] }],
      { headers: { prefer: 'return=representation' } },
    );
    await service.call('irs/delete', [{ ID: principal }]);
    await finished(
      service,
      await submit(service, 'irs/insert', [{ Name: 'N', Users: [importedUser('three')] }]),
    );
    const typesOf = ({ result }: Envelope<CloudEvent>) => new Set(result?.records.map(({ type }) => type));
    await expect.poll(async () => typesOf(await everything())).toEqual(new Set(eventTypes));

    const answer = await everything();
    expect(validate(schema, answer)).toEqual([]);
    for (const type of eventTypes) {
      const records = (answer.result?.records ?? [])
        .filter((event) => event.type === type)
        .map((event) => ({ ...event, data: { ...event.data, More: 1 } }));
      expect(validate(schema, { ...answer, result: { ...answer.result, records } })).not.toEqual([]);
    }
  });
});
