import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { files } from '../../src/backup/backup-files.ts';
import {
  deleteLogBefore,
  discardLog,
  missingLogFile,
  moveLog,
  unpackLog,
} from '../../src/backup/log-archive.ts';

function folderWith(...names: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'anagrafe-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'log'));
  for (const name of names) writeFileSync(join(folder, 'log', `${name}.gz`), gzipSync(`content of ${name}`));
  return folder;
}

const noKey = () => () => [Buffer.alloc(32)];

async function unpacked(folder: string, first: string | null) {
  const to = join(folder, 'unpacked');
  const last = await unpackLog(folder, first, noKey, to);
  return { last, names: readdirSync(to).toSorted() };
}

describe('the archived log', () => {
  it('is unpacked from the first file that a backup needs, up to the last one', async () => {
    const needed = ['0000000100000000000000FE', '0000000100000000000000FF', '000000010000000100000000'];
    const folder = folderWith('0000000100000000000000FD', ...needed, '0000000100000000000000FE.partial');
    expect(await unpacked(folder, needed[0] ?? '')).toEqual({ last: needed[2], names: needed });
    expect(readFileSync(join(folder, 'unpacked', needed[2] ?? ''), 'utf8')).toBe(`content of ${needed[2]}`);
  });

  it('is unpacked without its files, but with the histories, for a backup alone', async () => {
    const folder = folderWith('000000010000000000000002', '00000002.history', '000000020000000000000002');
    expect(await unpacked(folder, null)).toEqual({ last: null, names: ['00000002.history'] });
  });

  it('is refused if a file of it is damaged', async () => {
    const folder = folderWith('000000010000000000000002');
    writeFileSync(join(folder, 'log', '000000010000000000000003.gz'), 'damaged');
    await expect(unpacked(folder, '000000010000000000000002')).rejects.toThrow(
      /000000010000000000000003\.gz cannot be used: incorrect header check\. Restore to a time before it/,
    );
  });

  it('is unpacked with each timeline and its history', async () => {
    const names = ['000000010000000000000002', '00000002.history', '000000020000000000000002'];
    expect(await unpacked(folderWith(...names), '000000010000000000000002')).toEqual({
      last: names[2],
      names,
    });
  });

  it('is empty if nothing was archived', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'anagrafe-log-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    expect(await unpacked(folder, '000000010000000000000002')).toEqual({ last: null, names: [] });
  });

  it('is deleted up to the first file that a backup needs, in every timeline, but never a history', async () => {
    const kept = ['000000010000000000000003', '00000002.history', '000000020000000000000004'];
    const folder = folderWith('000000010000000000000001', '000000020000000000000002', ...kept);
    await deleteLogBefore(folder, '0000000000000003');
    expect(readdirSync(join(folder, 'log')).toSorted()).toEqual(kept.map((name) => `${name}.gz`));
  });
});

describe('the archived log after a backup', () => {
  const firstFile = '0000000100000000000000FE';
  it.each([
    ['no file yet', [], null],
    ['only files from before the backup', ['0000000100000000000000FD'], null],
    [
      'all files, across the end of a part of the number',
      [firstFile, '0000000100000000000000FF', '000000010000000100000000'],
      null,
    ],
    ['no first file', ['0000000100000000000000FF'], firstFile],
    ['a gap', [firstFile, '000000010000000100000001'], '0000000100000000000000FF'],
    ['files of another timeline', [firstFile, '000000020000000100000001', '00000002.history'], null],
  ])('that has %s is missing what it should', async (_, names, missing) => {
    expect(await missingLogFile(folderWith(...names), firstFile)).toBe(missing);
  });

  it('misses nothing without its folder', async () => {
    expect(await missingLogFile('/nonexistent', firstFile)).toBeNull();
  });
});

describe('the files of the log that wait to be archived', () => {
  const name = '000000010000000000000002';
  function dataFolderWith(content: string): string {
    const data = mkdtempSync(join(tmpdir(), 'anagrafe-log-'));
    onTestFinished(() => rmSync(data, { recursive: true, force: true }));
    for (const folder of ['postgres/pg_wal', 'log-archive'])
      mkdirSync(join(data, folder), { recursive: true });
    writeFileSync(join(data, 'log-archive', name), content);
    return data;
  }
  const { signal } = new AbortController();
  const waiting = (data: string) => readdirSync(join(data, 'log-archive'));

  const move = (data: string, folder: string, encrypt = true) =>
    moveLog(data, { folder, system: '1', encrypt, keyOfName: noKey, signal });

  it.each([
    ['the same encryption', true, true],
    ['the encryption turned off since then', true, false],
    ['the encryption turned on since then', false, true],
  ])(
    'are not moved over the log of another database, but once more after a kill with %s',
    async (_, before, after) => {
      const [first, second, backups] = [dataFolderWith('first'), dataFolderWith('second'), folderWith()];
      await move(first, backups, before);
      expect(waiting(first)).toEqual([]);
      await expect(move(second, backups, after)).rejects.toThrow(
        /\.gz(\.encrypted)? is part of the log of another database\. Use a folder for one database only/,
      );
      expect(waiting(second)).toEqual([name]);
      const killed = dataFolderWith('first');
      await move(killed, backups, after);
      expect(waiting(killed)).toEqual([]);
      expect(await unpacked(backups, name)).toEqual({ last: name, names: [name] });
      expect(readFileSync(join(backups, 'unpacked', name), 'utf8')).toBe('first');
    },
  );

  it('are not moved into a folder with a backup of another database', async () => {
    const [data, backups] = [dataFolderWith('log'), folderWith()];
    const other = join(backups, '2026-01-31T080000Z');
    mkdirSync(other);
    writeFileSync(join(other, files.about), JSON.stringify({ system: '2' }));
    await expect(move(data, backups)).rejects.toThrow(
      /2026-01-31T080000Z is a backup of another database\. Use a folder for one database only/,
    );
    expect(waiting(data)).toEqual([name]);
  });

  it('are deleted if the disk of the database is nearly full, and kept otherwise', async () => {
    const data = dataFolderWith('log');
    expect(await discardLog(data, 0)).toBe(0);
    expect(waiting(data)).toEqual([name]);
    expect(await discardLog(data, Number.MAX_SAFE_INTEGER)).toBe(1);
    expect(waiting(data)).toEqual([]);
  });
});
