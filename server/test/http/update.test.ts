import { beforeAll, describe, expect, it } from 'vitest';
import { insertPrincipals, newUser, startTestService, type TestService } from '../setup/service.ts';

let service: TestService;
let principal: number;

beforeAll(async () => {
  service = await startTestService();
  [principal = 0] = await insertPrincipals(service, 1);
});

describe('irs/update as documented', () => {
  it('answers the registration sample byte for byte', async () => {
    const { status, text } = await service.call('irs/update', [
      { ID: principal, Users: [newUser('sample')] },
    ]);
    expect(status).toBe(200);
    expect(text).toBe(
      `{"statusCode":200,"errorCode":null,"message":null,"result":{"totalCount":1,"totalPages":1,"page":1,"count":1,"records":[{"Item1":${principal},"Item2":null,"Item3":true,"Item4":null,"Item5":{},"Item6":{}}],"record":null},"debug":null}`,
    );
  });
});
