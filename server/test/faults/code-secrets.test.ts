import { type Child, lookInto, startChild, usedData } from '@anagrafe/testing/child';
import { codesIn, mailSettingsOf, startMailServer } from '@anagrafe/testing/mail-server';
import { range, representation } from '@anagrafe/testing/records';
import { until } from '@anagrafe/testing/until';
import { expect, it } from 'vitest';
import { submit, untilEnded } from './jobs.ts';
import { filesWith, holds, rowsWith } from './traces.ts';

/** A text that is not secret: a search that works finds it. */
const visible = 'visible4Wm';

const inviting = (kind: string, Invite: string) =>
  range(2).map((n) => {
    const Username = `${visible}.${kind}.${n}`;
    return { Username, Email: `${Username}@example.com`, Invite };
  });

async function textOf(answer: Promise<Response>): Promise<string> {
  const found = await answer;
  const text = await found.text();
  expect(found.status, text).toBe(200);
  return text;
}

const codesOf = (text: string) =>
  [...text.matchAll(/"Code":\s*"([0-9A-Z-]{34})"/g)].map(([, code = '']) => code);

it('no code of an invitation or of a forgotten password is on the disk or in the log', async () => {
  const server = await startMailServer();
  const data = await usedData();
  const child: Child = await startChild({
    ...mailSettingsOf(server),
    ANAGRAFE_DATA: data,
    ANAGRAFE_LOG_LEVEL: 'trace',
  });
  const keyed = { ...representation.headers, 'idempotency-key': 'codes' };
  const records = [
    { ExternalKey: 'C-1', Users: [...inviting('answer', 'code'), ...inviting('mail', 'email')] },
  ];
  const answered = codesOf(await textOf(child.call('irs/insert', records, keyed)));
  expect(codesOf(await textOf(child.call('irs/insert', records, keyed)))).toEqual([]);
  const job = await submit(child, [{ ExternalKey: 'C-1', Users: inviting('job', 'code') }]);
  await untilEnded(child, job);
  const issued = codesOf(await textOf(child.call(`jobs/${job}/invitations`, undefined)));
  await until(() => server.received.length === 2);
  const known = `${visible}.mail.0@example.com`;
  await textOf(child.call('password/forgot', { Email: known }));
  await until(() => server.received.length === 3);
  const mailed = server.received.flatMap(codesIn);
  const typed = mailed[2] ?? '';
  const Password = 'a new long sentence';
  const set = { Code: typed, Password, ConfirmPassword: Password };
  await textOf(child.call('password/set', set));
  expect((await child.call('password/set', set)).status).toBe(422);
  const codes = [...answered, ...issued, ...mailed];
  expect(codes).toHaveLength(2 + 2 + 3);
  const oneOfEach = [answered[0], issued[0], mailed[0], typed].flatMap((code) => code ?? []);
  const forms = oneOfEach.flatMap((code) => [code, code.replaceAll('-', '')]);
  expect(forms).toHaveLength(8);

  await lookInto(data, async (database) => {
    await database.query('checkpoint');
    const files = await filesWith(data, visible);
    expect(files.some((path) => path.includes('/base/'))).toBe(true);
    expect(files.some((path) => path.includes('/pg_wal/'))).toBe(true);
    expect(await rowsWith(database, visible)).toContain('anagrafe.users');
    for (const form of forms) expect([form, await rowsWith(database, form)]).toEqual([form, []]);
  });
  expect(await child.end('SIGTERM')).toBe(0);
  for (const form of forms) expect([form, await filesWith(data, form)]).toEqual([form, []]);
  const lines = [...child.log, ...child.said].map((line) => Buffer.from(line));
  expect(lines.length).toBeGreaterThan(10);
  for (const form of forms) expect(lines.filter((line) => holds(line, form))).toEqual([]);
});
