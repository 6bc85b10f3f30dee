#!/usr/bin/env node
// CommonJS on purpose: the size of libuv's thread pool is read when the pool is first used, and loading an ES module
// uses it. Hashing takes one thread per core; the rest keeps files, DNS and zlib from waiting behind it.
const { availableParallelism } = require('node:os');

process.env.UV_THREADPOOL_SIZE ??= String(Math.min(1024, availableParallelism() + 4));
import('../dist/cli.js');
