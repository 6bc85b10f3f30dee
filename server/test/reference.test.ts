import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { commandLinePage } from '../src/cli/reference.ts';
import { generatedPages } from '../src/reference.ts';
import { startTestService } from './setup/service.ts';

const stale = 'it is behind the code: run "npm run generate"';
const committed = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

it.each(Object.keys(generatedPages))('%s says what the code says', (path) => {
  expect(committed(path), stale).toBe(generatedPages[path]?.());
});

it('docs/command-line.md says what the commands say', () => {
  expect(committed('docs/command-line.md'), stale).toBe(commandLinePage());
});

it('server/openapi.json is what the service answers', async () => {
  const service = await startTestService();
  const answered = await (await fetch(`${service.url}/openapi.json`)).json();
  expect(JSON.parse(committed('server/openapi.json')), stale).toEqual(answered);
});

it('client/src/api.gen.ts is what server/openapi.json says', () => {
  const generator = fileURLToPath(new URL('../../scripts/generate-client.mjs', import.meta.url));
  const check = () => execFileSync(process.execPath, [generator, '--check'], { stdio: 'pipe' });
  expect(check, stale).not.toThrow();
});
