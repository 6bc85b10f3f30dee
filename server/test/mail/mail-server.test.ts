import { type MailServer, mailSettingsOf, startMailServer } from '@anagrafe/testing/mail-server';
import { insertPrincipal, unique } from '@anagrafe/testing/records';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { until } from '@anagrafe/testing/until';
import { describe, expect, it } from 'vitest';

/** Starts a service that does not retry within the test. */
const start = (server: MailServer, url = server.url) =>
  startTestService({ ...mailSettingsOf(server), ANAGRAFE_SMTP_URL: url, ANAGRAFE_MAIL_WAITS: '3600' });

async function invite(service: TestService, name: string): Promise<string> {
  const Username = unique(name);
  const Email = `${Username}@example.com`;
  await insertPrincipal(service, { Users: [{ Username, Email, Invite: 'email' }] });
  return Email;
}

async function firstAnswer(service: TestService): Promise<string> {
  const rows = () =>
    service.database.query<{ answer: string }>(
      `select answer from anagrafe.mails where state = 'pending' and attempts = 1`,
    );
  await until(async () => (await rows()).length === 1);
  return (await rows())[0]?.answer ?? '';
}

describe('a mail server', () => {
  it('that does not offer TLS receives neither mails nor the password of the service', async () => {
    const server = await startMailServer();
    const url = server.url.replace('//', '//user:canary-password@').replace('?starttls=off', '');
    const service = await start(server, url);
    await invite(service, 'clear');
    expect(await firstAnswer(service)).toMatch(/STARTTLS/i);
    expect(server.recipients).toEqual([]);
    const warning = service.log.find((line) => line.includes('the mail server is unavailable'));
    expect(warning).toBeDefined();
    expect(service.log.join()).not.toContain('canary-password');
  });

  it('with a certificate that is not trusted receives no mails', async () => {
    const server = await startMailServer({ options: { disabledCommands: ['AUTH'] } });
    const service = await start(server, server.url.replace('?starttls=off', ''));
    await invite(service, 'untrusted');
    expect(await firstAnswer(service)).toMatch(/certificate/i);
    expect(server.recipients).toEqual([]);
  });

  it('that is down costs one mail an attempt, and the others are sent when it is back', async () => {
    const first = await startMailServer();
    const port = Number(new URL(first.url).port);
    await first.stop();
    const service = await start(first);
    await invite(service, 'down');
    expect(await firstAnswer(service)).toMatch(/ECONNREFUSED|refused/i);
    const server = await startMailServer({ port });
    const Email = await invite(service, 'back');
    await until(() => server.to(Email).length === 1);
  });

  it('that is slow with one mail receives the others meanwhile', async () => {
    let release = () => {};
    const held = new Promise<null>((resolve) => {
      release = () => resolve(null);
    });
    const server = await startMailServer({
      onRecipient: (address) => (address.startsWith('held') ? held : null),
    });
    const service = await start(server);
    // The first mail of a batch is sent alone, so it is one that is not held.
    const names = ['first', 'held', 'other', 'other'].map((name) => unique(name));
    const Users = names.map((Username) => ({ Username, Email: `${Username}@example.com`, Invite: 'email' }));
    await insertPrincipal(service, { Users });
    const arrived = () => names.filter((name) => server.to(`${name}@example.com`).length === 1);
    await until(() => server.recipients.some((address) => address.startsWith('held')));
    release();
    await until(() => arrived().length === 4);
    expect(service.log.some((line) => line.includes('unavailable'))).toBe(false);
  });
});
