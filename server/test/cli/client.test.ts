import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  anagrafe,
  databaseSettings,
  dataFolder,
  expectOneLine,
  inProcess,
  postmaster,
  serve,
  usedFolder,
} from '@anagrafe/testing/command';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';

const secretForm = /ags_[0-9A-Za-z]{49}/;

it('client create reports that the data folder has no database, and creates none', async () => {
  const folder = dataFolder();
  const outcome = await inProcess(['client', 'create', '--name', 'erp'], { ANAGRAFE_DATA: folder });
  expectOneLine(outcome, /There is no database in .*ANAGRAFE_DATA/);
  expect(outcome.stdout).toBe('');
  expect(existsSync(join(folder, 'postgres'))).toBe(false);
});

describe('the client command', () => {
  let settings: Record<string, string>;
  beforeEach(async () => {
    settings = await databaseSettings();
  });
  const run = (...args: string[]) => inProcess(['client', ...args], settings);
  const runJson = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args, '--json');
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout);
  };

  it('explains how to create a client if there is none', async () => {
    const { code, stdout, stderr } = await run('list');
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(
      /^No API clients\. Create one with: npx --no -- anagrafe client create --name erp$/m,
    );
    expect(await runJson('list')).toEqual([]);
  });

  it('creates a client and prints its secret once, to standard output only', async () => {
    const { code, stdout, stderr } = await run('create', '--name', 'erp');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Public key: agp_[0-9A-Za-z]{16}\nSecret key: ags_[0-9A-Za-z]{49}\n$/);
    expect(stderr).toContain('Store the secret key now');
    expect(stderr).toContain('Created client "erp" with the scopes sync:write, sync:read.');
    expect(stderr).not.toMatch(secretForm);

    const list = await run('list');
    expect(list.code).toBe(0);
    expect(list.stdout).toMatch(/^agp_\w{16} {2}erp {2}sync:write,sync:read {2}active\n$/);
  });

  it('creates a client that is limited by tags', async () => {
    expect(await runJson('create', '--name', 'part', '--tags', 'Sud, nord')).toMatchObject({
      tags: ['nord', 'sud'],
    });
    expect((await run('list')).stdout).toMatch(
      / {2}part {2}sync:write,sync:read with tags nord,sud {2}active\n/,
    );
    expectOneLine(await run('create', '--name', 'part', '--tags', 'not a tag'), /Expected up to 20 tags/);
  });

  it('creates, rotates, revokes and lists clients with --json', async () => {
    const networks = ['--network', '10.0.0.0/8,192.168.1.4', '--known-by-address'];
    const created = await runJson('create', '--name', 'robot', '--scope', 'admin,sync:read', ...networks);
    expect(created).toEqual({
      id: expect.any(Number),
      publicKey: expect.stringMatching(/^agp_/),
      name: 'robot',
      scopes: ['admin', 'sync:read'],
      networks: ['10.0.0.0/8', '192.168.1.4/32'],
      knownByAddress: true,
      tags: null,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      revokedAt: null,
      secret: expect.stringMatching(secretForm),
    });

    const { secret, ...client } = created;
    const rotated = await runJson('rotate', client.publicKey, '--grace-hours', '2');
    expect(rotated).toEqual({
      publicKey: client.publicKey,
      secret: expect.stringMatching(secretForm),
      oldEndsAt: expect.any(String),
    });
    expect(rotated.secret).not.toBe(secret);
    const hours = (Date.parse(rotated.oldEndsAt) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(1.95);
    expect(hours).toBeLessThanOrEqual(2);

    const list = await runJson('list');
    expect(list.at(-1)).toEqual(client);
    expect(JSON.stringify(list)).not.toMatch(/secret|digest|ags_/);

    const revoked = await runJson('revoke', client.publicKey);
    expect(revoked).toMatchObject({ publicKey: client.publicKey });
    expect((await runJson('list')).at(-1)).toEqual({ ...client, revokedAt: expect.any(String) });
  });

  it('rotates and revokes a client with text output', async () => {
    const { publicKey } = await runJson('create', '--name', 'office');
    const rotated = await run('rotate', publicKey);
    expect(rotated.code).toBe(0);
    expect(rotated.stdout).toMatch(new RegExp(`^Public key: ${publicKey}\nSecret key: ags_\\w{49}\n$`));
    expect(rotated.stderr).toMatch(/The old secret key is valid until \d{4}-\d\d-\d\dT/);
    const revoked = await run('revoke', publicKey);
    expect([revoked.code, revoked.stdout]).toEqual([0, '']);
    expect(revoked.stderr).toContain(`Client ${publicKey} is revoked.`);
    expect((await run('list')).stdout).toMatch(new RegExp(`^${publicKey} .*revoked \\d{4}-`, 'm'));
  });

  it('updates only the given properties of a client', async () => {
    const options = ['--scope', 'sync:read', '--network', '10.9.0.0/16', '--known-by-address'];
    const { secret: _, ...client } = await runJson('create', '--name', 'before', ...options);
    const update = (...change: string[]) => runJson('update', client.publicKey, ...change);
    expect(await update('--name', 'after')).toEqual({ ...client, name: 'after' });
    expect(await update('--scope', 'admin', '--network', '10.8.0.0/16')).toEqual({
      ...client,
      name: 'after',
      scopes: ['admin'],
      networks: ['10.8.0.0/16'],
    });
    expectOneLine(await run('update', client.publicKey, '--no-network'), /needs at least one network/);
    expect(await update('--no-network', '--no-known-by-address')).toMatchObject({
      networks: [],
      knownByAddress: false,
    });
    expect((await run('update', client.publicKey, '--name', 'shown')).stdout).toMatch(
      / {2}shown {2}admin {2}active\n$/,
    );
    expectOneLine(await run('update', client.publicKey), /Nothing to change/);
  });

  it('reports that no active client has the public key, for rotate, revoke and update', async () => {
    for (const [command = '', ...options] of [['rotate'], ['revoke'], ['update', '--name', 'x']]) {
      expectOneLine(
        await run(command, 'agp_nobody', ...options),
        /^anagrafe: No active client has the public key agp_nobody\. .*anagrafe client list$/,
      );
    }
  });

  it('rejects networks that overlap with those of another client known by address', async () => {
    await runJson('create', '--name', 'one', '--network', '172.16.0.0/12', '--known-by-address');
    expectOneLine(
      await run('create', '--name', 'two', '--network', '172.16.5.0/24', '--known-by-address'),
      /^anagrafe: Another client is already identified by an address of these networks\. Use networks that do not overlap\.$/,
    );
    expectOneLine(
      await run('create', '--name', 'two', '--known-by-address'),
      /^anagrafe: A client that is identified by its IP address needs at least one network\.$/,
    );
  });
});

describe('the client command on a database that was only migrated', () => {
  it('creates and lists a client that works once the service is started', async () => {
    const folder = dataFolder();
    const settings = { ANAGRAFE_DATA: folder };
    await anagrafe(['migrate'], settings);
    const { code, stdout } = await anagrafe(['client', 'create', '--name', 'early', '--json'], settings);
    expect([code, postmaster(folder)]).toEqual([0, undefined]);
    const { publicKey, secret } = JSON.parse(stdout);
    const list = await inProcess(['client', 'list', '--json'], settings);
    expect(postmaster(folder)).toBeUndefined();
    expect(JSON.parse(list.stdout)).toMatchObject([{ name: 'early', publicKey }]);
    const service = await serve(settings);
    const headers = { 'content-type': 'application/json', SyncPublicKey: publicKey, SyncSecretKey: secret };
    const answer = await fetch(`${service.url}/api/sync/v1/irs/list`, {
      method: 'POST',
      headers,
      body: '{}',
    });
    expect(answer.status).toBe(200);
    await service.end('SIGTERM');
  });
});

describe('the client command with invalid options', () => {
  let settings: Record<string, string>;
  beforeAll(async () => {
    settings = await databaseSettings();
  });

  it.each([
    [['create'], /--name/],
    [['create', '--name'], /--name/],
    [['create', '--name', ''], /name/],
    [['create', '--name', 'two\nlines'], /name/],
    [['create', '--name', 'x', '--scope', 'root'], /--scope.*'root'.*sync:write, sync:read, admin/],
    [['create', '--name', 'x', '--scope', ''], /--scope/],
    [['create', '--name', 'x', '--network', 'office'], /--network.*'office'.*10\.0\.0\.0\/8/],
    [['create', '--name', 'x', '--network', '10.0.0.0/33'], /--network/],
    [['create', '--name', 'x', '--network', '10.0.0.1/8'], /10\.0\.0\.1\/8.*10\.0\.0\.0\/8/],
    [['create', '--name', 'x', '--network', 'fe80::1%eth0'], /--network/],
    [
      ['create', '--name', 'x', '--network', '0.0.0.0/0', '--known-by-address'],
      /at most 1\/128 of all addresses/,
    ],
    [['create', '--name', 'x', '--colour', 'red'], /unknown option '--colour'/],
    [['create', 'erp', '--name', 'x'], /too many arguments|unknown|excess/i],
    [['rotate'], /public-key/],
    [['rotate', 'agp_x', '--grace-hours', 'soon'], /--grace-hours.*'soon'.*number of hours/],
    [['rotate', 'agp_x', '--grace-hours', '-1'], /--grace-hours/],
    [['revoke'], /public-key/],
    [['update', 'agp_x', '--scope', 'root'], /--scope.*'root'/],
    [['crate'], /unknown command 'crate'/],
  ])('prints a one-line error: client %j', async (args, line) => {
    const outcome = await inProcess(['client', ...args], settings);
    expectOneLine(outcome, line);
    expect(outcome.stdout).toBe('');
  });
});

describe('the client command while a service runs', () => {
  it('ends protected mode, rotates and revokes with effect from the next call', async () => {
    const settings = { ANAGRAFE_DATA: await usedFolder() };
    const service = await serve(settings);
    const status = async (pair?: { publicKey: string; secret: string }) => {
      const credential = pair && { SyncPublicKey: pair.publicKey, SyncSecretKey: pair.secret };
      const headers = { 'content-type': 'application/json', ...credential };
      return (await fetch(`${service.url}/api/sync/v1/irs/list`, { method: 'POST', headers, body: '{}' }))
        .status;
    };
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await anagrafe(['client', ...args], settings);
      expect([code, stderr.includes('anagrafe:')]).toEqual([0, false]);
      return stdout;
    };
    expect(await status()).toBe(200);
    const first = JSON.parse(await run('create', '--name', 'erp', '--scope', 'sync:read', '--json'));
    expect(await status()).toBe(401);
    expect(await status(first)).toBe(200);

    const second = JSON.parse(await run('rotate', first.publicKey, '--grace-hours', '0', '--json'));
    expect(await status(first)).toBe(401);
    expect(await status(second)).toBe(200);

    const third = JSON.parse(await run('rotate', first.publicKey, '--json'));
    expect([await status(second), await status(third)]).toEqual([200, 200]);

    await run('revoke', first.publicKey);
    expect([await status(second), await status(third), await status()]).toEqual([401, 401, 401]);
    expect(await run('list')).toContain('revoked');
    expect(postmaster(settings.ANAGRAFE_DATA)).toBeDefined();
    expect((await service.end('SIGTERM')).code).toBe(0);
    expect(service.stdout()).not.toMatch(secretForm);
  });
});
