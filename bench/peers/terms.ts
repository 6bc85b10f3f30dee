import { availableParallelism } from 'node:os';

export const cores = availableParallelism();

/** The default of both peers on a small machine, and no bottleneck on a large one. */
export const connections = Math.min(200, Math.max(10, 2 * cores));

/** Nothing else of our environment: it may hold settings that the peers would take for theirs. */
export const environment = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  TMPDIR: process.env.TMPDIR,
  NODE_ENV: 'production',
  // Hashing takes a thread of libuv's pool, and there are only 4 unless more are asked for.
  UV_THREADPOOL_SIZE: String(Math.max(4, cores)),
};
