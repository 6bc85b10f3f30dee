import { anagrafe, databaseSettings, expectOneLine, inProcess } from '@anagrafe/testing/command';
import { startReceiver } from '@anagrafe/testing/receiver';
import pg from 'pg';
import { beforeEach, describe, expect, it } from 'vitest';
import { verifyWebhook } from '../../../client/src/index.ts';

let settings: Record<string, string>;
beforeEach(async () => {
  settings = await databaseSettings();
});
const url = 'https://erp.example.com/hooks';

const run = (...args: string[]) => inProcess(['webhook', ...args], settings);
async function runJson(...args: string[]) {
  const { code, stdout, stderr } = await run(...args, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

describe('the webhook command', () => {
  it('explains how to create a webhook if there is none', async () => {
    const { code, stdout, stderr } = await run('list');
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain('anagrafe webhook create');
  });

  it('creates a webhook and prints its secret once', async () => {
    const { code, stdout, stderr } = await anagrafe(
      ['webhook', 'create', url, '--types', 'user.registered'],
      settings,
    );
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^Webhook: \d+\nSecret: {2}whsec_[A-Za-z0-9+/]{43}=\n$/),
    ]);
    expect(stderr).toContain('Store the secret now');
    const list = await run('list');
    expect(list.stdout).toMatch(
      /^1 {2}https:\/\/erp\.example\.com\/hooks {2}user\.registered {2}per record {2}active\n$/,
    );
  });

  it('disables, enables, lists deliveries, replays and deletes, with text and JSON output', async () => {
    const { id, secret } = await runJson('create', url, '--granularity', 'user');
    expect(secret).toMatch(/^whsec_/);
    expect(await runJson('disable', String(id))).toMatchObject({ id, disabledReason: { code: 'manual' } });
    expect(await runJson('enable', String(id))).toMatchObject({ id, disabledAt: null });
    expect((await run('disable', String(id))).stderr).toBe(`Webhook ${id} is disabled.\n`);
    expect((await run('list')).stdout).toMatch(/ {2}disabled \S+Z: manually\n$/);
    expect(await runJson('deliveries', String(id))).toEqual([]);
    expect(await runJson('replay', String(id))).toEqual({ replayed: 0 });
    expect((await run('replay', String(id))).stderr).toBe('No deliveries to retry.\n');
    expect(await runJson('delete', String(id))).toEqual({ id, deleted: true });
    expectOneLine(await run('delete', String(id)), /Webhook \d+ not found/);
  });

  it('sends a test message, and reports by its exit code whether it was delivered', async () => {
    const receiver = await startReceiver();
    const allowed = { ...settings, ANAGRAFE_WEBHOOK_NETWORKS: '127.0.0.1' };
    const made = await inProcess(['webhook', 'create', receiver.url, '--json'], allowed);
    const { id, secret } = JSON.parse(made.stdout);
    const test = (...options: string[]) => inProcess(['webhook', 'test', String(id), ...options], allowed);
    const good = await test();
    expect([good.code, good.stdout]).toEqual([0, '']);
    expect(good.stderr).toMatch(/^Delivered: the endpoint returned 204 \(\d+ ms\)\n$/);
    const [message] = receiver.received;
    expect(await verifyWebhook(message?.body ?? '', message?.headers ?? {}, secret)).toMatchObject({
      type: 'webhook.test',
    });
    receiver.answer = () => ({ status: 500, body: 'out of order' });
    expect((await test()).stderr).toMatch(
      /^Not delivered: the endpoint returned 500 \(\d+ ms\)\nout of order\n$/,
    );
    const bad = await test('--json');
    expect(bad.code).toBe(1);
    expect(JSON.parse(bad.stdout)).toMatchObject({
      delivered: false,
      status: 500,
      failure: { code: 'http_status', status: 500 },
      answer: 'out of order',
    });
    expect((await run('test', String(id))).stderr).toMatch(/^Not delivered: (?!the endpoint)/);
    expectOneLine(await run('test', '999'), /Webhook 999 not found/);
    expect((await run('deliveries', String(id))).stdout.split('\n')).toHaveLength(5);
  });

  it('rotates the secret of a webhook', async () => {
    const { id, secret } = await runJson('create', url);
    const rotated = await runJson('rotate', String(id), '--grace-hours', '1');
    expect(rotated).toEqual({ id, secret: expect.stringMatching(/^whsec_/), oldEndsAt: expect.any(String) });
    expect(rotated.secret).not.toBe(secret);
    expectOneLine(await run('rotate', '999'), /Webhook 999 not found/);
  });

  it('writes the origin of the URL to the audit log, without path and query', async () => {
    const shown = `${new URL(url).origin}/…`;
    const { id } = await runJson('create', `${url}?token=secret`);
    await runJson('disable', String(id));
    await runJson('delete', String(id));
    const client = new pg.Client({ connectionString: settings.ANAGRAFE_DATABASE_URL });
    await client.connect();
    const { rows } = await client
      .query('select action, details from anagrafe.audit_log order by id')
      .finally(() => client.end());
    expect(rows).toEqual([
      { action: 'webhook.created', details: { webhook: id, url: shown } },
      { action: 'webhook.changed', details: { webhook: id, changed: ['enabled'], url: shown } },
      { action: 'webhook.deleted', details: { webhook: id, url: shown } },
    ]);
  });

  it('rejects a webhook of a client that does not have the scope admin, or has lost it', async () => {
    const client = async (...args: string[]) => {
      const { code, stdout } = await inProcess(['client', ...args, '--json'], settings);
      expect(code).toBe(0);
      return JSON.parse(stdout);
    };
    const { publicKey: erp } = await client('create', '--name', 'erp', '--scope', 'sync:read');
    expectOneLine(await run('create', url, '--client', erp), /does not have the scope admin/);
    const { publicKey } = await client('create', '--name', 'office', '--scope', 'admin');
    const { id } = await runJson('create', url, '--client', publicKey);
    await client('update', publicKey, '--scope', 'sync:read');
    expectOneLine(await run('enable', String(id)), /is revoked or does not have the scope admin/);
    await client('update', publicKey, '--scope', 'admin');
    expect(await runJson('enable', String(id))).toMatchObject({ id, disabledAt: null });
  });

  it('prints a one-line error for an invalid URL, ID, event type or subscription', async () => {
    expectOneLine(await run('create', 'ftp://x'), /is not a valid endpoint\. Use an http or https URL/);
    expectOneLine(await run('enable', 'seven'), /Webhook seven not found/);
    expectOneLine(
      await run('create', url, '--types', 'user.registered', '--granularity', 'job'),
      /no message is sent for user\.registered\. Use --types with call\.completed, job\.completed/,
    );
    const wrong = await run('create', url, '--types', 'user.unknown');
    expect([wrong.code, wrong.stdout]).toEqual([2, '']);
    expect(wrong.stderr).toContain('Expected one or more of principal.inserted');
  });
});
