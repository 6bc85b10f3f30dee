// @ts-check
// Checks format, lint and types, then runs every test. Arguments go to Vitest: npm test -- update
const { join } = require('node:path');
const { ensureChromium } = require('./chromium.cjs');
const { checkSources, prepare, root, run } = require('./prepare.cjs');

const args = process.argv.slice(2);
const paths = args.filter((arg) => arg.startsWith('test') || !arg.startsWith('-'));

try {
  prepare();
  if (paths.length === 0 || paths.some((path) => path.includes('browser'))) ensureChromium();
  checkSources();
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  run(process.execPath, vitest, 'run', '--root', 'server', '--project', '!rounds', ...args);
} catch (error) {
  process.exitCode = error.status ?? 1;
}
