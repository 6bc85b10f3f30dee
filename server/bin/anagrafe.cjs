#!/usr/bin/env node
const { setFlagsFromString } = require('node:v8');

// Left to itself, the heap may double before anyone looks for what can go: a body of 16 MB would take 200.
setFlagsFromString('--heap-growing-percent=20');
import('../dist/bundle/run.js');
