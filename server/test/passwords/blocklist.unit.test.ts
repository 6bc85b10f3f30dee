import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBlocklist } from '../../src/passwords/blocklist.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blocklist-'));
});
afterAll(() => rm(folder, { recursive: true }));

let files = 0;

async function fileOf(text: string): Promise<string> {
  const path = join(folder, `${++files}.txt`);
  await writeFile(path, text);
  return path;
}

const sha1 = (text: string) => createHash('sha1').update(text).digest('hex').toUpperCase();
const leaked = Array.from({ length: 2000 }, (_, n) => `leaked ${n}`);

async function hashFile(lineOf: (hash: string, at: number) => string): Promise<string> {
  return fileOf(leaked.map(sha1).sort().map(lineOf).join(''));
}

async function requireAll(path: string): Promise<void> {
  const blocklist = await openBlocklist(path);
  try {
    const found = await Promise.all(leaked.map((password) => blocklist.isLeaked(password)));
    expect(leaked.filter((_, at) => !found[at])).toEqual([]);
    const others = leaked.map((password) => `not ${password}`);
    const wrong = await Promise.all(others.map((password) => blocklist.isLeaked(password)));
    expect(wrong).not.toContain(true);
  } finally {
    await blocklist.close();
  }
}

describe('a file of leaked passwords', () => {
  it('has every one of its hashes, with counts of different lengths and line breaks of Windows', async () => {
    await requireAll(await hashFile((hash, at) => `${hash}:${10 ** (at % 9)}\r\n`));
  });

  it('has every one of its hashes without counts, in lower case and without a last line break', async () => {
    const path = await hashFile((hash, at) => `${at === 0 ? '' : '\n'}${hash.toLowerCase()}`);
    await requireAll(path);
  });

  it('may have a single line', async () => {
    const blocklist = await openBlocklist(await fileOf(`${sha1('one')}:1`));
    expect([await blocklist.isLeaked('one'), await blocklist.isLeaked('two')]).toEqual([true, false]);
    await blocklist.close();
  });

  it('is refused if it is ordered by count', async () => {
    const path = await fileOf(
      leaked.map((password, at) => `${sha1(password)}:${leaked.length - at}\n`).join(''),
    );
    await expect(openBlocklist(path)).rejects.toThrow('is not ordered by hash');
  });

  it('is refused if it has NTLM hashes', async () => {
    const path = await fileOf(`${'0'.repeat(31)}1:5\n`);
    await expect(openBlocklist(path)).rejects.toThrow('has NTLM hashes');
  });

  it('is refused with its name and the setting if it does not exist', async () => {
    await expect(openBlocklist(join(folder, 'missing'))).rejects.toThrow(
      /missing" of ANAGRAFE_PASSWORD_BLOCKLIST cannot be read \(ENOENT\)/,
    );
  });
});

describe('a list of forbidden words', () => {
  it('has its words whatever their case and the spaces around them are', async () => {
    const blocklist = await openBlocklist(await fileOf('Rossi Srl\r\n  Forza Viola  \n\n'));
    expect(['rossi srl', 'forza viola', 'forza', ''].map((word) => blocklist.hasWord(word))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(await blocklist.isLeaked('rossi srl')).toBe(false);
  });

  it('forbids nothing if there is none', async () => {
    const blocklist = await openBlocklist(null);
    expect([blocklist.hasWord('password'), await blocklist.isLeaked('password')]).toEqual([false, false]);
  });
});
