import { beforeAll, describe, expect, it } from 'vitest';
import { anagrafe, dataFolder, expectOneLine, serve } from './command.ts';

const settings = { ANAGRAFE_DATA: dataFolder() };
const url = 'https://erp.example.com/hooks';

beforeAll(async () => {
  const service = await serve(settings);
  await service.end('SIGTERM');
});

const run = (...args: string[]) => anagrafe(['webhook', ...args], settings);
async function runJson(...args: string[]) {
  const { code, stdout, stderr } = await run(...args, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

describe('webhook', () => {
  it('lists nothing at first, and says how to create one', async () => {
    const { code, stdout, stderr } = await run('list');
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain('anagrafe webhook create');
  });

  it('creates an endpoint and shows its secret once', async () => {
    const { code, stdout, stderr } = await run('create', url, '--types', 'user.registered');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^Webhook: \d+\nSecret: {2}whsec_[A-Za-z0-9+/]{43}=\n$/),
    ]);
    expect(stderr).toContain('only now');
    const list = await run('list');
    expect(list.stdout).toMatch(
      /^1 {2}https:\/\/erp\.example\.com\/hooks {2}user\.registered {2}by record {2}live\n$/,
    );
  });

  it('disables, enables, shows deliveries, replays and deletes, for people and for programs', async () => {
    const { id, secret } = await runJson('create', url, '--granularity', 'user');
    expect(secret).toMatch(/^whsec_/);
    expect(await runJson('disable', String(id))).toMatchObject({ id, disabledWhy: 'by hand' });
    expect(await runJson('enable', String(id))).toMatchObject({ id, disabledAt: null });
    expect((await run('disable', String(id))).stderr).toBe(`Webhook ${id} is disabled.\n`);
    expect(await runJson('deliveries', String(id))).toEqual([]);
    expect(await runJson('replay', String(id))).toEqual({ replayed: 0 });
    expect((await run('replay', String(id))).stderr).toBe('0 messages are sent again.\n');
    expect(await runJson('delete', String(id))).toEqual({ id, deleted: true });
    expectOneLine(await run('delete', String(id)), /no webhook has the number/);
  });

  it('says in one line what is wrong', async () => {
    expectOneLine(await run('create', 'ftp://x'), /is no http or https address/);
    expectOneLine(await run('enable', 'seven'), /no webhook has the number seven/);
    const wrong = await run('create', url, '--types', 'user.deleted');
    expect([wrong.code, wrong.stdout]).toEqual([2, '']);
    expect(wrong.stderr).toContain('It takes principal.inserted');
  });
});
