import { adminOf, credential, recordOf } from '@anagrafe/testing/admin';
import { browserOf, keysOf, ownPage } from '@anagrafe/testing/console';
import { lengthenWaits, rightPassword } from '@anagrafe/testing/login';
import { asOperator, enrol, operator, signInOperator } from '@anagrafe/testing/operators';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let browse: ReturnType<typeof browserOf>;

beforeAll(async () => {
  service = await startTestService();
  await lengthenWaits(service);
  browse = browserOf(service);
});

const actions = async (id: number) =>
  (
    await service.database.query<{ action: string }>(
      `select action from anagrafe.audit_log where client_id = $1 or (details ->> 'operator')::bigint = $1 order by id`,
      [id],
    )
  ).map(({ action }) => action);

describe('signing in as an operator', () => {
  it('takes the password, and names the operator in the audit log and in events', async () => {
    const id = await operator(service, 'Anna@example.com', 'editor');
    const anna = await asOperator(service, 'anna@EXAMPLE.com');
    const { body } = await browse('GET /console/session', anna);
    expect(body.result?.record).toMatchObject({
      State: 'signed-in',
      Client: null,
      Operator: { ID: id, Role: 'editor' },
    });
    const inserted = await browse('POST /api/sync/v1/irs/insert', anna, [{ Denomination: 'Rossi' }]);
    expect(inserted.status).toBe(200);
    const rows = () => browse(`GET /admin/v1/audit?client=${id}&action=insert`, anna);
    await expect
      .poll(async () => (await rows()).body.result?.records)
      .toMatchObject([{ Actor: 'console', ClientID: id, ClientName: 'Name of Anna@example.com' }]);
    const events = await browse('GET /api/sync/v1/events', anna);
    expect(events.text).toContain('"Operator":"Name of Anna@example.com"');
  });

  it('gives one answer for an unknown address, a wrong password and a disabled operator', async () => {
    const id = await operator(service, 'bruno@example.com', 'desk');
    const wrong = await signInOperator(service, 'bruno@example.com', { Password: 'not this one' });
    const unknown = await signInOperator(service, 'nobody@example.com');
    const stolen = await asOperator(service, 'bruno@example.com');
    await adminOf(service)(`PATCH operators/${id}`, await credential(service), { State: 'disabled' });
    const disabled = await signInOperator(service, 'bruno@example.com');
    expect(new Set([wrong, unknown, disabled].map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(wrong.status).toBe(401);
    // The session from before is of no use, also after the operator is enabled again.
    expect((await browse('GET /admin/v1/clients', stolen)).status).toBe(401);
    await adminOf(service)(`PATCH operators/${id}`, await credential(service), { State: 'active' });
    expect((await browse('GET /admin/v1/clients', stolen)).status).toBe(401);
  });

  it('delays many guesses, also with the right password at the end', async () => {
    await operator(service, 'carla@example.com', 'viewer');
    for (let n = 0; n < 6; n++)
      await signInOperator(service, 'carla@example.com', { Password: `guess ${n}` });
    const { status, body } = await signInOperator(service, 'carla@example.com');
    expect([status, body.errorCode]).toEqual([429, 'RATE_LIMITED']);
  });

  it('refuses pages of other sites, and API clients if only operators may sign in', async () => {
    const sent = { Email: 'anna@example.com', Password: rightPassword };
    const foreign = await browse('POST /console/session/operator', { origin: 'https://evil.example' }, sent);
    expect(foreign.status).toBe(403);
    const closed = await startTestService({ ANAGRAFE_CONSOLE_KEYS: 'false' });
    const keys = keysOf(await credential(closed));
    expect((await browserOf(closed)('POST /console/session', ownPage, keys)).status).toBe(403);
    await closed.stop();
  });

  it('ends a session after the idle timeout', async () => {
    await operator(service, 'dora@example.com', 'viewer');
    const dora = await asOperator(service, 'dora@example.com');
    expect((await browse('GET /admin/v1/clients', dora)).status).toBe(200);
    await service.database.query(
      `update anagrafe.operator_sessions set used_at = used_at - interval '31 minutes'`,
    );
    expect((await browse('GET /admin/v1/clients', dora)).status).toBe(401);
  });
});

describe('the second factor', () => {
  it('is required of administrators, and each code is accepted once', async () => {
    const id = await operator(service, 'elsa@example.com', 'admin');
    const before = await asOperator(service, 'elsa@example.com');
    expect((await browse('GET /admin/v1/clients', before)).body.message).toContain('second factor');
    const { codeIn, used, recovery } = await enrol(service, before);
    expect((await browse('GET /admin/v1/clients', before)).status).toBe(200);
    expect(recovery).toHaveLength(10);
    expect((await signInOperator(service, 'elsa@example.com')).body.errorCode).toBe('SECOND_FACTOR_REQUIRED');
    const code = codeIn(0);
    const answers = await Promise.all([
      signInOperator(service, 'elsa@example.com', { Code: code }),
      signInOperator(service, 'elsa@example.com', { Code: code }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    const replayed = await signInOperator(service, 'elsa@example.com', { Code: used });
    expect(replayed.status).toBe(401);
    const [first = ''] = recovery;
    expect((await signInOperator(service, 'elsa@example.com', { Code: first })).status).toBe(200);
    expect((await signInOperator(service, 'elsa@example.com', { Code: first })).status).toBe(401);
    expect(await actions(id)).toContain('operator.second_factor');
    const [stored] = await service.database.query<{ secret: Buffer }>(
      'select totp_secret as secret from anagrafe.operators where client_id = $1',
      [id],
    );
    expect(stored?.secret.length).toBeGreaterThan(32);
  });

  it('can be switched off for administrators', async () => {
    const relaxed = await startTestService({ ANAGRAFE_REQUIRE_SECOND_FACTOR: 'false' });
    await operator(relaxed, 'admin@example.com', 'admin');
    const admin = await asOperator(relaxed, 'admin@example.com');
    expect((await browserOf(relaxed)('GET /admin/v1/operators', admin)).status).toBe(200);
    await relaxed.stop();
  });
});

describe('confirming the identity', () => {
  it('is needed ten minutes after the sign-in, to delete, and for a new second factor', async () => {
    await operator(service, 'fabio@example.com', 'editor');
    const fabio = await asOperator(service, 'fabio@example.com');
    const deletion = () => browse('POST /api/sync/v1/irs/delete', fabio, [{ ID: 999_999 }]);
    expect((await deletion()).status).toBe(422);
    await service.database.query(
      `update anagrafe.operator_sessions set confirmed_at = confirmed_at - interval '11 minutes'`,
    );
    expect((await deletion()).status).toBe(403);
    const upsert = (query: string) =>
      browse(`POST /api/sync/v1/irs/upsert?${query}`, fabio, [{ ExternalKey: 'F-1', Users: [] }]);
    expect((await upsert('missing=delete')).status).toBe(403);
    expect((await upsert('missing=delete&dryRun=true')).status).toBe(200);
    expect((await upsert('missing=disable')).status).toBe(200);
    expect((await browse('POST /console/second-factor', fabio)).status).toBe(403);
    const wrong = await browse('POST /console/session/confirm', fabio, { Password: 'not this one' });
    expect(wrong.status).toBe(401);
    const right = await browse('POST /console/session/confirm', fabio, { Password: rightPassword });
    expect(right.status).toBe(200);
    expect((await deletion()).status).toBe(422);
  });
});

describe('managing operators', () => {
  it('is for administrators, and what others try is recorded', async () => {
    const id = await operator(service, 'gina@example.com', 'editor');
    const gina = await asOperator(service, 'gina@example.com');
    const escalation = await browse(`PATCH /admin/v1/operators/${id}`, gina, { Role: 'admin' });
    expect([escalation.status, escalation.body.errorCode]).toEqual([403, 'FORBIDDEN']);
    await expect.poll(() => actions(id)).toContain('operator.refused');
  });

  it('keeps the last administrator, also if two are removed at once', async () => {
    const own = await startTestService({ ANAGRAFE_REQUIRE_SECOND_FACTOR: 'false' });
    const ids = [
      await operator(own, 'a@example.com', 'admin'),
      await operator(own, 'b@example.com', 'admin'),
    ];
    const keys = await credential(own);
    const answers = await Promise.all(
      ids.map((id) => adminOf(own)(`PATCH operators/${id}`, keys, { State: 'disabled' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
    await own.stop();
  });

  it('refuses an address that is taken, and gives no credential of an API client', async () => {
    const admin = adminOf(service);
    const keys = await credential(service);
    const sent = { Email: 'ANNA@example.com', Name: 'Another', Role: 'viewer' };
    expect((await admin('POST operators', keys, sent)).body.errorCode).toBe('OPERATOR_EMAIL_TAKEN');
    const [found] = await service.database.query<{ key: string }>(
      'select public_key as key from anagrafe.clients where is_operator limit 1',
    );
    expect((await admin(`POST clients/${found?.key}/rotate`, keys)).body.errorCode).toBe('CLIENT_NOT_FOUND');
    expect((await admin('GET clients', keys)).text).not.toContain(found?.key);
  });

  it('ends the code, the password and the sessions with a reset', async () => {
    const id = await operator(service, 'hans@example.com', 'viewer');
    const hans = await asOperator(service, 'hans@example.com');
    const keys = await credential(service);
    const { Code } = recordOf<{ Code: string }>(await adminOf(service)(`POST operators/${id}/reset`, keys));
    expect((await browse('GET /admin/v1/clients', hans)).status).toBe(401);
    expect((await signInOperator(service, 'hans@example.com')).status).toBe(401);
    const set = (Password: string) =>
      browse('POST /console/password', ownPage, { Code, Password, ConfirmPassword: Password });
    expect((await set('hans@example.com')).body.errorCode).toBe('PASSWORD_REFUSED');
    expect((await set(rightPassword)).status).toBe(200);
    expect((await set(rightPassword)).body.errorCode).toBe('CODE_INVALID');
  });
});
