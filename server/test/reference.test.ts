import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { commandLinePage } from '../src/cli/reference.ts';
import { generatedPages } from '../src/reference.ts';
import { startTestService } from './setup/service.ts';

const stale = 'it is behind the code: run "npm run generate"';
const committed = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

it.each(Object.keys(generatedPages))('%s equals the page that the code generates', (path) => {
  expect(committed(path), stale).toBe(generatedPages[path]?.());
});

it('docs/cli.md equals the page that the commands generate', () => {
  expect(committed('docs/cli.md'), stale).toBe(commandLinePage());
});

it('server/openapi.json equals the document that the service serves', async () => {
  const service = await startTestService();
  const answered = await (await fetch(`${service.url}/openapi.json`)).json();
  expect(JSON.parse(committed('server/openapi.json')), stale).toEqual(answered);
});

it('client/src/api.gen.ts is generated from the current server/openapi.json', () => {
  const generator = fileURLToPath(new URL('../../scripts/generate-client.mjs', import.meta.url));
  const check = () => execFileSync(process.execPath, [generator, '--check'], { stdio: 'pipe' });
  expect(check, stale).not.toThrow();
});
