import { adminOf, type Credential, credential, recordOf } from '@anagrafe/testing/admin';
import { databaseSettings, expectOneLine, inProcess } from '@anagrafe/testing/command';
import { startTestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkEndpoint } from '../../src/webhooks/sender.ts';

const refusal = (url: string, networks: readonly string[] = []) => {
  try {
    checkEndpoint(new URL(url).toString(), networks);
    return null;
  } catch (error) {
    return (error as { detail: { variant: string } }).detail.variant;
  }
};

describe('the URL of a webhook', () => {
  it.each([
    'https://10.0.0.1/',
    'https://127.0.0.1:9431/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://erp.localhost/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://169.254.169.254/latest/meta-data',
    'http://192.168.1.1/',
  ])('is refused if its address is internal: %s', (url) => {
    expect(refusal(url)).toBe('internalUrl');
    expect(refusal(url, ['203.0.113.0/24'])).toBe('internalUrl');
  });

  it.each(['http://erp.example.com/', 'http://8.8.8.8/', 'http://[2606:4700::1111]/'])(
    'is refused if it is plain http and no network is allowed: %s',
    (url) => {
      expect(refusal(url)).toBe('plainUrl');
    },
  );

  it.each([
    'https://erp.example.com/',
    'https://no-such-name.invalid/',
    'https://8.8.8.8/',
    'https://localhost.example.com/',
  ])('is accepted if it may be reachable, also if its name does not resolve yet: %s', (url) => {
    expect(refusal(url)).toBeNull();
  });

  it('is accepted if its address is in an allowed network, also with plain http', () => {
    expect(refusal('http://10.0.0.1/', ['10.0.0.0/8'])).toBeNull();
    expect(refusal('http://localhost:9431/', ['127.0.0.1'])).toBeNull();
    expect(refusal('http://localhost:9431/', ['::1'])).toBeNull();
    // The name may resolve to an allowed address.
    expect(refusal('http://erp.internal/', ['10.0.0.0/8'])).toBeNull();
    expect(refusal('http://8.8.8.8/', ['10.0.0.0/8'])).toBe('plainUrl');
  });
});

describe('a webhook with a URL that the service never calls', () => {
  let admin: ReturnType<typeof adminOf>;
  let office: Credential;

  beforeAll(async () => {
    const service = await startTestService();
    admin = adminOf(service);
    office = await credential(service);
  });

  it.each(['https://10.0.0.1/hook', 'http://erp.example.com/hook'])(
    'gets 400 at creation and change, with the setting that would allow it: %s',
    async (URL) => {
      const { ID } = recordOf(await admin('POST webhooks', office, { URL: 'https://erp.example.com/' }));
      for (const call of ['POST webhooks', `PATCH webhooks/${ID}`]) {
        const { status, body } = await admin(call, office, { URL });
        expect([status, body.errorCode]).toEqual([400, 'INVALID_PARAMETER']);
        expect(body.message).toMatch(/^"URL" .*ANAGRAFE_WEBHOOK_NETWORKS/);
      }
      const { body } = await admin<{ ID: number; URL: string }>('GET webhooks', office);
      const stored = body.result?.records.find((webhook) => webhook.ID === ID);
      expect(stored?.URL).toBe('https://erp.example.com/');
    },
  );

  it('gets a message in Italian with Accept-Language: it', async () => {
    const { body } = await admin(
      'POST webhooks',
      { ...office, 'accept-language': 'it' },
      { URL: 'http://a.example/' },
    );
    expect(body.message).toContain('deve iniziare con https');
  });

  it('is refused by the command webhook create', async () => {
    const settings = await databaseSettings();
    const create = (url: string, more = {}) =>
      inProcess(['webhook', 'create', url], { ...settings, ...more });
    expectOneLine(
      await create('https://10.0.0.1/'),
      /^anagrafe: .*internal address.*ANAGRAFE_WEBHOOK_NETWORKS/,
    );
    expectOneLine(await create('http://erp.example.com/'), /^anagrafe: .*https.*ANAGRAFE_WEBHOOK_NETWORKS/);
    const allowed = await create('http://10.0.0.1/', { ANAGRAFE_WEBHOOK_NETWORKS: '10.0.0.0/8' });
    expect(allowed.code).toBe(0);
  });
});
