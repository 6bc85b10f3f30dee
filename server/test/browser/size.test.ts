import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtConsole } from '../../src/console-folder.ts';

const most = 300_000;

describe('the console that was built', () => {
  it('is loaded in less than 300 kB at first, compressed', () => {
    const folder = builtConsole() ?? '';
    const index = readFileSync(join(folder, 'index.html'), 'utf8');
    const files = [...index.matchAll(/(?:src|href)="\/console\/(assets\/[^"]+)"/g)].map(
      ([, path = '']) => path,
    );
    expect(files.some((path) => path.endsWith('.js'))).toBe(true);
    expect(files.some((path) => path.endsWith('.css'))).toBe(true);
    for (const path of files) expect(existsSync(join(folder, `${path}.br`))).toBe(true);
    const bytes = files.map((path) => statSync(join(folder, `${path}.gz`)).size);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(most);
  });
});
