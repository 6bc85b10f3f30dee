import { finished, importedUser, jobOf, readJob, submit } from '@anagrafe/testing/jobs';
import { newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let principal: number;

beforeAll(async () => {
  service = await startTestService();
  const { body } = await service.call('irs/insert', [{ ExternalKey: 'ERP-1', Denomination: 'Rossi Srl' }]);
  principal = body.result?.records[0]?.Item1 ?? 0;
});

async function usersOf(ID: number): Promise<string[]> {
  const { body } = await service.call<{ Username: string }>('irs/users', { ID });
  return (body.result?.records ?? []).map(({ Username }) => Username);
}

describe('a record that names its principal by its external key', () => {
  it('is applied to that principal, and its tuple has the ID of the principal', async () => {
    const { status, body } = await service.call('irs/update', [
      { ExternalKey: 'ERP-1', Users: [newUser('by key')] },
    ]);
    expect([status, body.result?.records[0]?.Item1]).toEqual([200, principal]);
    expect(await usersOf(principal)).toContain('by key');
  });

  it('resets only passwords of users of that principal', async () => {
    const [other] =
      (await service.call('irs/insert', [{ ExternalKey: 'ERP-2', Users: [newUser('other')] }])).body.result
        ?.records ?? [];
    const { body: users } = await service.call<{ ID: number }>('irs/users', { Username: 'other' });
    const reset = { ...newUser('unused'), Username: undefined, ID: users.result?.records[0]?.ID };
    const own = await service.call('irs/update', [{ ExternalKey: 'ERP-2', Users: [reset] }]);
    expect([own.status, own.body.result?.records[0]?.Item1]).toEqual([200, other?.Item1]);
    const refused = await service.call('irs/update', [{ ExternalKey: 'ERP-1', Users: [reset] }]);
    expect([refused.status, refused.body.errorCode]).toEqual([422, 'USER_NOT_FOUND']);
  });

  it('is refused if no principal has the key, which is case-sensitive', async () => {
    for (const ExternalKey of ['ERP-9', 'erp-1', ' ERP-1']) {
      const { status, body } = await service.call('irs/update', [
        { ExternalKey, Users: [newUser('of no principal')] },
      ]);
      expect([status, body.errorCode]).toEqual([422, 'PRINCIPAL_NOT_FOUND']);
      expect(body.result?.records[0]).toMatchObject({
        Item1: null,
        Item6: { ExternalKey },
        Item5: {
          ExternalKey: [
            { code: 'PRINCIPAL_NOT_FOUND', message: 'There is no principal with this ExternalKey.' },
          ],
        },
      });
    }
  });

  it.each([
    ['both an ID and a key', { ID: 1, ExternalKey: 'ERP-1' }, 'ID', 'AMBIGUOUS_PRINCIPAL'],
    ['neither an ID nor a key', {}, 'ID', 'REQUIRED'],
    ['a key that is null', { ExternalKey: null }, 'ID', 'REQUIRED'],
    ['a key that is not a string', { ExternalKey: 7 }, 'ExternalKey', 'WRONG_TYPE'],
    ['an empty key', { ExternalKey: '' }, 'ExternalKey', 'TEXT_EMPTY'],
    ['a key that is too long', { ExternalKey: 'x'.repeat(129) }, 'ExternalKey', 'TEXT_TOO_LONG'],
  ])('is refused with %s', async (_, named, place, code) => {
    const { status, body } = await service.call('irs/update', [{ ...named, Users: [newUser('refused')] }]);
    expect(status).toBe(422);
    expect(Object.keys(body.result?.records[0]?.Item5 ?? {})).toEqual([place]);
    expect(body.result?.records[0]?.Item5[place]?.[0]?.code).toBe(code);
  });

  it.each([
    ['en', 'Send ID or ExternalKey.'],
    ['it', 'Inviare ID oppure ExternalKey.'],
  ])(
    'is refused without ID and ExternalKey, with a message that names both fields (%s)',
    async (language, message) => {
      const headers = { 'accept-language': language };
      const { body } = await service.call('irs/update', [{ Users: [newUser('refused')] }], { headers });
      expect(body.result?.records[0]?.Item5).toEqual({ ID: [{ code: 'REQUIRED', message }] });
    },
  );

  it('is applied in the order sent, together with records that name the principal by its ID', async () => {
    await service.call('irs/update', [{ ID: principal, Users: [importedUser('in order')] }]);
    const { body } = await service.call<{ ID: number }>('irs/users', { Username: 'in order' });
    const ID = body.result?.records[0]?.ID;
    const reset = (Password: string) => [{ ID, Password, ConfirmPassword: Password }];
    const records = Array.from({ length: 20 }, (_, n) => ({
      ...(n % 2 === 0 ? { ID: principal } : { ExternalKey: 'ERP-1' }),
      Users: reset(`the password number ${n}`),
    }));
    await finished(service, await submit(service, 'irs/update', records));
    const login = { Username: 'in order', Password: 'the password number 19' };
    expect((await service.call('login', login)).status).toBe(200);
  });

  it('works in a job, whose failed records contain the key', async () => {
    const id = await submit(service, 'irs/update', [
      { ExternalKey: 'ERP-1', Users: [importedUser('of a job')] },
      { ExternalKey: 'ERP-9', Users: [importedUser('of no principal')] },
    ]);
    expect(jobOf(await finished(service, id)).RecordsFailed).toBe(1);
    expect(await usersOf(principal)).toContain('of a job');
    const failedRecords = JSON.parse((await readJob(service, `${id}/failed`)).text);
    expect(failedRecords).toMatchObject([{ ExternalKey: 'ERP-9', Position: 1 }]);
  });
});
