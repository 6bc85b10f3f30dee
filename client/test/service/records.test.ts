import { importedHash } from '@anagrafe/testing/jobs';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import { Anagrafe, ApiError, RecordError } from '../../src/index.ts';

let service: TestService;
let anagrafe: Anagrafe;
let principal: number;

beforeAll(async () => {
  service = await startTestService();
  anagrafe = new Anagrafe({ url: service.url });
  [principal = 0] = await insertPrincipals(service, 1);
});

const Password = 'correct horse battery';
const confirmed = { Password, ConfirmPassword: Password };
const missing = { ID: 999_999, Users: [{ ID: 1, ...confirmed }] };
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('register and reset', () => {
  it('fill in ConfirmPassword and return the users with their IDs', async () => {
    const users = await anagrafe.register(principal, [
      { Username: 'anna', Email: 'anna@example.com', Password },
      { Username: 'bruno', PasswordHash: importedHash },
    ]);
    expect(users).toEqual([
      { ID: expect.any(Number), Username: 'anna', Email: 'anna@example.com', Operation: 'register' },
      { ID: expect.any(Number), Username: 'bruno', Email: null, Operation: 'register' },
    ]);
    const [anna, bruno] = users;
    const reset = [anna, bruno].map((user) => ({ ID: user?.ID ?? 0, Password: 'a new sentence' }));
    expect(await anagrafe.reset(principal, reset)).toMatchObject([
      { ID: anna?.ID, Username: 'anna', Operation: 'reset' },
      { ID: bruno?.ID, Username: 'bruno', Operation: 'reset' },
    ]);
    const login = await anagrafe.login({ Username: 'bruno', Password: 'a new sentence' });
    expect(login.UserID).toBe(bruno?.ID);
  });

  it('throw a RecordError with the field errors by place, without any password', async () => {
    const users = [{ Username: 'carla', Password: 'short' }];
    const error = await failureOf(anagrafe.register(principal, users));
    expect(error).toBeInstanceOf(RecordError);
    expect(error).toMatchObject({
      name: 'RecordError',
      code: 'INVALID_USERS',
      fieldErrors: { 'Users[0].Password': [{ code: 'PASSWORD_TOO_SHORT', message: expect.any(String) }] },
      idempotencyKey: expect.any(String),
      requestId: expect.any(String),
    });
    expect(JSON.stringify(error) + String(error)).not.toContain('short"');
    const unknownUser = await failureOf(anagrafe.reset(principal, [{ ID: 999_999, Password }]));
    expect(unknownUser).toMatchObject({ code: 'USER_NOT_FOUND' });
  });
});

describe('insert, update and setStates', () => {
  it('return tuples if all, some or none of the records were applied', async () => {
    const inserted = await anagrafe.insert([{ Denomination: 'Rossi Srl' }, { Denomination: 'Bianchi Srl' }]);
    expect(inserted).toMatchObject({ status: 200, code: null, estimate: null, replayed: false });
    const [rossi, bianchi] = inserted.tuples.map(({ Item1 }) => Item1 ?? 0);
    const good = (Username: string) => ({ ID: rossi ?? 0, Users: [{ Username, ...confirmed }] });
    const some = await anagrafe.update([good('dario'), missing], { representation: true });
    expect(some).toMatchObject({ status: 207, code: 'PARTIALLY_APPLIED', message: expect.any(String) });
    expect(some.tuples).toMatchObject([
      { Item3: true, Item6: { Users: [{ Username: 'dario' }] } },
      { Item3: false, Item2: 'PRINCIPAL_NOT_FOUND' },
    ]);
    const none = await anagrafe.update([missing]);
    expect(none).toMatchObject({ status: 422, code: 'PRINCIPAL_NOT_FOUND', tuples: [{ Item3: false }] });
    const states = await anagrafe.setStates([{ ID: bianchi ?? 0, State: 'disabled' }]);
    expect(states).toMatchObject({ status: 200, tuples: [{ Item1: bianchi, Item3: true }] });
    expect((await anagrafe.list({ ID: bianchi ?? 0 }).page()).records[0]?.State).toBe('disabled');
  });

  it('return an estimate in a dry run, and apply nothing', async () => {
    const record = { ID: principal, Users: [{ Username: 'never', ...confirmed }] };
    const tried = await anagrafe.update([record, missing], { dryRun: true });
    expect(tried.estimate).toEqual({
      Register: 1,
      Reset: 0,
      RecordsFailed: 1,
      EstimatedSeconds: expect.any(Number),
    });
    expect(tried).toMatchObject({ status: 207, idempotencyKey: null });
    expect((await anagrafe.users({ Username: 'never' }).page()).records).toEqual([]);
  });

  it('are applied once for an idempotencyKey of the caller, and report a replay', async () => {
    const record = { ID: principal, Users: [{ Username: 'once', ...confirmed }] };
    const first = await anagrafe.update([record], { idempotencyKey: 'batch-17' });
    const again = await anagrafe.update([record], { idempotencyKey: 'batch-17' });
    expect([first.replayed, again.replayed]).toEqual([false, true]);
    expect(again.tuples).toEqual(first.tuples);
    const other = await failureOf(anagrafe.update([missing], { idempotencyKey: 'batch-17' }));
    expect(other).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED', idempotencyKey: 'batch-17' });
    const broken = anagrafe.update([record], { idempotencyKey: 'with a\nbreak' });
    await expect(broken).rejects.toThrow(TypeError);
  });

  it('throw an ApiError in the configured language if the call is refused as a whole', async () => {
    const italian = new Anagrafe({ url: service.url, language: 'it' });
    const [error, errore] = [await failureOf(anagrafe.update([])), await failureOf(italian.update([]))];
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: 'INVALID_BODY', status: 400, retryAfter: null });
    expect((error as ApiError).requestId).toMatch(/^[\w.-]+$/);
    expect(errore).toMatchObject({ code: 'INVALID_BODY' });
    expect((errore as ApiError).message).not.toBe((error as ApiError).message);
  });
});
