import { mailSettingsOf, startMailServer } from '@anagrafe/testing/mail-server';
import { expect, it } from 'vitest';
import { examineMail } from '../../src/cli/doctor/mail.ts';
import { readConfig } from '../../src/settings/config.ts';

async function codesFor(settings: Record<string, string>): Promise<string[]> {
  const codes: string[] = [];
  for await (const { code } of examineMail(readConfig(settings))) codes.push(code);
  return codes;
}

it('doctor signs in at the mail server without sending a mail, and warns if mails would have no links', async () => {
  const server = await startMailServer();
  const { ANAGRAFE_PUBLIC_URL, ...withoutUrl } = mailSettingsOf(server);
  expect(await codesFor({ ...withoutUrl, ANAGRAFE_PUBLIC_URL: ANAGRAFE_PUBLIC_URL ?? '' })).toEqual([
    'mail_ready',
  ]);
  expect(await codesFor(withoutUrl)).toEqual(['mail_ready', 'mail_without_links']);
  await server.stop();
  expect(await codesFor(mailSettingsOf(server))).toEqual(['mail_unavailable']);
  expect(server.recipients).toEqual([]);
});

it('doctor finds a mail server without a sender, and has no finding if no mail server is configured', async () => {
  expect(await codesFor({ ANAGRAFE_SMTP_URL: 'smtp://127.0.0.1:25?starttls=off' })).toEqual([
    'setting_invalid',
  ]);
  expect(await codesFor({})).toEqual([]);
});
