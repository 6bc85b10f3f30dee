import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deleteLogBefore, unpackLog } from '../../src/backup/log-archive.ts';

function folderWith(...names: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'anagrafe-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'log'));
  for (const name of names) writeFileSync(join(folder, 'log', `${name}.gz`), gzipSync(`content of ${name}`));
  return folder;
}

const noKey = () => [Buffer.alloc(32)];

async function unpacked(folder: string, first: string) {
  const to = join(folder, 'unpacked');
  const missing = await unpackLog(folder, first, noKey, to);
  return { missing, names: readdirSync(to).toSorted() };
}

describe('the archived log', () => {
  it('is unpacked from the first file that a backup needs, over the end of a number at FF', async () => {
    const needed = ['0000000100000000000000FE', '0000000100000000000000FF', '000000010000000100000000'];
    const folder = folderWith('0000000100000000000000FD', ...needed, '0000000100000000000000FE.partial');
    expect(await unpacked(folder, needed[0] ?? '')).toEqual({ missing: null, names: needed });
    expect(readFileSync(join(folder, 'unpacked', needed[2] ?? ''), 'utf8')).toBe(`content of ${needed[2]}`);
  });

  it('is unpacked up to a gap, which is reported', async () => {
    const folder = folderWith(
      '000000010000000000000002',
      '000000010000000000000003',
      '000000010000000000000005',
    );
    expect(await unpacked(folder, '000000010000000000000002')).toEqual({
      missing: '000000010000000000000004',
      names: ['000000010000000000000002', '000000010000000000000003'],
    });
  });

  it('is unpacked with each timeline and its history', async () => {
    const names = ['000000010000000000000002', '00000002.history', '000000020000000000000002'];
    expect(await unpacked(folderWith(...names), '000000010000000000000002')).toEqual({
      missing: null,
      names,
    });
  });

  it('is empty if nothing was archived', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'anagrafe-log-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    expect(await unpacked(folder, '000000010000000000000002')).toEqual({ missing: null, names: [] });
  });

  it('is deleted up to the first file that the oldest backup needs, in every timeline, but never a history', async () => {
    const kept = ['000000010000000000000003', '00000002.history', '000000020000000000000004'];
    const folder = folderWith('000000010000000000000001', '000000020000000000000002', ...kept);
    await deleteLogBefore(folder, '000000010000000000000003');
    expect(readdirSync(join(folder, 'log')).toSorted()).toEqual(kept.map((name) => `${name}.gz`));
  });
});
