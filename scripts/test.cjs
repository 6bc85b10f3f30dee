// @ts-check
// Format and lint, types, then every test. Arguments go to Vitest: npm test -- update
const { join } = require('node:path');
const { ensureChromium } = require('./chromium.cjs');
const { prepare, root, run } = require('./prepare.cjs');

const filters = process.argv.slice(2);
const tool = (...path) => join(root, 'node_modules', ...path);

try {
  prepare();
  if (filters.length === 0 || filters.some((filter) => filter.includes('browser'))) ensureChromium();
  run(process.execPath, tool('@biomejs', 'biome', 'bin', 'biome'), 'check', '.');
  for (const project of ['server/test', 'console'])
    run(process.execPath, tool('typescript', 'bin', 'tsc'), '-p', project);
  run(process.execPath, tool('vitest', 'vitest.mjs'), 'run', '--root', 'server', ...filters);
} catch (error) {
  process.exitCode = error.status ?? 1;
}
