#!/usr/bin/env node
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { setFlagsFromString } = require('node:v8');

// By default, V8 lets the heap double between two collections: a request body of 16 MB would take 200 MB.
setFlagsFromString('--heap-growing-percent=100');
if (existsSync(join(__dirname, '../dist/bundle/run.js'))) import('../dist/bundle/run.js');
else {
  process.stderr.write(
    'anagrafe: Anagrafe is not built yet. Run "npm start" in the folder of the project once.\n',
  );
  process.exitCode = 1;
}
