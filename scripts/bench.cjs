// @ts-check
const { join } = require('node:path');
const { prepare, root, run } = require('./prepare.cjs');

try {
  prepare();
  run(process.execPath, join(root, 'bench', 'dist', 'main.js'), ...process.argv.slice(2));
} catch (error) {
  process.exitCode = error.status ?? 1;
}
