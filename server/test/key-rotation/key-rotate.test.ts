import { randomBytes } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allHashed } from '@anagrafe/testing/audit-chain';
import { childStore, lookInto, startChild, usedData } from '@anagrafe/testing/child';
import { anagrafe, expectOneLine, inProcess } from '@anagrafe/testing/command';
import { holding, jobOf, principalLock, readJob, submit } from '@anagrafe/testing/jobs';
import { startReceiver } from '@anagrafe/testing/receiver';
import { insertPrincipals, newUser, startTestService } from '@anagrafe/testing/service';
import { masterKey } from '@anagrafe/testing/store';
import { subscribe } from '@anagrafe/testing/webhooks';
import { expect, it } from 'vitest';
import { verifyWebhook } from '../../../client/src/webhook.ts';

const newKey = () => randomBytes(32).toString('base64');
const states = (output: string) => JSON.parse(output).map(({ state }: { state: string }) => state);

it('key rotate on two nodes waits for both to have the new key, and loses no job, webhook, retry or audit row', async () => {
  const { settings, url, database } = await childStore();
  const fresh = newKey();
  const both = { ANAGRAFE_DATABASE_URL: url, ANAGRAFE_MASTER_KEY: `${fresh},${masterKey}` };
  const networks = { ANAGRAFE_WEBHOOK_NETWORKS: '127.0.0.0/8' };
  const old = await startTestService({ ...settings, ...networks });
  const node = await startTestService({ ...both, ...networks });
  const receiver = await startReceiver();
  const { secret } = await subscribe(old, receiver.url);
  const [principal = 0] = await insertPrincipals(old, 1);
  const retried = [{ ID: principal, Users: [newUser('sent twice')] }];
  const withKey = { headers: { 'idempotency-key': 'before the rotation' } };
  const first = await old.call('irs/update', retried, withKey);

  expectOneLine(
    await inProcess(['key', 'rotate'], both),
    /The settings of connected nodes lack the key [0-9a-f]{8}: 1\. Add it/,
  );
  expectOneLine(await inProcess(['key', 'rotate'], settings), /The settings have no new master key\. Put/);
  await old.stop();
  const second = await startTestService({ ...both, ...networks });
  const rotated = await holding({ database }, principalLock(principal), async () => {
    const job = await submit(node, 'irs/update', [{ ID: principal, Users: [newUser('of the job')] }]);
    return { job, outcome: await inProcess(['key', 'rotate'], both) };
  });
  expect(rotated.outcome).toMatchObject({ code: 0, stderr: expect.stringContaining('is in use') });
  expect(rotated.outcome.stdout).toMatch(/^Encrypted again: [1-9]/);
  expect(states((await inProcess(['key', 'list', '--json'], both)).stdout)).toEqual([
    'in use',
    'no longer needed',
  ]);

  await expect.poll(async () => jobOf(await readJob(node, rotated.job)).EndedAt).not.toBeNull();
  expect(jobOf(await readJob(node, rotated.job))).toMatchObject({ RecordsFailed: 0 });
  for (const { call } of [node, second])
    expect((await call('irs/update', retried, withKey)).body.result?.records).toEqual(
      first.body.result?.records,
    );
  await second.stop();
  await node.stop();

  expectOneLine(
    await anagrafe(['serve'], { ...settings, ANAGRAFE_PORT: '0' }),
    /ANAGRAFE_MASTER_KEY has only a former master key: the database uses the key [0-9a-f]{8}\. Put/,
  );
  const alone = await startTestService({ ...both, ...networks, ANAGRAFE_MASTER_KEY: fresh });
  expect((await alone.call('irs/update', retried, withKey)).body.result?.records).toEqual(
    first.body.result?.records,
  );
  const before = receiver.received.length;
  await alone.call('irs/update', [{ ID: principal, Users: [newUser('after the rotation')] }]);
  await expect.poll(() => receiver.received.length).toBeGreaterThan(before);
  for (const { headers, body } of receiver.received) await verifyWebhook(body, headers, secret);
  await allHashed(alone);
  const verified = await inProcess(['audit', 'verify'], { ...both, ANAGRAFE_MASTER_KEY: fresh });
  expect(verified).toMatchObject({ code: 0 });
});

it('key rotate adds a new key to the key file while the service runs, and continues after an interruption', async () => {
  const data = await usedData();
  const path = join(data, 'master.key');
  const settings = { ANAGRAFE_DATA: data };
  const original = readFileSync(path, 'utf8');
  const service = await startChild(settings);
  const inserted = await service.call('irs/insert', [{ Denomination: 'before' }]);
  expect(inserted.status).toBe(200);

  // An interrupted command leaves a new key in the file, which the database does not use yet.
  const staged = newKey();
  writeFileSync(path, `${staged}\n${original}`);
  const { stdout: before } = await inProcess(['key', 'list', '--json'], settings);
  expect(states(before)).toEqual(['new', 'in use']);
  expect(await inProcess(['key', 'rotate'], settings)).toMatchObject({ code: 0 });
  expect(readFileSync(path, 'utf8')).toBe(`${staged}\n${original}`);

  expect(await inProcess(['key', 'rotate'], settings)).toMatchObject({ code: 0 });
  const [last = ''] = readFileSync(path, 'utf8').split('\n');
  expect(readFileSync(path, 'utf8')).toBe(`${last}\n${staged}\n${original}`);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect((await service.call('irs/insert', [{ Denomination: 'after' }])).status).toBe(200);
  await lookInto(data, (database) => allHashed({ database }));
  expect(await service.end('SIGTERM')).toBe(0);

  writeFileSync(path, `${last}\n`);
  const again = await startChild(settings);
  expect(await inProcess(['audit', 'verify'], settings)).toMatchObject({ code: 0 });
  expect(await again.end('SIGTERM')).toBe(0);
});
