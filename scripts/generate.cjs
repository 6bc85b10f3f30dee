// @ts-check
const { join } = require('node:path');
const { prepare, root, run } = require('./prepare.cjs');

prepare();
run(process.execPath, join(root, 'scripts', 'generate-precis-tables.mjs'));
run(process.execPath, join(root, 'scripts', 'generate-pages.mjs'));
run(process.execPath, join(root, 'scripts', 'generate-openapi.mjs'));
run(process.execPath, join(root, 'scripts', 'generate-client.mjs'));
