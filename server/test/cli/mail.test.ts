import { inProcess } from '@anagrafe/testing/command';
import { answered, codesIn, mailSettingsOf, startMailServer } from '@anagrafe/testing/mail-server';
import { describe, expect, it } from 'vitest';

describe('mail test', () => {
  it('sends an invitation in the language that was asked for, with the texts and settings of this machine', async () => {
    const server = await startMailServer();
    const settings = { ...mailSettingsOf(server), ANAGRAFE_BRAND_NAME: 'Rossi {accounts} & Figli' };
    const { code, stdout } = await inProcess(
      ['mail', 'test', 'mario@example.com', '--language', 'it', '--json'],
      settings,
    );
    expect([code, JSON.parse(stdout)]).toEqual([0, { sent: true, state: 'sent', answer: null }]);
    const [mail] = server.to('mario@example.com');
    expect(mail?.subject).toBe('Rossi {accounts} & Figli: scegli la tua password');
    expect(mail && codesIn(mail)).toHaveLength(1);
  });

  it('shows the answer of a mail server that refuses the mail, without trying again', async () => {
    const server = await startMailServer({ onRecipient: () => answered(452, '4.2.2 mailbox full') });
    const { code, stderr } = await inProcess(['mail', 'test', 'full@example.com'], mailSettingsOf(server));
    expect(code).toBe(1);
    expect(stderr).toContain('452 4.2.2 mailbox full');
    expect(server.recipients).toHaveLength(1);
  });

  it('names the setting that is missing', async () => {
    const none = await inProcess(['mail', 'test', 'mario@example.com'], {});
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('ANAGRAFE_SMTP_URL')]);
    const noSender = await inProcess(['mail', 'test', 'mario@example.com'], {
      ANAGRAFE_SMTP_URL: 'smtp://127.0.0.1:25?starttls=off',
    });
    expect([noSender.code, noSender.stderr]).toEqual([1, expect.stringContaining('ANAGRAFE_MAIL_FROM')]);
  });
});
