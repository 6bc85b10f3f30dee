import { copyFileSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { databaseSettings, dataFolder, expectOneLine, inProcess } from '@anagrafe/testing/command';
import { atEnd } from '@anagrafe/testing/endings';
import { emptyStore } from '@anagrafe/testing/store';
import { beforeAll, describe, expect, it } from 'vitest';
import { dumped, dumpFolder, newFolder } from './dumped.ts';

let plain: string;
let encrypted: string;
let source: Record<string, string>;
let target: Record<string, string>;

beforeAll(async () => {
  source = await databaseSettings();
  [plain, encrypted] = [await dumped(source), await dumped(source, '--encrypt')];
  const empty = await emptyStore();
  atEnd(empty.discard);
  target = empty.settings;
});

/** Returns a copy of a dump that was changed. */
function changed(dump: string, change: (path: string) => void): string {
  const path = join(dumpFolder(), 'changed.dump');
  copyFileSync(dump, path);
  change(path);
  return path;
}

/** Changes the lines of an unencrypted dump. */
const rewritten = (change: (text: string) => string) =>
  changed(plain, (path) => {
    const bytes = readFileSync(path);
    const start = bytes.indexOf('\n') + 1;
    const text = change(gunzipSync(bytes.subarray(start)).toString());
    writeFileSync(path, Buffer.concat([bytes.subarray(0, start), gzipSync(text)]));
  });

function flip(path: string): void {
  const bytes = readFileSync(path);
  const at = Math.floor(bytes.length / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

const halve = (path: string) => truncateSync(path, Math.floor(statSync(path).size / 2));

/** Changes a text in the first line, which is never compressed. */
const relabel = (from: RegExp, to: string) => (path: string) =>
  writeFileSync(path, readFileSync(path, 'latin1').replace(from, to), 'latin1');

describe('a dump', () => {
  it.each([
    ['with a changed byte', () => changed(plain, flip), /cannot be used: /],
    [
      'with a changed byte under encryption',
      () => changed(encrypted, flip),
      /cannot be used: the file was changed or cut off/,
    ],
    ['that was cut off', () => changed(plain, halve), /cannot be used: /],
    ['that was cut off under encryption', () => changed(encrypted, halve), /cannot be used: /],
    [
      'with another time in its first line',
      () => changed(plain, relabel(/"takenAt":"20/, '"takenAt":"19')),
      /it was changed, or written with another master key/,
    ],
    [
      'that says it is encrypted, but is not',
      () => changed(plain, relabel(/"isEncrypted":false/, '"isEncrypted":true')),
      /the file is not encrypted/,
    ],
    [
      'with a further row',
      () => rewritten((text) => text.replace(/\n\\\.\n/, '\n7\t7\n\\.\n')),
      /cannot be used|Database error/,
    ],
    [
      'with the name of another table',
      () => rewritten((text) => text.replace('"name":"runs"', '"name":"runs; drop"')),
      /its table runs.* is not that of its schema/,
    ],
    [
      'with the rest of another one after its end',
      () => rewritten((text) => `${text}more`),
      /it was changed, or written with another master key/,
    ],
    [
      'of a newer schema',
      () =>
        rewritten((text) =>
          text.replace('"migrations":[', '"migrations":[{"version":9999,"name":"9999_new"},'),
        ),
      /the database has migration 9999_new, which this version does not have/i,
    ],
    [
      'of a newer format',
      () => changed(plain, relabel(/"anagrafeDump":1/, '"anagrafeDump":2')),
      /was written by a newer version of the service\. Upgrade the service/,
    ],
    [
      'that is another file',
      () => changed(plain, (path) => writeFileSync(path, 'id,name\n1,2\n')),
      /it is not a dump/,
    ],
  ])('%s is refused, and leaves the database empty', async (_, make, message) => {
    expectOneLine(await inProcess(['load', make()], target), message);
    const folder = newFolder();
    expectOneLine(await inProcess(['load', make()], { ANAGRAFE_DATA: folder }), message);
    expect(existsSync(join(folder, 'postgres'))).toBe(false);
  });

  it('needs the master key whose fingerprint it names, and an empty database', async () => {
    expectOneLine(
      await inProcess(['load', encrypted], { ANAGRAFE_DATA: dataFolder() }),
      /needs the master key with the fingerprint [0-9a-f]{8}, but there is none\. Copy the file master\.key/,
    );
    expectOneLine(
      await inProcess(['load', plain], { ...target, ANAGRAFE_MASTER_KEY: 'ab'.repeat(32) }),
      /needs the master key with the fingerprint [0-9a-f]{8}, but the settings have the one with [0-9a-f]{8}/,
    );
    expectOneLine(
      await inProcess(['load', plain], source),
      /is not empty\. Load the dump into a new data folder/,
    );
    // The refused ones have left it empty.
    expect(await inProcess(['load', plain], target)).toMatchObject({ code: 0 });
    expectOneLine(await inProcess(['load', plain], target), /is not empty/);
  });

  it('replaces no file, and only its owner can read it', async () => {
    expect(statSync(plain).mode & 0o777).toBe(0o600);
    expectOneLine(await inProcess(['dump', plain], source), /exists already\. Choose another name/);
    expect(existsSync(`${plain}.unfinished`)).toBe(false);
  });
});
