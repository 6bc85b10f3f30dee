import { linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { writePasswords } from '../src/node/sync-files.ts';

it('a sync replaces the file of generated passwords as a whole, and deletes it if there are none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'anagrafe-passwords-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'passwords.csv');
  const row = (number: number) =>
    ({
      kind: 'user',
      number,
      line: number + 1,
      source: null,
      principal: {},
      user: { Username: `u.${number}` },
      warnings: [],
    }) as never;
  const passwords = new Map([
    [1, 'first'],
    [2, 'second'],
  ]);
  await writePasswords(path, [row(1), row(2)], passwords, ';');
  const before = readFileSync(path, 'utf8');
  expect(before).toMatch(/first[\s\S]*second/);
  linkSync(path, join(folder, 'same.csv'));
  await writePasswords(path, [row(2)], passwords, ';');
  // The former file was not truncated: an interruption would have left it as it was.
  expect(readFileSync(join(folder, 'same.csv'), 'utf8')).toBe(before);
  expect(readFileSync(path, 'utf8')).not.toContain('first');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await writePasswords(path, [], passwords, ';');
  expect(readdirSync(folder)).toEqual(['same.csv']);
});
