import {
  codesIn,
  type MailServer,
  mailSettingsOf,
  type ReceivedMail,
  startMailServer,
} from '@anagrafe/testing/mail-server';
import { insertPrincipal, range, representation, unique } from '@anagrafe/testing/records';
import { newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { until } from '@anagrafe/testing/until';
import { request } from 'undici';
import { beforeAll, describe, expect, it } from 'vitest';

let server: MailServer;
let nodes: readonly [TestService, TestService];

beforeAll(async () => {
  server = await startMailServer();
  const settings = { ...mailSettingsOf(server), ANAGRAFE_BRAND_NAME: '<b>Città & "Sport"</b>' };
  const first = await startTestService(settings);
  const second = { ...settings, ANAGRAFE_DATABASE_URL: first.config.DATABASE_URL ?? '' };
  nodes = [first, await startTestService(second)];
});

const chosen = 'a new long sentence';
const set = (node: TestService, Code: string, Password = chosen) =>
  node.call('password/set', { Code, Password, ConfirmPassword: Password });

async function registered(more: Record<string, unknown> = {}, principal: Record<string, unknown> = {}) {
  const Username = unique('target');
  const Email = `${Username}@example.com`;
  const { id, userIds } = await insertPrincipal(nodes[0], {
    ...principal,
    Users: [newUser(Username, { Email, ...more })],
  });
  return { Username, Email, principal: id, id: userIds[0] ?? 0 };
}

async function mailTo(address: string): Promise<ReceivedMail> {
  await until(() => server.to(address).length > 0);
  const [mail] = server.to(address);
  if (!mail) throw new Error(`${address} has received nothing`);
  return mail;
}

async function codeOf(user: { readonly principal: number; readonly id: number }, node = nodes[0]) {
  const Users = [{ ID: user.id, Invite: 'code' }];
  const { body, text } = await node.call('irs/invite', [{ ID: user.principal, Users }], representation);
  const [invited] = (body.result?.records[0]?.Item6.Users ?? []) as unknown as readonly { Code?: string }[];
  if (invited?.Code === undefined) throw new Error(text);
  return invited.Code;
}

describe('the link of a mail', () => {
  it('has the address of the settings, whatever host the request names', async () => {
    const { Username, Email } = await registered();
    const headers = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      forwarded: 'host=evil.example',
      origin: 'https://evil.example',
      referer: 'https://evil.example/',
      'content-type': 'application/json',
    };
    const { statusCode } = await request(`${nodes[0].url}/api/sync/v1/password/forgot`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ Username }),
    });
    expect(statusCode).toBe(200);
    const mail = await mailTo(Email);
    expect(`${mail.text}${mail.html}`).not.toContain('evil.example');
    expect(mail.text).toContain(`https://anagrafe.example.com/account/set-password#${codesIn(mail)[0]}`);
  });
});

describe('a mail to a user', () => {
  it('has neither headers nor markup of the names in it', async () => {
    const markup = '<img src=x onerror=alert(1)>"><a href="https://evil.example">{code}{accounts}';
    const { Username, Email } = await registered(
      { FirstName: 'Bcc: b@evil.example', LastName: markup },
      { Denomination: markup },
    );
    await nodes[0].call('password/forgot', { Username });
    const mail = await mailTo(Email);
    expect(mail.headers.map(({ key }) => key).toSorted()).toEqual([
      'auto-submitted',
      'content-type',
      'date',
      'from',
      'message-id',
      'mime-version',
      'subject',
      'to',
      'x-auto-response-suppress',
    ]);
    const tags = [...(mail.html ?? '').matchAll(/<(\w+)[^>]*>/g)].map(([, tag]) => tag);
    expect(tags).not.toContain('img');
    expect(tags).not.toContain('b');
    const links = [...(mail.html ?? '').matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, link]) => link);
    expect(links).toEqual([`https://anagrafe.example.com/account/set-password#${codesIn(mail)[0]}`]);
  });

  it.each(['\r\n', '\n', '\u0085', '\u2028', '\u2029', '\0'])(
    'cannot have a line break in a name: %j',
    async (separator) => {
      const name = `Eva${separator}Bcc: b@evil.example`;
      const users = [newUser(unique('lines'), { FirstName: name })];
      const { status, text } = await nodes[0].call('irs/insert', [{ Denomination: name, Users: users }]);
      expect([status, text]).toEqual([422, expect.stringMatching(/"Denomination".*"Users\[0\]\.FirstName"/)]);
    },
  );

  it.each([
    'a@example.com\r\nBcc: b@evil.example',
    'a@example.com, b@evil.example',
    'a@example.com;b@evil.example',
    '<a@example.com> b@evil.example',
    '"a@example.com" <b@evil.example>',
    'a@example.com>, <b@evil.example',
  ])('cannot have further recipients in its address: %j', async (Email) => {
    const Users = [{ Username: unique('many'), Email, Invite: 'email' }];
    const { status, text } = await nodes[0].call('irs/insert', [{ Denomination: 'Many', Users }]);
    expect([status, text]).toEqual([422, expect.stringContaining('"Users[0].Email"')]);
  });
});

describe('a code', () => {
  it('is used once by requests that reach two nodes at the same time', async () => {
    const code = await codeOf(await registered());
    const answers = await Promise.all(
      range(6).map((n) => set(nodes[n % 2 === 0 ? 0 : 1], code, `${chosen} ${n}`)),
    );
    const codes = answers.map(({ status, body }) => (status === 200 ? 'set' : body.errorCode));
    expect(codes.toSorted()).toEqual([...Array(5).fill('CODE_INVALID'), 'set']);
  });

  it('is ended by newer ones, also when two nodes issue them while it is used', async () => {
    for (const _ of range(3)) {
      const user = await registered();
      const first = await codeOf(user);
      const [used, ...issued] = await Promise.all([
        set(nodes[1], first),
        codeOf(user, nodes[0]),
        codeOf(user, nodes[1]),
        codeOf(user, nodes[0]),
      ]);
      expect([200, 422]).toContain(used.status);
      const left = await nodes[0].database.query('select from anagrafe.password_codes where user_id = $1', [
        user.id,
      ]);
      expect(left.length).toBeLessThanOrEqual(1);
      const statuses = [];
      for (const code of [first, ...issued]) statuses.push((await set(nodes[1], code)).status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(left.length);
      expect(statuses.filter((status) => status === 422)).toHaveLength(4 - left.length);
    }
  });

  it('of a user that was disabled stays invalid when the user is enabled again, and no new one is mailed meanwhile', async () => {
    const user = await registered();
    const code = await codeOf(user);
    const state = (State: string) =>
      nodes[0].call('irs/state', [{ ID: user.principal, Users: [{ ID: user.id, State }] }]);
    await state('disabled');
    expect((await set(nodes[0], code)).body.errorCode).toBe('CODE_INVALID');
    await nodes[0].call('password/forgot', { Username: user.Username });
    const pending = () => nodes[0].database.query('select from anagrafe.mails where user_id = $1', [user.id]);
    await until(async () => (await pending()).length === 0);
    await state('active');
    expect((await set(nodes[0], code)).body.errorCode).toBe('CODE_INVALID');
    expect(server.to(user.Email)).toEqual([]);
  });

  it('cannot be guessed: after some guesses their source waits, and the right code too', async () => {
    const settings = { ANAGRAFE_DATABASE_URL: nodes[0].config.DATABASE_URL ?? '' };
    const node = await startTestService(settings);
    const code = await codeOf(await registered());
    let guesses = 0;
    let answer = await set(node, `0000${code.slice(4)}`);
    for (; answer.status === 422 && guesses < 100; guesses++)
      answer = await set(node, `${String(guesses).padStart(4, '0')}${code.slice(4)}`);
    expect([answer.body.errorCode, guesses < 100]).toEqual(['RATE_LIMITED', true]);
    const right = await set(nodes[1], code);
    expect([right.status, right.body.errorCode]).toEqual([429, 'RATE_LIMITED']);
  });
});
