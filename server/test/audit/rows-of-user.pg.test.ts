import { allHashed } from '@anagrafe/testing/audit-chain';
import { asUser, login, registerUsers, signedIn } from '@anagrafe/testing/login';
import { getText, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import type { auditFields } from '../../src/audit/audit.routes.ts';

type Row = ReturnType<typeof auditFields>;

let service: TestService;
let principal: number;
let [anna, bruno]: readonly number[] = [];

async function rows(query: string): Promise<Row[]> {
  const { status, text } = await getText(service, `/admin/v1/audit?${query}`);
  expect([status, text]).toEqual([200, expect.any(String)]);
  return JSON.parse(text).result.records;
}
const actions = async (query: string) => (await rows(query)).map(({ Action }) => Action);

beforeAll(async () => {
  service = await startTestService();
  ({
    principal,
    ids: [anna, bruno],
  } = await registerUsers(service, 'anna', 'bruno'));
  const update = (user: object) => service.call('irs/update', [{ ID: principal, Users: [user] }]);
  await login(service, 'anna', 'wrong password');
  const session = await signedIn(service, 'anna');
  await service.call('logout', {}, asUser(session));
  await signedIn(service, 'bruno');
  const { Password, ConfirmPassword } = newUser('anna');
  await update({ ID: anna, Password, ConfirmPassword });
  await update({ Operation: 'edit', ID: anna, FirstName: 'Anna' });
  await service.call('irs/state', [{ ID: principal, Users: [{ ID: anna, State: 'disabled' }] }]);
  await service.call('irs/update', [{ ID: principal, Denomination: 'Another name' }]);
  await service.call('irs/delete', [{ ID: principal, Users: [{ ID: anna }] }]);
  await service.call('irs/users', {});
  await allHashed(service);
});

describe('the audit log of a user', () => {
  it('has its changes and sign-ins, also after it was deleted', async () => {
    const all = await rows(`user=${anna}`);
    expect(all.map(({ Action }) => Action)).toEqual([
      'update',
      'login.failed',
      'login',
      'logout',
      'update',
      'update',
      'state',
      'update',
    ]);
    expect(all.at(-1)?.Deleted).toEqual([anna]);
    expect(await rows(`user=${anna}&order=newest`)).toEqual(all.toReversed());
    expect(await rows(`user=${anna}&principal=${principal}`)).not.toEqual([]);
    expect(await rows(`user=${anna}&principal=${principal + 1}`)).toEqual([]);
  });

  it('has only sign-ins, or only changes, when asked', async () => {
    expect(await actions(`user=${anna}&signIns=true`)).toEqual(['login.failed', 'login', 'logout']);
    expect(await actions(`user=${anna}&signIns=false`)).toEqual([
      'update',
      'update',
      'update',
      'state',
      'update',
    ]);
    expect(await actions(`user=${bruno}`)).toEqual(['update', 'login']);
    expect(await actions('user=999999')).toEqual([]);
  });

  it('can be read in pages, from both ends', async () => {
    const all = await rows(`user=${anna}`);
    for (const order of ['oldest', 'newest']) {
      const found: Row[] = [];
      for (let after = ''; ; ) {
        const { text } = await getText(
          service,
          `/admin/v1/audit?user=${anna}&order=${order}&pageSize=3${after}`,
        );
        const { records, record } = JSON.parse(text).result;
        found.push(...records);
        if (!record.More) break;
        after = `&after=${record.After}`;
      }
      expect(found).toEqual(order === 'oldest' ? all : all.toReversed());
    }
  });
});
