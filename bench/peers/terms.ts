import { availableParallelism } from 'node:os';

export const cores = availableParallelism();

/** Database connections of a peer: the default of both, 10, on a small machine, and no bottleneck on a large one. */
export const connections = Math.min(200, Math.max(10, 2 * cores));

/** The whole environment of a peer, because other variables of this process could change its settings. */
export const environment = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  TMPDIR: process.env.TMPDIR,
  NODE_ENV: 'production',
  // Each hash occupies a thread of the libuv pool, which has only 4 by default.
  UV_THREADPOOL_SIZE: String(Math.max(4, cores)),
};
