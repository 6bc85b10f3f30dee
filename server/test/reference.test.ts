import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { generatedPages } from '../src/reference.ts';
import { startTestService } from './setup/service.ts';

const stale = 'it is behind the code: run "npm run generate"';
const committed = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

it.each(Object.keys(generatedPages))('%s says what the code says', (path) => {
  expect(committed(path), stale).toBe(generatedPages[path]?.());
});

it('server/openapi.json is what the service answers', async () => {
  const service = await startTestService();
  const answered = await (await fetch(`${service.url}/openapi.json`)).json();
  expect(JSON.parse(committed('server/openapi.json')), stale).toEqual(answered);
});
