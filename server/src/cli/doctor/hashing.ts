import { availableParallelism } from 'node:os';
import { HashPool } from '../../passwords/hash-pool.ts';
import { type Config, settings } from '../../settings/config.ts';
import { type Finding, finding } from './findings.ts';

const mebibyte = 1024 * 1024;
/** Memory of the process without hashing, and of each hashing thread in addition to its argon2id memory. */
const processBytes = 130 * mebibyte;
const threadBytes = 13 * mebibyte;
const slowPerSecond = 10;
const measureMs = 1000;

export async function* examineHashing(config: Config): AsyncGenerator<Finding> {
  const { HASH_CONCURRENCY: threads, HASH_MEMORY_KIB: kibibytes } = config;
  const memory = {
    availableBytes: process.availableMemory(),
    neededBytes: processBytes + threads * (threadBytes + kibibytes * 1024),
  };
  // Hashing with too little memory could make the kernel kill other processes, such as the database.
  if (memory.availableBytes < memory.neededBytes) return yield finding('memory_insufficient', memory);
  yield finding('memory_sufficient', memory);
  const cores = availableParallelism();
  yield finding(threads > cores ? 'processors_overcommitted' : 'processors_sufficient', { threads, cores });
  const pace = await hashesPerSecond(config, Math.min(threads, cores));
  yield finding(pace.perSecond >= slowPerSecond ? 'hashing_fast' : 'hashing_slow', pace);
}

/** The lowest cost of a hash that the settings allow: memory in KiB times passes. */
const leastCost = settings.HASH_MEMORY_KIB.fallback * settings.HASH_PASSES.fallback;
/** The longest hash that is measured. A running hash cannot be cancelled, so slower ones are estimated. */
const longestSeconds = 0.5;

interface Pace {
  readonly perSecond: number;
  readonly measured: boolean;
}

/** Measures the rate of all threads at the configured cost; estimates it from a cheaper hash if that is too slow. */
async function hashesPerSecond(config: Config, threads: number): Promise<Pace> {
  const { HASH_MEMORY_KIB: memoryKib, HASH_PASSES: passes } = config;
  const cheap = await withHasher(
    config,
    { threads, memoryKib: settings.HASH_MEMORY_KIB.fallback, passes: settings.HASH_PASSES.fallback },
    async (hasher) => {
      await hasher.calibrate();
      return hasher.scheduler.capacity;
    },
  );
  const expected = (cheap * leastCost) / (memoryKib * passes);
  if (threads / expected > longestSeconds) return { perSecond: expected, measured: false };
  const perSecond = await withHasher(config, { threads, memoryKib, passes }, (hasher) =>
    measure(hasher, threads),
  );
  return { perSecond, measured: true };
}

async function measure(hasher: HashPool, threads: number): Promise<number> {
  const lanes = Array.from({ length: threads * 2 });
  const { hash } = hasher.forJob('doctor', new AbortController().signal);
  // The first hashes start the threads and are not measured.
  await Promise.all(lanes.map(() => hash('a password')));
  let done = 0;
  const since = performance.now();
  const keepHashing = async () => {
    do {
      await hash('a password');
      done++;
    } while (performance.now() - since < measureMs);
  };
  await Promise.all(lanes.map(keepHashing));
  return (done * 1000) / (performance.now() - since);
}

async function withHasher<Result>(
  config: Config,
  { threads, ...cost }: { threads: number; memoryKib: number; passes: number },
  work: (hasher: HashPool) => Promise<Result>,
): Promise<Result> {
  const hasher = new HashPool({ concurrency: threads, maxWaitSeconds: config.MAX_WAIT_SECONDS, ...cost });
  return work(hasher).finally(() => hasher.close());
}
