import { type User, userFields } from '@anagrafe/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { insertPrincipals, newUser, startTestService, type TestService } from '../setup/service.ts';

let service: TestService;
let principal: number;

beforeAll(async () => {
  service = await startTestService();
  [principal = 0] = await insertPrincipals(service, 1);
});

const values: Readonly<Record<keyof typeof userFields, string>> = {
  Email: 'mario@example.com',
  Phone: '+39 06 1234 567',
};

describe('the fields of a user', () => {
  it('are stored as sent and returned by irs/users', async () => {
    const registered = await service.call('irs/update', [
      { ID: principal, Users: [{ ...newUser('mario.fields'), ...values }] },
    ]);
    expect(registered.status).toBe(200);
    const { body } = await service.call<User>('irs/users', { Username: 'mario.fields' });
    expect(body.result?.records).toMatchObject([values]);
  });

  it('are null for a user that was registered without them', async () => {
    await service.call('irs/update', [{ ID: principal, Users: [newUser('anna.fields')] }]);
    const { body } = await service.call<User>('irs/users', { Username: 'anna.fields' });
    const none = Object.fromEntries(Object.keys(values).map((field) => [field, null]));
    expect(body.result?.records).toMatchObject([none]);
  });

  it('are refused if they are longer than their limit, with an error at their place', async () => {
    const Phone = '1'.repeat(userFields.Phone.maxLength + 1);
    const { body } = await service.call('irs/update', [
      { ID: principal, Users: [{ ...newUser('long.fields'), Phone }] },
    ]);
    expect(JSON.stringify(body.result?.records)).toContain('"Users[0].Phone":[{"code":"TEXT_TOO_LONG"');
  });
});
