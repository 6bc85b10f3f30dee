import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { appendErasures, type Erasure, erasureLogIn, readErasures } from '../../src/erasures/erasure-log.ts';

function newLog(): string {
  const folder = mkdtempSync(join(tmpdir(), 'anagrafe-erasures-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return erasureLogIn(folder);
}

const erasure = (position: number): Erasure => ({
  at: '2026-01-31T08:00:00.000Z',
  timeline: '00000001',
  position,
  hash: 'ab'.repeat(32),
  call: null,
  principal: null,
  users: [position],
});

async function read(path: string): Promise<number[]> {
  const found: number[] = [];
  for await (const { position } of readErasures(path)) found.push(position);
  return found;
}

describe('the erasure log', () => {
  it('is empty without a file, and only its owner can read it', async () => {
    const path = newLog();
    expect(await read(path)).toEqual([]);
    await appendErasures(path, [erasure(1)]);
    await appendErasures(path, [erasure(2), erasure(3)]);
    expect(await read(path)).toEqual([1, 2, 3]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('loses no line after one that a kill has cut off', async () => {
    const path = newLog();
    await appendErasures(path, [erasure(1)]);
    appendFileSync(path, '{"at":"2026-01-31T08:00:00.000Z","timel');
    expect(await read(path)).toEqual([1]);
    await appendErasures(path, [erasure(2)]);
    expect(await read(path)).toEqual([1, 2]);
    writeFileSync(path, '{"at":');
    await appendErasures(path, [erasure(1)]);
    expect(readFileSync(path, 'utf8')).toMatch(/^\{"at":"2026.*\}\n$/);
  });

  it.each([
    ['is no JSON', '{"position":'],
    ['has an ID that is no number', JSON.stringify({ ...erasure(2), users: ['1; drop'] })],
    ['names no database in its name', JSON.stringify({ ...erasure(2), database: 'production' })],
    ['has no hash', JSON.stringify({ ...erasure(2), hash: '' })],
  ])('is refused with the number of a line that %s', async (_, line) => {
    const path = newLog();
    await appendErasures(path, [erasure(1)]);
    appendFileSync(path, `${line}\n`);
    await appendErasures(path, [erasure(3)]);
    await expect(read(path)).rejects.toThrow(/^Line 2 of .* cannot be read\. Correct or remove the line/);
  });
});
