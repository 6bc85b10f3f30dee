import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credential } from '@anagrafe/testing/admin';
import { afterUse } from '@anagrafe/testing/endings';
import { freePort } from '@anagrafe/testing/postgres-cluster';
import { startTestService } from '@anagrafe/testing/service';
import { subscribe } from '@anagrafe/testing/webhooks';
import PostalMime, { type Email } from 'postal-mime';
import { expect, it } from 'vitest';
import { startProgram } from './program.ts';

const folder = mkdtempSync(join(tmpdir(), 'anagrafe-mails-'));
afterUse(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the mails that the command has saved, by recipient. */
async function mails(): Promise<Map<string | undefined, Email>> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.eml'));
  const parsed = files.map((name) => PostalMime.parse(readFileSync(join(folder, name))));
  return new Map((await Promise.all(parsed)).map((mail) => [mail.to?.[0]?.address, mail]));
}

it('a job with invited users is mailed by the sample, without SMTP and without a code in its output', async () => {
  const service = await startTestService({
    ANAGRAFE_WEBHOOK_NETWORKS: '127.0.0.1',
    ANAGRAFE_PUBLIC_URL: 'https://accounts.example.com',
  });
  const headers = await credential(service);
  const key = {
    ANAGRAFE_URL: service.url,
    ANAGRAFE_KEY: `${headers.SyncPublicKey}.${headers.SyncSecretKey}`,
  };
  const port = await freePort();
  const { secret } = await subscribe(service, `http://127.0.0.1:${port}/`, { types: ['job.completed'] });
  // Fails for one address, as a mail program does.
  const script = join(folder, 'save.sh');
  writeFileSync(
    script,
    `cd '${folder}'; cat >mail; ! grep -q '^To: full@' mail && mv mail "$(date +%s%N).eml"`,
  );
  const output = await startProgram(['python3', '-B', 'python/mail_invitations.py'], port, {
    ...key,
    PORT: String(port),
    WEBHOOK_SECRET: secret,
    MAIL_FROM: 'Rossi Forniture <accounts@example.com>',
    MAIL_COMMAND: `sh ${script}`,
  });
  const user = (Username: string, more: object) => ({ Username, Invite: 'code', ...more });
  const users = [
    user('anna', { Email: 'anna@example.com' }),
    user('full', { Email: 'full@example.com' }),
    user('nowhere', {}),
    user('mario', { Email: 'mario@example.com', Language: 'it-CH' }),
  ];
  const { status } = await service.call('irs/insert', [{ Denomination: 'Rossi', Users: users }], {
    headers: { ...headers, prefer: 'respond-async' },
  });
  expect(status).toBe(202);

  await expect.poll(output).toContain('mario: mailed');
  expect(output()).toMatch(/^anna: mailed$/m);
  expect(output()).toMatch(/^full: not mailed, because the command ended with 1$/m);
  expect(output()).toMatch(/^nowhere: not mailed, because it has no email address$/m);
  const saved = await mails();
  const subjects = [...saved].map(([to, mail]) => [to, mail.subject]).sort();
  expect(subjects).toEqual([
    ['anna@example.com', 'Choose your password'],
    ['mario@example.com', 'Scegli la tua password'],
  ]);
  const link = /(?<=https:\/\/accounts\.example\.com\/account\/set-password#)\S+/;
  const [code = ''] = link.exec(saved.get('anna@example.com')?.text ?? '') ?? [];
  expect(output()).not.toContain(code);
  const Password = 'a long sentence of mine';
  const set = await service.call('password/set', { Code: code, Password, ConfirmPassword: Password });
  expect(set.status).toBe(200);
});
