import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startTestService } from '@anagrafe/testing/service';
import { expect, it } from 'vitest';

const stale = 'it is behind the code: run "npm run generate"';
const committed = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

it('server/openapi.json equals the document that the service serves', async () => {
  const service = await startTestService();
  const answered = await (await fetch(`${service.url}/openapi.json`)).json();
  expect(JSON.parse(committed('server/openapi.json')), stale).toEqual(answered);
});

it.each([
  ['generate-pages.mjs', 'the reference pages in docs/ equal the pages that the code generates'],
  ['generate-client.mjs', 'client/src/api.gen.ts is generated from the current server/openapi.json'],
])('%s --check: %s', (name) => {
  const script = fileURLToPath(new URL(`../../scripts/${name}`, import.meta.url));
  const check = () => execFileSync(process.execPath, [script, '--check'], { stdio: 'pipe' });
  expect(check, stale).not.toThrow();
});
