import { ApiError } from '../lib/field-errors.ts';
import { Semaphore } from '../lib/semaphore.ts';
import { FairQueue, type Lane, type QueuedTask } from './fair-queue.ts';
import { RateMeter } from './hash-rate.ts';
import { type HashResult, HashThread, ThreadEnded } from './hash-thread.ts';
import { verificationOf, type Work, weightOf } from './hash-work.ts';

/** Thrown if work was not completed, because its signal was aborted, the service stopped or the database is down. */
export class Aborted extends Error {}

/** The passwords of one call in the hash pool. */
export interface HashBatch {
  hash(password: string): Promise<string>;
}

/** The source of a password that is to be verified. */
export interface VerifySource {
  readonly source: string;
  /** True if the account has signed in from this source before. Known and new sources have separate shares. */
  readonly known: boolean;
}

export interface Hasher {
  /**
   * Admits the passwords of a call to a lane, in the fair share of the caller. Throws the `ApiError` `OVERLOADED` if
   * the estimated wait exceeds `maxWaitSeconds`. Work with an abort signal is never rejected. It keeps only a few of
   * its passwords in the queue at once, so that another call of the same share does not wait for all of them.
   */
  admit(work: { lane: Lane; share: string; count: number; signal?: AbortSignal | null }): HashBatch;
  /**
   * Returns true if the password matches the hash, which may be imported. Costly hashes are verified in the bulk lane,
   * all others in the interactive lane. Sources get the same processing time in turn, so that a flood from one source
   * does not hold up the others.
   */
  verify(password: string, hash: string, from: VerifySource): Promise<boolean>;
  /** Estimates the seconds until `count` more passwords of a share are hashed, including the queue ahead of them. */
  estimateSeconds(share: string, count: number): number;
}

/** The current state of the pool, for metrics and statistics. */
export interface HashingState {
  waiting(lane: Lane): number;
  readonly running: number;
  /** Hashes per second, measured over the last seconds. */
  readonly rate: number;
  /** Maximum hashes per second. */
  readonly capacity: number;
}

export interface HasherOptions {
  /** The number of threads: one for each core. More threads reduce the throughput by a third. */
  readonly concurrency: number;
  readonly memoryKib: number;
  readonly passes: number;
  /** The maximum estimated wait of a call, in seconds. */
  readonly maxWaitSeconds: number;
  /** Called after each hash with its duration. */
  onHash?(lane: Lane, seconds: number): void;
}

export interface HashingPool extends Hasher {
  waiting(lane: Lane): number;
  readonly running: number;
  /** Hashes and verifications per second, measured over the last seconds. */
  readonly rate: number;
  /** Maximum hashes per second, calculated from the mean duration of recent hashes. */
  readonly capacity: number;
  /** Measures the duration of a hash, so that the first estimate is realistic. Returns a hash that no account uses. */
  calibrate(): Promise<string>;
  close(): Promise<void>;
}

/** The maximum number of requests of each lane in a thread: the current one and the next, so that it never idles. */
const requestsPerThread = 2;
/** The weight of the newest duration in the exponential moving average. */
const smoothing = 0.05;
/** The number of passwords per thread that work with an abort signal keeps in the queue: enough to keep it busy. */
const abortablePerThread = 4;
/** The shares of logins: from sources where the account has signed in before, and from new sources. */
const knownVerifiers = 'known verifiers';
const newVerifiers = 'new verifiers';
/**
 * An imported hash can take many times as long to verify as a hash of this service. Hashes above this weight have a
 * share of the bulk lane, so that other users do not wait for them.
 */
const costlyWeight = 8;
const costlyVerifiers = 'costly verifiers';
/** The assumed duration of a hash until the first one is measured. */
const initialSeconds = 0.02;

interface Task extends QueuedTask {
  readonly work: Work;
  /** The number of threads that ended while they had this task. */
  lost: number;
  resolve(done: HashResult): void;
  reject(error: unknown): void;
}

/** A task fails after this number of threads ended with it, because it probably causes the crash. */
const lostMax = 2;

/** Opens a pool of argon2id threads. Interactive tasks run before bulk tasks; the callers of a lane get equal time. */
export function openHasher(options: HasherOptions): HashingPool {
  const cost = { memoryCost: options.memoryKib, timeCost: options.passes, parallelism: 1 };
  const threads = Array.from({ length: options.concurrency }, () => new HashThread());
  /** The maximum number of threads that verify costly hashes: half of them, and at least one. */
  const costlyThreads = Math.max(Math.floor(options.concurrency / 2), 1);
  const lanes = new FairQueue<Task>();
  let meanSeconds = initialSeconds;
  const pace = new RateMeter();
  /** The weight of the costly verifications in the threads, less 1 for each, which `queuedInThreads` counts. */
  let costlyWeightInThreads = 0;
  let closed = false;

  function capacity(): number {
    return options.concurrency / meanSeconds;
  }

  function running(): number {
    return threads.filter(({ load }) => load > 0).length;
  }

  /** The number of requests of a lane that wait in the threads, without the current ones. */
  function queuedInThreads(lane: Lane): number {
    return threads.reduce((sum, thread) => sum + countOf(thread, lane), 0);
  }

  function ahead(lane: Lane, waiting: QueuedTask): number {
    const inThreads =
      lane === 'interactive' ? queuedInThreads(lane) : queuedInThreads(lane) + queuedInThreads('interactive');
    // Interactive tasks run in the threads without costly verifications, unless there is only one thread.
    const costly = lane === 'bulk' || threads.length === 1 ? costlyWeightInThreads : 0;
    return lanes.ahead(lane, waiting) + inThreads + costly;
  }

  function queue(work: Work, lane: Lane, waiting: QueuedTask): Promise<HashResult> {
    if (closed) return Promise.reject(new Aborted('the service has stopped'));
    return new Promise((resolve, reject) => {
      lanes.push(lane, { ...waiting, work, lost: 0, resolve, reject });
      fill();
    });
  }

  function costlyInThreads(): number {
    return threads.reduce((sum, { costly }) => sum + costly, 0);
  }

  function fill(): void {
    for (const lane of ['interactive', 'bulk'] as const) {
      while (lanes.length(lane) > 0) {
        const thread = closed ? undefined : threadFor(lane, threads);
        const without = costlyInThreads() < costlyThreads ? undefined : costlyVerifiers;
        const task = thread && lanes.next(lane, without);
        if (!task) break;
        void run(task, thread, lane);
      }
    }
  }

  async function run(task: Task, thread: HashThread, lane: Lane): Promise<void> {
    try {
      task.resolve(await ask(task, thread, lane));
      pace.note();
    } catch (error) {
      const again = error instanceof ThreadEnded && !closed && ++task.lost < lostMax;
      if (again) lanes.push(lane, task);
      else task.reject(closed ? new Aborted('the service has stopped') : error);
    }
    fill();
  }

  async function ask(task: Task, thread: HashThread, lane: Lane): Promise<HashResult> {
    const costly = task.share === costlyVerifiers;
    const more = costly ? task.weight - 1 : 0;
    costlyWeightInThreads += more;
    return thread.ask(task.work, lane === 'interactive', costly).finally(() => {
      costlyWeightInThreads -= more;
    });
  }

  async function hash(password: string, lane: Lane, share: string): Promise<string> {
    const { result, seconds } = await queue({ kind: 'hash', password, cost }, lane, { share, weight: 1 });
    meanSeconds += (seconds - meanSeconds) * smoothing;
    options.onHash?.(lane, seconds);
    return String(result);
  }

  function refuseLongWait(lane: Lane, waiting: QueuedTask): void {
    let wait = ahead(lane, waiting) / capacity();
    // Costly verifications run in `costlyThreads` threads only.
    if (waiting.share === costlyVerifiers)
      wait = Math.max(
        wait,
        (lanes.aheadInShare(lane, waiting) / capacity()) * (options.concurrency / costlyThreads),
      );
    if (waiting.weight === 0 || wait <= options.maxWaitSeconds) return;
    const seconds = Math.ceil(wait);
    throw new ApiError('OVERLOADED', { figures: { seconds }, retryAfterSeconds: seconds });
  }

  return {
    admit({ lane, share, count, signal }) {
      if (!signal) {
        refuseLongWait(lane, { share, weight: count });
        return { hash: (password) => hash(password, lane, share) };
      }
      const semaphore = new Semaphore(options.concurrency * abortablePerThread);
      return {
        hash: (password) =>
          semaphore.run(async () => {
            if (signal.aborted) throw new Aborted('told to break off');
            return hash(password, lane, share);
          }),
      };
    },
    async verify(password, stored, { known, source }) {
      const weight = weightOf(stored, cost);
      const lane = weight > costlyWeight ? 'bulk' : 'interactive';
      const share = weight > costlyWeight ? costlyVerifiers : known ? knownVerifiers : newVerifiers;
      const waiting = { share, source, weight };
      refuseLongWait(lane, waiting);
      const work = verificationOf(password, stored);
      return work !== null && (await queue(work, lane, waiting)).result === true;
    },
    estimateSeconds: (share, count) =>
      count === 0 ? 0 : (ahead('bulk', { share, weight: count }) + running() + count) / capacity(),
    async calibrate() {
      const work: Work = { kind: 'hash', password: 'a password', cost };
      let hash = '';
      for (let round = 1; round <= 2; round++) {
        const tried = await Promise.all(threads.map((thread) => thread.ask(work, false)));
        meanSeconds = tried.reduce((sum, { seconds }) => sum + seconds, 0) / tried.length;
        hash = String(tried[0]?.result);
      }
      return hash;
    },
    async close() {
      closed = true;
      for (const lane of ['interactive', 'bulk'] as const) {
        for (let task = lanes.next(lane); task; task = lanes.next(lane))
          task.reject(new Aborted('the service has stopped'));
      }
      await Promise.all(threads.map((thread) => thread.close()));
    },
    waiting: (lane) => lanes.length(lane) + queuedInThreads(lane),
    get running() {
      return running();
    },
    get rate() {
      return pace.perSecond;
    },
    get capacity() {
      return capacity();
    },
  };
}

/**
 * Returns the number of requests of a lane that wait in a thread. The lane of the current request is not known; it is
 * assumed to be the lane with more requests in the thread.
 */
function countOf({ load, urgent }: HashThread, lane: Lane): number {
  const bulk = load - urgent;
  const runsUrgent = urgent > bulk;
  if (lane === 'interactive') return urgent - (runsUrgent ? 1 : 0);
  return bulk - (load > 0 && !runsUrgent ? 1 : 0);
}

/**
 * Returns the thread that will start the task first, among those with fewer than `requestsPerThread` requests of the
 * lane; undefined if there is none. An interactive task avoids threads with costly requests, unless all have some.
 */
function threadFor(lane: Lane, threads: readonly HashThread[]): HashThread | undefined {
  const countInLane = ({ load, urgent }: HashThread) => (lane === 'interactive' ? urgent : load - urgent);
  const withoutCostly = threads.filter(({ costly }) => costly === 0);
  return (lane === 'interactive' && withoutCostly.length > 0 ? withoutCostly : threads)
    .filter((thread) => countInLane(thread) < requestsPerThread)
    .toSorted(
      (one, other) =>
        countInLane(one) - countInLane(other) ||
        Math.min(one.load, 1) - Math.min(other.load, 1) ||
        one.since - other.since,
    )[0];
}
