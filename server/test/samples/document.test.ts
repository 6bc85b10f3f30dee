import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { samplesFolder } from './languages.ts';

const page = readFileSync(join(samplesFolder, '../integrating.md'), 'utf8');
const index = readFileSync(join(samplesFolder, 'README.md'), 'utf8');
const stale = 'it is behind the samples: run "npm run generate"';
const program = /\.(sh|ts|cs|php|py)$/;
const built = /(^|\/)(dist|bin|obj|node_modules)\//;

const samples = readdirSync(samplesFolder, { recursive: true, withFileTypes: true })
  .map((entry) => relative(samplesFolder, join(entry.parentPath, entry.name)).split(sep).join('/'))
  .filter((path) => program.test(path) && !built.test(path))
  .toSorted();

it('docs/integrating.md quotes the current text of the samples', () => {
  const script = fileURLToPath(new URL('../../../scripts/generate-quotes.mjs', import.meta.url));
  const check = () => execFileSync(process.execPath, [script, '--check'], { stdio: 'pipe' });
  expect(check, stale).not.toThrow();
});

it('docs/integrating.md quotes every sample once', () => {
  const quoted = [...page.matchAll(/^<!-- samples\/(\S+) -->\n\n```\w/gm)].map(([, path]) => path);
  expect(samples).toContain('python/register.py');
  expect(quoted.toSorted()).toEqual(samples);
});

it('docs/samples/README.md has a line for every sample', () => {
  const listed = [...index.matchAll(/\]\(([\w./]+)\)/g)].map(([, path = '']) => path);
  expect(listed.filter((path) => program.test(path)).toSorted()).toEqual(samples);
});
