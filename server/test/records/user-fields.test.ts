import { type User, userFields } from '@anagrafe/client';
import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let principal: number;

beforeAll(async () => {
  service = await startTestService();
  [principal = 0] = await insertPrincipals(service, 1);
});

const values: Pick<User, keyof typeof userFields> = {
  Email: 'mario@example.com',
  Phone: '+39 06 1234 567',
  FirstName: 'Mario',
  LastName: 'Rossi',
  Language: 'it-CH',
  // The value has every character that a JSON text or an array of PostgreSQL would have to escape.
  Attributes: { Department: 'Vendite "Nord" {1,2} \\ è', 'cost.centre-1_a': '', ['__proto__']: 'own' },
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

  it('are returned by login and login/refresh', async () => {
    const { Password } = newUser('mario.fields');
    const signedIn = await service.call('login', { Username: 'mario.fields', Password });
    const record = signedIn.body.result?.record as unknown as { RefreshToken: string };
    expect(record).toMatchObject(values);
    const { RefreshToken } = record;
    const refreshed = await service.call('login/refresh', { RefreshToken });
    expect(refreshed.body.result?.record).toMatchObject(values);
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
