import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { expect, it } from 'vitest';
import { samplesFolder } from './languages.ts';

const index = readFileSync(join(samplesFolder, 'README.md'), 'utf8');
const program = /\.(sh|ts|cs|php|py)$/;
const built = /(^|\/)(dist|bin|obj|node_modules)\//;

const samples = readdirSync(samplesFolder, { recursive: true, withFileTypes: true })
  .map((entry) => relative(samplesFolder, join(entry.parentPath, entry.name)).split(sep).join('/'))
  .filter((path) => program.test(path) && !built.test(path))
  .toSorted();

it('docs/samples/README.md links every sample', () => {
  const linked = [...index.matchAll(/\]\(([\w./]+)\)/g)].map(([, path = '']) => path);
  expect(samples).toContain('python/register.py');
  expect(linked.filter((path) => program.test(path)).toSorted()).toEqual(samples);
});
