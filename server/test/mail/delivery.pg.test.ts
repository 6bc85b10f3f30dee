import {
  answered,
  codesIn,
  type MailServer,
  mailSettingsOf,
  startMailServer,
} from '@anagrafe/testing/mail-server';
import { insertPrincipal, unique } from '@anagrafe/testing/records';
import { newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { until } from '@anagrafe/testing/until';
import { beforeAll, describe, expect, it } from 'vitest';

let server: MailServer;
let service: TestService;
const seen = new Set<string>();

/** The server answers by the local part of the address. */
beforeAll(async () => {
  server = await startMailServer({
    onRecipient(address) {
      if (address.startsWith('unknown')) return answered(550, '5.1.1 no such user');
      if (address.startsWith('full')) return answered(452, '4.2.2 mailbox full');
      if (!address.startsWith('grey') || seen.has(address)) return null;
      seen.add(address);
      return answered(451, '4.7.1 greylisted, try again');
    },
    onMail(mail) {
      const [{ address = '' } = {}] = mail.to;
      return address.startsWith('spam') ? answered(554, `5.7.1 refused: ${codesIn(mail)[0]}`) : null;
    },
  });
  service = await startTestService(mailSettingsOf(server));
});

async function invite(name: string, more: Record<string, unknown> = {}) {
  const username = unique(name);
  const Email = `${username}@example.com`;
  const Users = [{ Username: username, Email, Invite: 'email', ...more }];
  const { userIds } = await insertPrincipal(service, { Denomination: 'ACME <Srl>', Users });
  return { username, Email, id: userIds[0] ?? 0 };
}

interface MailRow {
  readonly ID: string;
  readonly State: string;
  readonly Attempts: number;
  readonly Answer: string | null;
}

async function mailOf(username: string): Promise<MailRow | undefined> {
  const answer = await fetch(`${service.url}/admin/v1/mails?pageSize=1000`);
  const { result } = (await answer.json()) as { result: { records: (MailRow & { Username: string })[] } };
  return result.records.find(({ Username }) => Username === username);
}

/** Waits until there is a value. */
async function found<Value>(read: () => Promise<Value | undefined> | Value | undefined): Promise<Value> {
  let value: Value | undefined;
  await until(async () => {
    value = await read();
    return value !== undefined;
  });
  return value as Value;
}

const settled = (username: string) =>
  found(async () => {
    const mail = await mailOf(username);
    return mail?.State === 'pending' ? undefined : mail;
  });

const set = (Code: string | undefined) =>
  service.call('password/set', {
    Code,
    Password: 'a new long sentence',
    ConfirmPassword: 'a new long sentence',
  });

describe('the mail of an invitation', () => {
  it('has a text and an HTML part with the code and the link, with which the user sets its password', async () => {
    const { username, Email } = await invite('ok', { FirstName: 'Mario', LastName: '<b>Rossi' });
    const { State, ID } = await settled(username);
    expect(State).toBe('sent');
    const [mail] = server.to(Email);
    const [code] = codesIn(mail ?? ({} as never));
    expect(mail).toMatchObject({
      messageId: `<${ID}@example.com>`,
      from: { name: 'Anagrafe', address: 'no-reply@example.com' },
      subject: 'Anagrafe: choose your password',
    });
    expect(mail?.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated');
    expect(mail?.text).toContain(`Link: https://anagrafe.example.com/account/set-password#${code}\n`);
    expect(mail?.text).toContain('Hello Mario <b>Rossi,');
    expect(mail?.html).toContain('Hello Mario &lt;b&gt;Rossi,');
    expect(mail?.html).toContain('ACME &lt;Srl&gt;');
    expect(mail?.html).toContain(`href="https://anagrafe.example.com/account/set-password#${code}"`);
    expect(mail?.html).toContain(`>${code}</strong>`);
    expect((await set(code)).status).toBe(200);
  });

  it('is in Italian for a user with that language', async () => {
    const { username, Email } = await invite('ok', { Language: 'it-CH' });
    await settled(username);
    expect(server.to(Email)[0]?.subject).toBe('Anagrafe: scegli la tua password');
    expect(server.to(Email)[0]?.text).toContain('Il codice vale 7 giorni');
  });

  it('fails for good, with the answer of the mail server, if the address does not exist', async () => {
    const { username } = await invite('unknown');
    expect(await settled(username)).toMatchObject({ State: 'failed', Attempts: 1 });
    expect((await mailOf(username))?.Answer).toContain('550 5.1.1 no such user');
  });

  it('fails after the last wait if the mailbox stays full', async () => {
    const { username } = await invite('full');
    expect(await settled(username)).toMatchObject({ State: 'failed', Attempts: 4 });
    expect((await mailOf(username))?.Answer).toContain('452 4.2.2 mailbox full');
  });

  it('is sent again to a server that greylists it', async () => {
    const { username, Email } = await invite('grey');
    expect(await settled(username)).toMatchObject({ State: 'sent', Attempts: 2, Answer: null });
    expect(server.to(Email)).toHaveLength(1);
  });

  it('leaves no code in the stored answer of a server that quotes the mail', async () => {
    const { username } = await invite('spam');
    expect(await settled(username)).toMatchObject({ State: 'failed', Answer: '554 5.7.1 refused: …' });
  });
});

describe('the mail about a forgotten password', () => {
  it('lists all enabled users with the address, each with a code', async () => {
    const Email = `${unique('shared')}@example.com`;
    const names = [unique('one'), unique('two'), unique('off')];
    const { id, userIds } = await insertPrincipal(service, {
      Users: names.map((name) => newUser(name, { Email })),
    });
    await service.call('irs/state', [{ ID: id, Users: [{ ID: userIds[2], State: 'disabled' }] }]);
    await service.call('password/forgot', { Email: Email.toUpperCase() });
    const mail = await found(() => server.to(Email)[0]);
    const codes = codesIn(mail);
    expect(codes).toHaveLength(2);
    expect(mail.text).toContain('The code is valid for 1 hour');
    // The link does what the heading says.
    expect(mail.html?.match(/>Set a new password<\/(h1|a)>/g)).toHaveLength(3);
    expect(names.map((name) => mail.text?.includes(`Username: ${name}`))).toEqual([true, true, false]);
    expect((await set(codes[1])).body.result?.record).toEqual({ Username: names[1] });
  });

  it('is not sent for unknown and disabled accounts, whose requests are removed', async () => {
    const Email = `${unique('disabled')}@example.com`;
    const Username = unique('disabled');
    const { id, userIds } = await insertPrincipal(service, { Users: [newUser(Username, { Email })] });
    await service.call('irs/state', [{ ID: id, Users: [{ ID: userIds[0], State: 'disabled' }] }]);
    for (const name of [Username, unique('nobody')])
      await service.call('password/forgot', { Username: name });
    await until(async () => {
      const rows = await service.database.query(
        `select from anagrafe.mails where kind = 'forgotten' and state = 'pending'`,
      );
      return rows.length === 0;
    });
    expect(server.to(Email)).toEqual([]);
  });
});
