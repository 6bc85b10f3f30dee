import { finished, submit } from '@anagrafe/testing/jobs';
import {
  answered,
  codesIn,
  type MailServer,
  mailSettingsOf,
  startMailServer,
} from '@anagrafe/testing/mail-server';
import { insertPrincipal, range, unique } from '@anagrafe/testing/records';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { until } from '@anagrafe/testing/until';
import { beforeAll, describe, expect, it } from 'vitest';

let server: MailServer;
let service: TestService;

beforeAll(async () => {
  server = await startMailServer({
    onRecipient: (address) => (address.startsWith('unknown') ? answered(550, '5.1.1 no such user') : null),
  });
  service = await startTestService(mailSettingsOf(server));
});

/** Invites new users in one call, and returns their addresses. */
async function invite(names: readonly string[]): Promise<string[]> {
  const users = names.map((name) => {
    const Username = unique(name);
    return { Username, Email: `${Username}@example.com`, Invite: 'email' };
  });
  await insertPrincipal(service, { Users: users });
  return users.map(({ Email }) => Email);
}

async function statesOf(addresses: readonly string[]): Promise<Record<string, number>> {
  const rows = await service.database.query<{ state: string; count: number }>(
    `select mails.state, count(*)::integer as count from anagrafe.mails join anagrafe.users on users.id = user_id
      where users.email = any($1) group by mails.state`,
    [addresses],
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

async function callOf(address: string | undefined): Promise<string> {
  const [row] = await service.database.query<{ callId: string }>(
    `select call_id as "callId" from anagrafe.mails join anagrafe.users on users.id = user_id where users.email = $1`,
    [address],
  );
  return row?.callId ?? '';
}

async function resend(body: object): Promise<number> {
  const answer = await fetch(`${service.url}/admin/v1/mails/resend`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { result } = (await answer.json()) as { result: { record: { Queued: number } } };
  return result.record.Queued;
}

describe('the mails of a call', () => {
  it('stop when too many have failed, and are sent when an administrator resends those that stopped', async () => {
    const addresses = await invite(range(80).map(() => 'unknown'));
    await until(async () => (await statesOf(addresses)).pending === undefined);
    const { failed = 0, stopped = 0 } = await statesOf(addresses);
    expect(failed).toBeGreaterThan(20);
    expect(stopped).toBeGreaterThan(0);
    expect(failed + stopped).toBe(80);
    expect(service.log.some((line) => line.includes('stopped the mails of a job'))).toBe(true);
    const CallID = await callOf(addresses[0]);
    // Results of mails that were being sent when the others stopped may have arrived since.
    const resent = await resend({ CallID, State: 'stopped' });
    expect(resent).toBeGreaterThan(0);
    expect(resent).toBeLessThanOrEqual(stopped);
    await until(async () => (await statesOf(addresses)).pending === undefined);
    expect((await statesOf(addresses)).failed).toBeGreaterThan(failed);
  });

  it('are not stopped by failures when most of them arrive', async () => {
    const addresses = await invite(range(60).map((n) => (n % 6 === 0 ? 'unknown' : 'ok')));
    await until(async () => (await statesOf(addresses)).pending === undefined);
    expect(await statesOf(addresses)).toEqual({ failed: 10, sent: 50 });
  });

  it('are sent as slowly as the submission of a job asks, which only a job can', async () => {
    const addresses = range(3).map(() => `${unique('paced')}@example.com`);
    const Users = addresses.map((Email) => ({ Username: Email.replace('@', '.'), Email, Invite: 'email' }));
    const records = [{ ExternalKey: unique('paced'), Users }];
    const refused = await service.call('irs/insert?perMinute=1', records);
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('respond-async')]);
    const key = { 'idempotency-key': unique('paced') };
    const job = await submit(service, 'irs/insert?perMinute=1', records, key);
    await finished(service, job);
    expect(await statesOf(addresses)).toEqual({ pending: 3 });
    await service.database.query(
      `update anagrafe.mail_waves set released_at = now() - interval '1 hour' where call_id = $1`,
      [job],
    );
    await until(async () => (await statesOf(addresses)).sent === 1);
    expect(await statesOf(addresses)).toEqual({ pending: 2, sent: 1 });
    const other = await service.call('irs/insert?perMinute=2', records, {
      headers: { ...key, prefer: 'respond-async' },
    });
    expect(other.body.errorCode).toBe('IDEMPOTENCY_KEY_REUSED');
  });

  it('are sent again as slowly as an administrator asks, with codes that end the earlier ones', async () => {
    const addresses = await invite(['slow', 'slow', 'slow']);
    await until(async () => (await statesOf(addresses)).sent === 3);
    const CallID = await callOf(addresses[0]);
    expect(await resend({ CallID, PerMinute: 1 })).toBe(3);
    const received = () => addresses.filter((address) => server.to(address).length === 2);
    expect(received()).toEqual([]);
    await service.database.query(
      `update anagrafe.mail_waves set released_at = now() - interval '1 hour' where call_id = $1`,
      [CallID],
    );
    // The mail server has a mail before the service has stored that it was sent.
    await until(async () => (await statesOf(addresses)).pending === 2);
    expect(received()).toHaveLength(1);
    const [mail, again] = server.to(received()[0] ?? '');
    expect(again?.messageId).not.toBe(mail?.messageId);
    const set = (Code: string | undefined) =>
      service.call('password/set', {
        Code,
        Password: 'a new long sentence',
        ConfirmPassword: 'a new long sentence',
      });
    expect((await set(mail && codesIn(mail)[0])).body.errorCode).toBe('CODE_INVALID');
    expect((await set(again && codesIn(again)[0])).status).toBe(200);
  });
});
