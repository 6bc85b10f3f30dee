import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtConsole } from '../../../server/src/console/console.routes.ts';
import { enter, useConsole, visit } from './browser.ts';
import { fill } from './filled.ts';

const maxBytes = 300_000;
const folder = builtConsole() ?? '';

const { service, office } = await useConsole({}, { scopes: ['admin', 'sync:write'] });
await fill(service, office);

describe('the first load of the console', () => {
  it('fetches less than 300 kB with gzip for the overview and its charts', async () => {
    const person = await visit(service, { newContext: true });
    const { page } = person;
    let requested = 0;
    page.on('request', () => requested++);
    const fetched: Promise<{ path: string; bytes: number }>[] = [];
    page.on('requestfinished', (request) => {
      const path = new URL(request.url()).pathname;
      const compressed = path.startsWith('/console/assets/') && join(folder, path.slice('/console/'.length));
      // The gzip size counts: this browser accepts Brotli, but one behind a proxy may not.
      const bytes = async () =>
        compressed ? statSync(`${compressed}.gz`).size : (await request.sizes()).responseBodySize;
      fetched.push(bytes().then((size) => ({ path, bytes: size })));
      if (compressed) expect(existsSync(`${compressed}.br`)).toBe(true);
    });
    await enter(person, '', office);
    await page.locator('rect[data-figure]').first().waitFor();
    await page.getByText(/USERNAME_TAKEN/).waitFor();
    await expect.poll(() => fetched.length).toBe(requested);

    const all = await Promise.all(fetched);
    const bytesOf = (part: RegExp) =>
      all.filter(({ path }) => part.test(path)).reduce((sum, { bytes }) => sum + bytes, 0);
    for (const part of [/\/assets\/index-.*\.js$/, /\/assets\/en-.*\.js$/, /\.css$/, /^\/admin\/v1\//])
      expect(bytesOf(part)).toBeGreaterThan(0);
    expect(bytesOf(/./)).toBeLessThan(maxBytes);
  });
});
