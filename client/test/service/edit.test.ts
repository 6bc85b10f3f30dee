import { importedUser } from '@anagrafe/testing/jobs';
import { login, signedIn } from '@anagrafe/testing/login';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import { Anagrafe, ApiError, RecordError } from '../../src/index.ts';

let service: TestService;
let anagrafe: Anagrafe;

beforeAll(async () => {
  service = await startTestService();
  anagrafe = new Anagrafe({ url: service.url, retries: 0 });
});

let number = 0;
async function company() {
  const key = `E-${++number}`;
  const [one, two] = [`one.${number}`, `two.${number}`];
  const Users = [importedUser(one), importedUser(two)];
  const id = await anagrafe.create({ ExternalKey: key, Denomination: 'Rossi Srl', Users });
  return { id, key, one, two };
}

async function stored(id: number) {
  const { records } = await anagrafe.list({ ID: id }).page();
  return records[0];
}

describe('the client', () => {
  it('accepts the ID or the external key of a principal', async () => {
    const { id, key, one } = await company();
    const password = { Password: 'una frase lunga' };
    for (const [index, principal] of [id, { ID: id }, { ExternalKey: key }].entries()) {
      const [user] = await anagrafe.register(principal, [{ Username: `${one}.${index}`, ...password }]);
      expect(user?.Username).toBe(`${one}.${index}`);
      await anagrafe.edit(principal, { Denomination: `Name ${index}` });
      expect((await stored(id))?.Denomination).toBe(`Name ${index}`);
    }
  });

  it('edits a principal and its users in one record', async () => {
    const { id, key, one, two } = await company();
    const users = await anagrafe.edit(
      { ExternalKey: key },
      {
        NewExternalKey: `${key}-new`,
        Users: [
          { Username: one, Email: 'one@example.com' },
          { Username: two, NewUsername: `${two}.new`, State: 'disabled' },
        ],
      },
    );
    expect(users.map(({ Operation }) => Operation)).toEqual(['edit', 'edit']);
    expect(await stored(id)).toMatchObject({
      ExternalKey: `${key}-new`,
      Denomination: 'Rossi Srl',
      Users: [
        { Username: one, Email: 'one@example.com', State: 'active' },
        { Username: `${two}.new`, State: 'disabled' },
      ],
    });
  });

  it('throws a RecordError with the field errors if an edit is not applied', async () => {
    const { id, one } = await company();
    const edit = anagrafe.edit(id, { Denomination: 'Changed', Users: [{ Username: one, Email: 'nothing' }] });
    const error = await edit.catch((thrown) => thrown);
    expect(error).toBeInstanceOf(RecordError);
    expect(error.fieldErrors).toEqual({
      'Users[0].Email': [expect.objectContaining({ code: 'EMAIL_INVALID' })],
    });
    expect((await stored(id))?.Denomination).toBe('Rossi Srl');
  });

  it('resets passwords of users by ID or username, also to a password hash', async () => {
    const { id, one, two } = await company();
    const [first] = (await stored(id))?.Users ?? [];
    await anagrafe.reset(id, [
      { ID: first?.ID ?? 0, Password: 'una frase nuova' },
      { Username: two, PasswordHash: importedUser(two).PasswordHash },
    ]);
    expect((await login(service, one, 'una frase nuova')).status).toBe(200);
    await anagrafe.reset(id, [{ Username: two, Password: 'una frase nuova' }]);
    expect((await login(service, two, 'una frase nuova')).status).toBe(200);
  });

  it('deletes users, and a principal with all of its users', async () => {
    const { id, one, two } = await company();
    await anagrafe.remove(id, [{ Username: one }]);
    expect((await stored(id))?.Users.map(({ Username }) => Username)).toEqual([two]);
    await expect(anagrafe.remove(id, [{ Username: one }])).rejects.toMatchObject({ code: 'USER_NOT_FOUND' });
    await anagrafe.remove(id);
    expect(await stored(id)).toBeUndefined();
    const { tuples } = await anagrafe.delete([{ ID: id }]);
    expect(tuples[0]?.Item2).toBe('PRINCIPAL_NOT_FOUND');
  });

  it('returns the plan of an upsert, and applies it only if the stored data has not changed', async () => {
    const { id, key, one, two } = await company();
    const records = [{ ExternalKey: key, Denomination: 'Rossi Spa', Users: [{ Username: one }] }];
    const { plan, counts, tuples } = await anagrafe.upsert(records, {
      dryRun: true,
      missing: 'delete',
      representation: true,
    });
    expect(counts).toMatchObject({ PrincipalsUpdated: 1, UsersDeleted: 1, RecordsFailed: 0, Plan: plan });
    expect(tuples[0]?.Item6.Users?.map(({ Username, Operation }) => [Username, Operation])).toEqual([
      [one, 'none'],
      [two, 'delete'],
    ]);
    await anagrafe.edit(id, { Users: [{ Username: two, Email: 'meanwhile@example.com' }] });
    const outdated = await anagrafe
      .upsert(records, { missing: 'delete', ifMatch: plan })
      .catch((thrown) => thrown);
    expect(outdated).toBeInstanceOf(ApiError);
    expect([outdated.status, outdated.code]).toEqual([412, 'PLAN_OUTDATED']);
    expect((await stored(id))?.Users).toHaveLength(2);

    const next = await anagrafe.upsert(records, { dryRun: true, missing: 'delete' });
    const applied = await anagrafe.upsert(records, { missing: 'delete', ifMatch: next.plan });
    expect([applied.counts.UsersDeleted, applied.plan]).toEqual([1, null]);
    expect(await stored(id)).toMatchObject({ Denomination: 'Rossi Spa', Users: [{ Username: one }] });
  });

  it('submits an upsert as a job with its options', async () => {
    const { id, key, one } = await company();
    const records = [{ ExternalKey: key, Users: [{ Username: one }] }];
    const { ID } = await anagrafe.jobs.submit('upsert', records, { missing: 'disable' });
    const job = await anagrafe.jobs.wait(ID, { pollMs: 50 });
    expect([job.Operation, job.RecordsFailed]).toEqual(['upsert', 0]);
    expect((await stored(id))?.Users.map(({ State }) => State)).toEqual(['active', 'disabled']);
  });

  it('lists and ends the sessions of a user', async () => {
    const { id, one } = await company();
    const [user] = await anagrafe.reset(id, [{ Username: one, Password: 'correct horse battery' }]);
    for (let count = 0; count < 3; count++) await signedIn(service, one);
    const { sessions } = anagrafe.admin;
    const userId = user?.ID ?? 0;
    const found = [];
    for await (const session of sessions.list(userId, { pageSize: 2 })) found.push(session.ID);
    expect(found).toHaveLength(3);
    await sessions.end(userId, found[0] ?? '');
    expect([await sessions.endAll(userId), await sessions.endAll(userId)]).toEqual([2, 0]);
  });

  it('reads the settings of the service', async () => {
    const settings = new Map((await anagrafe.admin.settings()).map(({ Name, Value }) => [Name, Value]));
    expect(settings.get('ANAGRAFE_MASTER_KEY')).toBe('********');
    expect(settings.get('ANAGRAFE_PASSWORD_MIN')).toBe('8');
  });
});
