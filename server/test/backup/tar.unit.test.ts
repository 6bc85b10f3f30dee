import { execFileSync } from 'node:child_process';
import {
  createReadStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTar, TarError } from '../../src/backup/tar.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'anagrafe-tar-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Packs files of the folder with the tar of the system. */
function pack(...names: string[]): string {
  const archive = join(folder, 'packed.tar');
  execFileSync('tar', ['--format=ustar', '-P', '-cf', archive, '-C', folder, ...names]);
  return archive;
}

async function read(archive: string): Promise<[string, string | null][]> {
  const found: [string, string | null][] = [];
  for await (const { name, isFolder, content } of readTar(
    createReadStream(archive, { highWaterMark: 700 }),
  )) {
    const pieces: Buffer[] = [];
    for await (const piece of content) pieces.push(piece);
    found.push([name, isFolder ? null : Buffer.concat(pieces).toString()]);
  }
  return found;
}

describe('a tar archive', () => {
  it('is read with the content of each file, whatever its length', async () => {
    mkdirSync(join(folder, 'base'));
    const contents = ['', 'x', 'y'.repeat(511), 'z'.repeat(512), 'a'.repeat(513), 'b'.repeat(100_000)];
    for (const [n, content] of contents.entries()) writeFileSync(join(folder, 'base', `${n}`), content);
    const found = await read(pack('base'));
    expect(found.toSorted()).toEqual([
      ['base/', null],
      ...contents.map((content, n): [string, string] => [`base/${n}`, content]),
    ]);
  });

  it('is refused with a symbolic link, or with a name that leaves its folder', async () => {
    symlinkSync('/etc/passwd', join(folder, 'link'));
    writeFileSync(join(folder, 'outside'), 'x');
    await expect(read(pack('link'))).rejects.toThrow(TarError);
    await expect(read(pack('base/../outside'))).rejects.toThrow(TarError);
    await expect(read(pack(join(folder, 'outside')))).rejects.toThrow(TarError);
  });

  it('is refused if it is incomplete, or a header was changed', async () => {
    writeFileSync(join(folder, 'file'), 'x'.repeat(600));
    const whole = readFileSync(pack('file'));
    const changed = join(folder, 'changed.tar');
    for (const length of [0, 100, 512, 1000, 1536]) {
      writeFileSync(changed, whole.subarray(0, length));
      await expect(read(changed), `${length} bytes`).rejects.toThrow(TarError);
    }
    const header = Buffer.from(whole);
    header.write('F', 0);
    writeFileSync(changed, header);
    await expect(read(changed)).rejects.toThrow('checksum');
  });
});
