import { availableParallelism } from 'node:os';
import { type Config, settings } from '../../config.ts';
import { type HashingPool, openHasher } from '../../passwords/hash-pool.ts';
import { inUnits } from '../output/format.ts';
import { grouped } from '../output/live-line.ts';
import { type Finding, fail, ok, warn } from './findings.ts';

const mebibyte = 1024 * 1024;
/** Memory of the process without hashing, and of each hashing thread in addition to its argon2id memory. */
const processBytes = 130 * mebibyte;
const threadBytes = 13 * mebibyte;
const users = 10_000;
const slowPerSecond = 10;
const measureMs = 1000;

export async function* examineHashing(config: Config): AsyncGenerator<Finding> {
  const { HASH_CONCURRENCY: threads, HASH_MEMORY_KIB: kibibytes } = config;
  const needed = processBytes + threads * (threadBytes + kibibytes * 1024);
  const there = process.availableMemory();
  const found = `${grouped(Math.floor(there / mebibyte))} MiB available, about ${grouped(Math.ceil(needed / mebibyte))} needed`;
  // Hashing with too little memory could make the kernel kill other processes, such as the database.
  if (there < needed)
    return yield fail(
      'memory',
      found,
      'Lower ANAGRAFE_HASH_CONCURRENCY or ANAGRAFE_HASH_MEMORY_KIB, or add memory.',
    );
  yield ok('memory', found);
  const cores = availableParallelism();
  if (threads > cores)
    yield warn(
      'processors',
      `${threads} hashes in flight on ${cores} cores, which is slower`,
      `Set ANAGRAFE_HASH_CONCURRENCY to ${cores}, or leave it out.`,
    );
  else yield ok('processors', `${threads} hashes in flight on ${cores} cores`);
  yield describe(await hashesPerSecond(config, Math.min(threads, cores)));
}

function describe({ perSecond, measured }: Pace): Finding {
  const rate = perSecond < 10 ? perSecond.toPrecision(2) : perSecond.toFixed(0);
  const estimate = measured ? '' : ', by estimate';
  const found = `${rate} hashes in a second${estimate}; ${grouped(users)} users take ${inUnits(users / perSecond)}`;
  if (perSecond >= slowPerSecond) return ok('hashing', found);
  return warn(
    'hashing',
    found,
    'Lower ANAGRAFE_HASH_MEMORY_KIB and ANAGRAFE_HASH_PASSES, add cores, or end what else keeps them busy.',
  );
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
      return hasher.capacity;
    },
  );
  const expected = (cheap * leastCost) / (memoryKib * passes);
  if (threads / expected > longestSeconds) return { perSecond: expected, measured: false };
  const perSecond = await withHasher(config, { threads, memoryKib, passes }, (hasher) =>
    measure(hasher, threads),
  );
  return { perSecond, measured: true };
}

async function measure(hasher: HashingPool, threads: number): Promise<number> {
  const lanes = Array.from({ length: threads * 2 });
  const { hash } = hasher.admit({ lane: 'bulk', share: 'doctor', count: lanes.length });
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
  work: (hasher: HashingPool) => Promise<Result>,
): Promise<Result> {
  const hasher = openHasher({ concurrency: threads, maxWaitSeconds: config.MAX_WAIT_SECONDS, ...cost });
  return work(hasher).finally(() => hasher.close());
}
