import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificate } from '@anagrafe/testing/certificate';
import { anagrafe, inProcess } from '@anagrafe/testing/command';
import { answered, codesIn, mailSettingsOf, startMailServer } from '@anagrafe/testing/mail-server';
import { describe, expect, it, onTestFinished } from 'vitest';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'anagrafe-mail-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

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

  it('trusts a certificate that NODE_EXTRA_CA_CERTS names, and sends nothing to a server with another one', async () => {
    const { key, cert, certPath } = makeCertificate(temporaryFolder());
    const server = await startMailServer({ options: { key, cert } });
    const settings = mailSettingsOf(server);
    const send = (address: string, more = {}) =>
      anagrafe(['mail', 'test', address], { ...settings, ...more });
    const trusted = await send('trusted@example.com', { NODE_EXTRA_CA_CERTS: certPath });
    expect([trusted.code, trusted.stderr]).toEqual([0, expect.stringContaining('has accepted')]);
    const other = await send('other@example.com');
    expect([other.code, other.stderr]).toEqual([1, expect.stringMatching(/certificate/i)]);
    expect(server.recipients).toEqual(['trusted@example.com']);
  });

  it('sends the texts and the logo of this machine, with escaped values', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'logo.png'), Buffer.from('89504e470d0a1a0a', 'hex'));
    writeFileSync(
      join(folder, 'invitation.it.txt'),
      'Subject: Benvenuto in {product}\n\nCiao {name}!\n{accounts}',
    );
    writeFileSync(
      join(folder, 'invitation.it.html'),
      '<p style="color: {color}">{product}</p>{logo}{accounts}',
    );
    const server = await startMailServer();
    const settings = {
      ...mailSettingsOf(server),
      ANAGRAFE_MAIL_TEMPLATES: folder,
      ANAGRAFE_BRAND_NAME: 'Rossi & Figli',
      ANAGRAFE_BRAND_COLOR: '#0b7285',
      ANAGRAFE_BRAND_LOGO: join(folder, 'logo.png'),
    };
    for (const language of ['it', 'en'])
      await inProcess(['mail', 'test', `${language}@example.com`, '--language', language], settings);
    const [own] = server.to('it@example.com');
    expect(own?.subject).toBe('Benvenuto in Rossi & Figli');
    expect(own?.text).toMatch(/^Ciao Mario Rossi!\n/);
    expect(own?.html).toContain('<p style="color: #0b7285">Rossi &amp; Figli</p><img');
    expect(own?.attachments).toMatchObject([{ mimeType: 'image/png', related: true }]);
    expect(own && codesIn(own)).toHaveLength(1);
    const [builtIn] = server.to('en@example.com');
    expect(builtIn?.subject).toBe('Rossi & Figli: choose your password');
    expect(builtIn?.attachments).toHaveLength(1);
  });

  it.each([
    ['invitation.fr.txt', 'Subject: x\n\n{accounts}', 'is no template'],
    ['invitation.it.txt', 'Subject: x\n\n{accounts} {password}', 'unknown placeholder {password}'],
    ['invitation.it.txt', 'Subject: x\n\nHello', 'lacks the placeholder {accounts}'],
    ['invitation.it.txt', '{accounts}', 'has no subject'],
    ['invitation.it.html', '{accounts}', 'replaces the HTML part alone'],
  ])('refuses the template %s with %j', async (name, content, problem) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, name), content);
    const settings = { ...mailSettingsOf(await startMailServer()), ANAGRAFE_MAIL_TEMPLATES: folder };
    const { code, stderr } = await inProcess(['mail', 'test', 'mario@example.com'], settings);
    expect([code, stderr]).toEqual([1, expect.stringContaining(problem)]);
  });
});
