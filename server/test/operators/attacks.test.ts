import { adminOf, credential, recordOf } from '@anagrafe/testing/admin';
import { browserOf, ownPage } from '@anagrafe/testing/console';
import { holding } from '@anagrafe/testing/jobs';
import { lengthenWaits, rightPassword } from '@anagrafe/testing/login';
import {
  asOperator,
  enrol,
  invited,
  operator,
  outdateConfirmations,
  signInOperator,
} from '@anagrafe/testing/operators';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let browse: ReturnType<typeof browserOf>;

beforeAll(async () => {
  service = await startTestService({ ANAGRAFE_REQUIRE_SECOND_FACTOR: 'false' });
  await lengthenWaits(service);
  browse = browserOf(service);
});

const passwords = (Password: string) => ({ Password, ConfirmPassword: Password });
const statuses = (answers: readonly { readonly status: number }[]) =>
  answers.map(({ status }) => status).toSorted();

/** Makes the throttle forget the wrong guesses of a test. */
const forgetGuesses = () => service.database.query('delete from anagrafe.throttles');

describe('a session of an operator', () => {
  it('has a new token after each sign-in, whatever cookie the browser has sent', async () => {
    const email = 'fixed@example.com';
    await operator(service, email, 'viewer');
    const planted = `anagrafe_console=agc_${'x'.repeat(43)}`;
    const body = { Email: email, Password: rightPassword };
    const first = await browse('POST /console/session/operator', { ...ownPage, cookie: planted }, body);
    expect(first.cookie).toMatch(/^anagrafe_console=agc_[^;]+; .*HttpOnly/);
    expect(first.cookie).not.toContain(planted);
    const cookie = first.cookie?.split(';')[0] ?? '';
    const second = await browse('POST /console/session/operator', { ...ownPage, cookie }, body);
    const next = second.cookie?.split(';')[0] ?? '';
    expect(next).not.toBe(cookie);
    // The session that the browser had ends.
    const stateOf = async (sent: string) =>
      (await browse('GET /console/session', { ...ownPage, cookie: sent })).body.result?.record;
    expect(await stateOf(cookie)).toMatchObject({ Operator: null });
    expect(await stateOf(next)).toMatchObject({ State: 'signed-in' });
    // A wrong password ends nothing.
    const wrong = { ...body, Password: 'wrong password' };
    expect((await browse('POST /console/session/operator', { ...ownPage, cookie: next }, wrong)).status).toBe(
      401,
    );
    expect(await stateOf(next)).toMatchObject({ State: 'signed-in' });
    // Two cookies, of which a page of a subdomain has set one, count as two credentials.
    const both = { ...ownPage, cookie: `${planted}; ${cookie}` };
    expect((await browse('GET /admin/v1/jobs', both)).status).toBe(401);
  });

  it('is confirmed by itself alone', async () => {
    const email = 'confirmed@example.com';
    await operator(service, email, 'editor');
    const [stolen, own] = [await asOperator(service, email), await asOperator(service, email)];
    await outdateConfirmations(service);
    const confirmation = await browse('POST /console/session/confirm', own, { Password: rightPassword });
    expect(confirmation.status).toBe(200);
    const deletion = (headers: Record<string, string>) =>
      browse('POST /api/sync/v1/irs/delete', headers, [{ ID: 999_999 }]);
    expect([(await deletion(own)).status, (await deletion(stolen)).status]).toEqual([422, 403]);
  });

  it('that is not confirmed creates no API client, which would need no confirmation', async () => {
    const email = 'clients@example.com';
    await operator(service, email, 'admin');
    const admin = await asOperator(service, email);
    const known = await credential(service, { name: 'known' });
    await outdateConfirmations(service);
    for (const [call, body] of [
      ['POST /admin/v1/clients', { Name: 'mine', Scopes: ['admin'] }],
      [`PATCH /admin/v1/clients/${known.SyncPublicKey}`, { Scopes: ['admin'] }],
      [`POST /admin/v1/clients/${known.SyncPublicKey}/rotate`, {}],
      ['POST /admin/v1/operators', { Email: 'mine@example.com', Name: 'Mine', Role: 'admin' }],
    ] as const)
      expect([call, (await browse(call, admin, body)).body.errorCode]).toEqual([
        call,
        'CONFIRMATION_REQUIRED',
      ]);
    expect((await browse('GET /api/sync/v1/irs/export?hashes=true', admin)).body.errorCode).toBe(
      'CONFIRMATION_REQUIRED',
    );
  });

  it('that ends while a new password is hashed does not set it', async () => {
    const email = 'raced@example.com';
    const id = await operator(service, email, 'viewer');
    const session = await asOperator(service, email);
    const lock = ['select from anagrafe.operators where client_id = $1 for update', id] as const;
    const changing = await holding(service, lock, async ({ connection, blocked }) => {
      const change = browse('POST /console/password/change', session, passwords('the phrase of a thief'));
      await blocked(1);
      // A reset removes the password and the sessions.
      await connection.query('update anagrafe.operators set password_hash = null where client_id = $1', [id]);
      await connection.query('delete from anagrafe.operator_sessions where client_id = $1', [id]);
      return { change };
    });
    expect((await changing.change).status).toBe(401);
    expect((await signInOperator(service, email, { Password: 'the phrase of a thief' })).status).toBe(401);
  });
});

describe('a code of the second factor', () => {
  it('that a sign-in has used confirms nothing, and the other way round', async () => {
    const email = 'totp@example.com';
    await operator(service, email, 'editor');
    const { codeIn } = await enrol(service, await asOperator(service, email));
    const now = codeIn(0);
    const session = await asOperator(service, email, now);
    expect((await browse('POST /console/session/confirm', session, { Code: now })).status).toBe(401);
    const next = codeIn(1);
    expect((await browse('POST /console/session/confirm', session, { Code: next })).status).toBe(200);
    expect((await signInOperator(service, email, { Code: next })).status).toBe(401);
  });

  it('can be a recovery code, which two sign-ins at once use once', async () => {
    const email = 'recovery@example.com';
    const id = await operator(service, email, 'editor');
    const { recovery } = await enrol(service, await asOperator(service, email));
    const [Code = ''] = recovery;
    const attempts = [Code, Code.toLowerCase().replaceAll('-', ' ')].map((code) =>
      signInOperator(service, email, { Code: code }),
    );
    expect(statuses(await Promise.all(attempts))).toEqual([200, 401]);
    const [left] = await service.database.query<{ count: number }>(
      'select cardinality(recovery_codes) as count from anagrafe.operators where client_id = $1',
      [id],
    );
    expect(left?.count).toBe(9);
  });

  it('is guessed a few times only, and the right password is not lost', async () => {
    const email = 'guessed@example.com';
    await operator(service, email, 'editor');
    const { codeIn } = await enrol(service, await asOperator(service, email));
    await forgetGuesses();
    const guesses: number[] = [];
    for (let n = 0; n < 8; n++)
      guesses.push((await signInOperator(service, email, { Code: String(100_000 + n) })).status);
    expect(guesses).toContain(429);
    await forgetGuesses();
    expect((await signInOperator(service, email, { Code: codeIn(0) })).status).toBe(200);
  });

  it('cannot be replaced with a stolen session', async () => {
    const email = 'replaced@example.com';
    await operator(service, email, 'editor');
    const session = await asOperator(service, email);
    const { codeIn } = await enrol(service, session);
    await outdateConfirmations(service);
    expect((await browse('POST /console/second-factor', session)).status).toBe(403);
    const enrolment = await browse('POST /console/second-factor/confirm', session, { Code: codeIn(0) });
    expect(enrolment.status).toBe(403);
  });
});

describe('the code of an invitation', () => {
  it('ends with a reset, with a disable, and with its first use, also if it is used twice at once', async () => {
    const keys = await credential(service);
    const set = (code: string, password = rightPassword) =>
      browse('POST /console/password', ownPage, { Code: code, ...passwords(password) });
    const { operator: one, code: earlier } = await invited(service, 'invited@example.com', 'viewer');
    const { Code: later } = recordOf<{ Code: string }>(
      await adminOf(service)(`POST operators/${one.id}/reset`, keys),
    );
    expect((await set(earlier.text)).body.errorCode).toBe('CODE_INVALID');
    const answers = await Promise.all([set(later), set(later, 'another long phrase')]);
    expect(statuses(answers)).toEqual([200, 422]);
    const { operator: other, code } = await invited(service, 'other@example.com', 'viewer');
    await adminOf(service)(`PATCH operators/${other.id}`, keys, { State: 'disabled' });
    expect((await set(code.text)).body.errorCode).toBe('CODE_INVALID');
    await adminOf(service)(`PATCH operators/${other.id}`, keys, { State: 'active' });
    expect((await set(code.text)).body.errorCode).toBe('CODE_INVALID');
  });
});

describe('a limited operator', () => {
  it('with the role admin manages nothing, and its refusals are recorded', async () => {
    const email = 'limited@example.com';
    const id = await operator(service, email, 'admin', ['north']);
    const limited = await asOperator(service, email);
    const { Permissions, Operator } = recordOf<{ Permissions: string[]; Operator: { Tags: string[] } }>(
      await browse('GET /console/session', limited),
    );
    expect(Operator.Tags).toEqual(['north']);
    expect(Permissions).toContain('records.write');
    const whole = ['service.read', 'clients.write', 'operators.read', 'operators.write', 'webhooks.write'];
    expect(Permissions.filter((permission) => whole.includes(permission))).toEqual([]);
    for (const [call, body] of [
      ['GET /admin/v1/operators', undefined],
      [`PATCH /admin/v1/operators/${id}`, { Role: 'admin' }],
      ['POST /admin/v1/clients', { Name: 'whole', Scopes: ['admin'] }],
      ['GET /admin/v1/audit', undefined],
    ] as const) {
      const { status, body: answer } = await browse(call, limited, body);
      expect([call, status, answer.message]).toEqual([call, 403, expect.stringContaining('limited by tags')]);
    }
    const refusals = () =>
      service.database.query<{ permission: string }>(
        `select details ->> 'permission' as permission from anagrafe.audit_log where action = 'operator.refused' and client_id = $1`,
        [id],
      );
    await expect
      .poll(async () => (await refusals()).map(({ permission }) => permission).toSorted())
      .toEqual(['clients.write', 'operators.write', 'service.read']);
  });
});

describe('a role', () => {
  it('that only resets passwords is recorded when a record would do more', async () => {
    const email = 'desk@example.com';
    const id = await operator(service, email, 'desk');
    const desk = await asOperator(service, email);
    const { status } = await browse('POST /api/sync/v1/irs/update', desk, [{ ID: 1, Denomination: 'mine' }]);
    expect(status).toBe(422);
    const refusals = () =>
      service.database.query(
        `select from anagrafe.audit_log
          where action = 'operator.refused' and client_id = $1 and details ->> 'permission' = 'records.write'`,
        [id],
      );
    await expect.poll(async () => (await refusals()).length).toBe(1);
  });
});
