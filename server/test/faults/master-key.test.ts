import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { childStore } from '@anagrafe/testing/child';
import { anagrafe, dataFolder, expectOneLine, postmaster, serve } from '@anagrafe/testing/command';
import { makeFolder } from '@anagrafe/testing/embedded-postgres';
import { emptyStore } from '@anagrafe/testing/store';
import { expect, it } from 'vitest';
import { startEmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.ts';
import { readConfig } from '../../src/settings/config.ts';
import { makeMasterKey } from '../../src/settings/master-key-file.ts';

const newKey = () => randomBytes(32).toString('base64');

it('serve creates the master key once, readable by its owner only, and rejects a wrong or missing key with a one-line error', async () => {
  const data = dataFolder();
  const settings = { ANAGRAFE_DATA: data, ANAGRAFE_PORT: '0' };
  const path = join(data, 'master.key');
  const first = await serve(settings);
  const made = readFileSync(path, 'utf8');
  expect(Buffer.from(made, 'base64')).toHaveLength(32);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(first.stdout() + first.stderr()).not.toContain(made.trim());
  await first.end('SIGTERM');

  await (await serve(settings)).end('SIGTERM');
  expect(readFileSync(path, 'utf8')).toBe(made);

  const given = await anagrafe(['serve'], { ...settings, ANAGRAFE_MASTER_KEY: newKey() });
  expectOneLine(given, /ANAGRAFE_MASTER_KEY is not the master key of this database\. \S+/);
  writeFileSync(path, newKey());
  const replaced = await anagrafe(['serve'], settings);
  expectOneLine(replaced, /master\.key is not the master key of this database\. \S+/);
  writeFileSync(path, made.slice(0, 20));
  expectOneLine(await anagrafe(['serve'], settings), /master\.key is no master key\. \S+/);
  rmSync(path);
  expectOneLine(await anagrafe(['serve'], settings), /master\.key is missing\. \S+/);
  expect(() => statSync(path)).toThrow('ENOENT');
  expect(postmaster(data)).toBeUndefined();

  // The service accepts the same key in hexadecimal.
  const hex = Buffer.from(made, 'base64').toString('hex');
  const last = await serve({ ...settings, ANAGRAFE_MASTER_KEY: hex });
  expect((await last.end('SIGTERM')).code).toBe(0);
});

it('serve on an external database without a master key ends with a one-line error that explains how to create one', async () => {
  const { url } = await childStore(emptyStore);
  const settings = { ANAGRAFE_DATABASE_URL: url, ANAGRAFE_DATA: dataFolder(), ANAGRAFE_PORT: '0' };
  const refused = await anagrafe(['serve'], settings);
  expectOneLine(refused, /ANAGRAFE_MASTER_KEY is not set.*openssl rand -base64 32/);
  const wrong = await anagrafe(['serve'], { ...settings, ANAGRAFE_MASTER_KEY: 'too short' });
  expectOneLine(wrong, /ANAGRAFE_MASTER_KEY is invalid\. Expected 32 random bytes/);
  expect(wrong.stderr).not.toContain('too short');

  const key = newKey();
  await (await serve({ ...settings, ANAGRAFE_MASTER_KEY: key })).end('SIGTERM');
  const other = await anagrafe(['serve'], { ...settings, ANAGRAFE_MASTER_KEY: newKey() });
  expectOneLine(other, /ANAGRAFE_MASTER_KEY is not the master key of this database/);
  expect((await (await serve({ ...settings, ANAGRAFE_MASTER_KEY: key })).end('SIGTERM')).code).toBe(0);
});

it('the service does not write the master key through a symbolic link that another user has created', async () => {
  const folder = makeFolder();
  const victim = join(folder, 'victim');
  writeFileSync(victim, 'untouched');
  symlinkSync(victim, join(folder, 'master.key.new'));
  const key = await makeMasterKey(readConfig({ ANAGRAFE_DATA: folder }));
  expect(readFileSync(victim, 'utf8')).toBe('untouched');
  expect(readFileSync(join(folder, 'master.key'), 'utf8')).toBe(`${key.toString('base64')}\n`);
});

it('a data folder that other users may write to causes an error that names the chmod command to run', async () => {
  const folder = makeFolder();
  chmodSync(folder, 0o777);
  await expect(startEmbeddedPostgres({ dataFolder: folder })).rejects.toThrow(`Run "chmod go-w ${folder}"`);
});
