import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { verify } from '@node-rs/argon2';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let owner: number;
let otherPrincipal: number;
let user: number;

beforeAll(async () => {
  service = await startTestService();
  [owner = 0, otherPrincipal = 0] = await insertPrincipals(service, 2);
  const { body } = await service.call(
    'irs/update',
    [{ ID: owner, Users: [newUser('anna', { Email: 'anna@example.com' })] }],
    { headers: { Prefer: 'return=representation' } },
  );
  user = body.result?.records[0]?.Item6.Users?.[0]?.ID ?? 0;
});

const reset = (ID: unknown, Password = 'a new long sentence') => ({
  ID,
  Password,
  ConfirmPassword: Password,
});

async function row(id: number): Promise<Record<string, unknown>> {
  const [found] = await service.database.query('select * from anagrafe.users where id = $1', [id]);
  return found ?? {};
}

describe('a password reset', () => {
  it('changes the hash, the session epoch and the timestamps of the user, and nothing else', async () => {
    const before = await row(user);
    const { status } = await service.call('irs/update', [{ ID: owner, Users: [reset(user)] }]);
    expect(status).toBe(200);
    const after = await row(user);
    expect(await verify(String(after.password_hash), 'a new long sentence')).toBe(true);
    expect(await verify(String(after.password_hash), 'correct horse battery')).toBe(false);
    const { password_hash, password_changed_at, updated_at, sessions_epoch, ...rest } = before;
    expect(after).toMatchObject({ ...rest, sessions_epoch: Number(sessions_epoch) + 1 });
    expect(Number(after.password_changed_at)).toBeGreaterThan(Number(password_changed_at));
    expect(Number(after.updated_at)).toBeGreaterThan(Number(updated_at));
    expect(after.password_hash).not.toBe(password_hash);
  });

  it('may set the password that the user already has', async () => {
    const again = [{ ID: owner, Users: [reset(user, 'the very same sentence')] }];
    expect((await service.call('irs/update', again)).status).toBe(200);
    expect((await service.call('irs/update', again)).status).toBe(200);
  });

  it('gets the same answer for a user of another principal as for an unknown user', async () => {
    const before = await row(user);
    const existing = await service.call('irs/update', [{ ID: otherPrincipal, Users: [reset(user)] }]);
    const unknown = await service.call('irs/update', [{ ID: otherPrincipal, Users: [reset(987_654_321)] }]);
    expect(existing.status).toBe(422);
    expect(existing.text).toBe(unknown.text);
    expect(existing.body.errorCode).toBe('USER_NOT_FOUND');
    expect(existing.body.result?.records).toEqual([
      {
        Item1: otherPrincipal,
        Item2: 'USER_NOT_FOUND',
        Item3: false,
        Item4: 'This principal has no user with this ID.',
        Item5: {
          'Users[0].ID': [{ code: 'USER_NOT_FOUND', message: 'This principal has no user with this ID.' }],
        },
        Item6: {},
      },
    ]);
    expect(await row(user)).toEqual(before);
  });

  it('reveals nothing about a user of another principal through the password rules', async () => {
    // The password rules refuse each of these for the user under its own principal.
    for (const password of ['anna@example.com', 'short', 'anna']) {
      const existing = await service.call('irs/update', [
        { ID: otherPrincipal, Users: [reset(user, password)] },
      ]);
      const unknown = await service.call('irs/update', [
        { ID: otherPrincipal, Users: [reset(987_654_321, password)] },
      ]);
      expect(existing.text).toBe(unknown.text);
    }
  });

  it('gets the same answer for an existing and an unknown user if the principal is unknown', async () => {
    const existing = await service.call('irs/update', [{ ID: 999_999, Users: [reset(user)] }]);
    const unknown = await service.call('irs/update', [{ ID: 999_999, Users: [reset(987_654_321)] }]);
    expect(existing.body.errorCode).toBe('PRINCIPAL_NOT_FOUND');
    expect(existing.text).toBe(unknown.text);
  });

  it('is refused if its record names one user twice', async () => {
    const { body } = await service.call('irs/update', [
      { ID: owner, Users: [reset(user), reset(user, 'yet another sentence')] },
    ]);
    expect(body.result?.records[0]?.Item5).toMatchObject({ 'Users[1].ID': [{ code: 'DUPLICATE_USER' }] });
  });

  it.each([
    ['a numeric string', '7'],
    ['a fraction', 7.5],
    ['zero', 0],
    ['a negative', -7],
    ['more than 2^53-1', 2 ** 53],
    ['an object', {}],
    ['a boolean', true],
  ])('is refused with %s as the ID of the user', async (_, id) => {
    const { status, body } = await service.call('irs/update', [{ ID: owner, Users: [reset(id)] }]);
    expect(status).toBe(422);
    expect(body.result?.records[0]).toMatchObject({
      Item2: 'INVALID_USERS',
      Item5: { 'Users[0].ID': [{ code: 'INVALID_ID' }] },
    });
  });

  it('gets USER_NOT_FOUND for the largest valid ID', async () => {
    const { body } = await service.call('irs/update', [
      { ID: owner, Users: [reset(Number.MAX_SAFE_INTEGER)] },
    ]);
    expect(body.errorCode).toBe('USER_NOT_FOUND');
  });

  it('is refused with the unknown field Email', async () => {
    const { body } = await service.call('irs/update', [
      { ID: owner, Users: [{ ...reset(user), Email: 'new@example.com' }] },
    ]);
    expect(body.result?.records[0]?.Item5).toMatchObject({ 'Users[0].Email': [{ code: 'UNKNOWN_FIELD' }] });
  });
});
