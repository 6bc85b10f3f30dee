import { adminOf, credential, recordOf } from '@anagrafe/testing/admin';
import { browserOf, ownPage } from '@anagrafe/testing/console';
import { rightPassword } from '@anagrafe/testing/login';
import { codesIn, type MailServer, mailSettingsOf, startMailServer } from '@anagrafe/testing/mail-server';
import {
  asOperator,
  enrol,
  operator,
  outdateConfirmations,
  signInOperator,
} from '@anagrafe/testing/operators';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

const nextPassword = 'another long phrase';
let mail: MailServer;
let service: TestService;
let browse: ReturnType<typeof browserOf>;

beforeAll(async () => {
  mail = await startMailServer();
  service = await startTestService({
    ...mailSettingsOf(mail),
    ANAGRAFE_PUBLIC_URL: 'https://people.example.com',
  });
  browse = browserOf(service);
});

const passwords = (Password: string) => ({ Password, ConfirmPassword: Password });

describe('the own account of an operator', () => {
  it('lists and ends its sessions, and changes its password after a confirmation', async () => {
    const email = 'anna@example.com';
    await operator(service, email, 'viewer');
    const [first, second] = [await asOperator(service, email), await asOperator(service, email)];
    const sessionsOf = async (headers: Record<string, string>) =>
      (await browse('GET /console/sessions', headers)).body.result?.records as {
        ID: string;
        Current: boolean;
      }[];
    expect((await sessionsOf(first)).filter(({ Current }) => Current)).toHaveLength(1);
    const other = (await sessionsOf(first)).find(({ Current }) => !Current)?.ID;
    expect((await browse(`DELETE /console/sessions/${other}`, first)).status).toBe(200);
    expect((await browse('GET /console/sessions', second)).status).toBe(401);

    // The session of another operator is unknown.
    await operator(service, 'berta@example.com', 'viewer');
    const berta = await asOperator(service, 'berta@example.com');
    const foreign = (await sessionsOf(berta))[0]?.ID;
    expect((await browse(`DELETE /console/sessions/${foreign}`, first)).status).toBe(404);

    const third = await asOperator(service, email);
    await outdateConfirmations(service);
    const change = (Password: string) => browse('POST /console/password/change', first, passwords(Password));
    expect((await change(nextPassword)).body.errorCode).toBe('CONFIRMATION_REQUIRED');
    await browse('POST /console/session/confirm', first, { Password: rightPassword });
    expect((await change(email)).body.errorCode).toBe('PASSWORD_REFUSED');
    expect((await change(nextPassword)).status).toBe(200);
    expect((await browse('GET /console/sessions', first)).status).toBe(200);
    expect((await browse('GET /console/sessions', third)).status).toBe(401);
    expect((await signInOperator(service, email)).status).toBe(401);
    expect((await signInOperator(service, email, { Password: nextPassword })).status).toBe(200);
  });

  it('is closed to API clients and to pages of other sites', async () => {
    const email = 'carla@example.com';
    await operator(service, email, 'viewer');
    const carla = await asOperator(service, email);
    const calls = ['GET /console/sessions', 'DELETE /console/sessions', 'POST /console/password/change'];
    for (const call of calls) {
      const body = call.startsWith('POST') ? passwords(nextPassword) : undefined;
      const { SyncPublicKey = '', SyncSecretKey = '' } = await credential(service);
      const keys = { ...ownPage, syncpublickey: SyncPublicKey, syncsecretkey: SyncSecretKey };
      expect([call, (await browse(call, keys, body)).status]).toEqual([call, 401]);
      const foreign = { ...carla, 'sec-fetch-site': 'cross-site' };
      expect([call, (await browse(call, foreign, body)).status]).toEqual([call, 403]);
    }
  });
});

describe('the mails of operators', () => {
  it('have a link to the page of the console, for an invitation and a forgotten password', async () => {
    const keys = await credential(service);
    const sent = { Email: 'dora@example.com', Name: 'Dora', Role: 'viewer', Mail: true };
    const created = recordOf<{ URL: string; Code: string }>(
      await adminOf(service)('POST operators', keys, sent),
    );
    expect(created.URL).toBe(`https://people.example.com/console/password#${created.Code}`);
    await expect.poll(() => mail.to('dora@example.com').length).toBe(1);
    expect(mail.to('dora@example.com')[0]?.text).toContain(created.URL);
    await browse('POST /console/password', ownPage, { Code: created.Code, ...passwords(rightPassword) });
    const { recovery } = await enrol(service, await asOperator(service, 'dora@example.com'));

    const forgot = (Email: string) => browse('POST /console/password/forgot', ownPage, { Email });
    const known = await forgot('DORA@example.com');
    const unknown = await forgot('nobody@example.com');
    expect([known.status, known.text]).toEqual([unknown.status, unknown.text]);
    await expect.poll(() => mail.to('dora@example.com').length).toBe(2);
    // The present password stays valid, and the new one does not replace the second factor.
    expect((await signInOperator(service, 'dora@example.com')).body.errorCode).toBe('SECOND_FACTOR_REQUIRED');
    const [Code] = mail.to('dora@example.com').slice(1).flatMap(codesIn);
    const set = await browse('POST /console/password', ownPage, { Code, ...passwords(nextPassword) });
    expect(set.status).toBe(200);
    const next = { Password: nextPassword };
    expect((await signInOperator(service, 'dora@example.com', next)).body.errorCode).toBe(
      'SECOND_FACTOR_REQUIRED',
    );
    expect((await signInOperator(service, 'dora@example.com', { ...next, Code: recovery[0] })).status).toBe(
      200,
    );
    expect(mail.recipients).not.toContain('nobody@example.com');
  });

  it('are not sent to a disabled operator, nor without a limit', async () => {
    const id = await operator(service, 'elsa@example.com', 'viewer');
    await adminOf(service)(`PATCH operators/${id}`, await credential(service), { State: 'disabled' });
    const forgot = () => browse('POST /console/password/forgot', ownPage, { Email: 'elsa@example.com' });
    const statuses = new Set<number>();
    for (let n = 0; n < 10; n++) statuses.add((await forgot()).status);
    expect([...statuses]).toEqual([200, 429]);
    // The mail of another operator, which is requested later, arrives.
    await operator(service, 'fabio@example.com', 'viewer');
    await browse('POST /console/password/forgot', { ...ownPage }, { Email: 'fabio@example.com' });
    await expect.poll(() => mail.to('fabio@example.com').length).toBe(1);
    expect(mail.recipients).not.toContain('elsa@example.com');
  });

  it('are refused without a mail server, before the operator is created', async () => {
    const silent = await startTestService();
    const sent = { Email: 'gina@example.com', Name: 'Gina', Role: 'viewer', Mail: true };
    const keys = await credential(silent);
    const refused = await adminOf(silent)('POST operators', keys, sent);
    expect(refused.body.errorCode).toBe('NO_MAIL_SERVER');
    expect((await adminOf(silent)('GET operators', keys)).body.result?.records).toEqual([]);
    await silent.stop();
  });
});
