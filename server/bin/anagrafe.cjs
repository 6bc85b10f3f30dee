#!/usr/bin/env node
// CommonJS on purpose: the size of libuv's thread pool is read when the pool is first used, and loading an ES module
// uses it. Hashing takes one thread per hash in flight; the rest keeps files, DNS and zlib from waiting behind it.
const { availableParallelism } = require('node:os');
const { setFlagsFromString } = require('node:v8');

const hashes = Math.max(availableParallelism(), Number(process.env.ANAGRAFE_HASH_CONCURRENCY) || 0);
process.env.UV_THREADPOOL_SIZE ??= String(Math.min(1024, hashes + 4));
// Left to itself, the heap may double before anyone looks for what can go: a body of 16 MB would take 200.
setFlagsFromString('--heap-growing-percent=20');
import('../dist/cli.js');
