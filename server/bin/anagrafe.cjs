#!/usr/bin/env node
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { setFlagsFromString } = require('node:v8');

// By default, V8 lets the heap double between two collections: a request body of 16 MB would take 200 MB.
setFlagsFromString('--heap-growing-percent=20');
// With so little space to grow, V8 would mark the whole heap each time the young generation is full, which takes more
// processor time than a refused call itself. It starts when most of the space is used instead.
setFlagsFromString('--incremental-marking-soft-trigger=80');
setFlagsFromString('--incremental-marking-hard-trigger=90');
if (existsSync(join(__dirname, '../dist/bundle/run.js'))) import('../dist/bundle/run.js');
else {
  process.stderr.write(
    'anagrafe: Anagrafe is not built yet. Run "npm start" in the folder of the project once.\n',
  );
  process.exitCode = 1;
}
