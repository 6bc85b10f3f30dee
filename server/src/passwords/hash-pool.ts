import { overloaded } from '../lib/overloaded.ts';
import { Semaphore } from '../lib/semaphore.ts';
import { FairQueue, type Lane, type QueuedTask } from './fair-queue.ts';
import { RateMeter } from './hash-rate.ts';
import { type Demand, type HashBatch, type HashReservation, newReservation } from './hash-reservation.ts';
import { type HashResult, HashThread, ThreadEnded } from './hash-thread.ts';
import { verificationOf, type Work, weightOf } from './hash-work.ts';
import { InteractiveCalls } from './interactive-calls.ts';
import { isTooLate, MeanDuration, secondsUntilHashed, type WorkAhead } from './wait-estimate.ts';

/** Thrown if work was not completed, because its signal was aborted, the service stopped or the database is down. */
export class Aborted extends Error {}

export interface VerifySource {
  readonly source: string;
  /** True if the account has signed in from this source before. Known and new sources have separate shares. */
  readonly known: boolean;
}

export interface Hasher {
  /**
   * Admits the passwords of a call to a lane, in the fair share of the caller. Throws the `ApiError` `OVERLOADED` if
   * the call would not end within `maxWaitSeconds`, or would wait for four times that in the bulk lane. Work with an
   * abort signal is never rejected. It keeps only a few of its passwords in the queue at once, so that another call of
   * the same share does not wait for all of them.
   */
  admit(work: Demand & { share: string; signal?: AbortSignal | null }): HashBatch;
  /**
   * Returns a reservation in the fair share of the caller, for a call that has other work to do before it hashes.
   * `since` is when the call began to wait, on the clock of the pool: the time until its admission counts as a part of
   * its wait. Without it, the wait begins at the admission.
   */
  reserve(share: string, since?: number): HashReservation;
  /**
   * Returns true if the password matches the hash, which may be imported. Costly hashes are verified in the bulk lane,
   * all others in the interactive lane. Sources get the same processing time in turn, so that a flood from one source
   * does not hold up the others.
   */
  verify(password: string, hash: string, from: VerifySource): Promise<boolean>;
  /** Resolves when no call of the interactive lane is running, after a fraction of a second at the latest. */
  interactiveEnded(): Promise<void>;
  /** Estimates the seconds until `count` more passwords of a share are hashed, including the queue ahead of them. */
  estimateSeconds(share: string, count: number): number;
}

export interface HashingState {
  waiting(lane: Lane): number;
  readonly running: number;
  /** Hashes and verifications per second, measured over the last seconds. */
  readonly rate: number;
  /** Maximum hashes per second, calculated from the mean duration of recent hashes. */
  readonly capacity: number;
}

export interface HasherOptions {
  /** The number of threads: one for each core. More threads reduce the throughput by a third. */
  readonly concurrency: number;
  readonly memoryKib: number;
  readonly passes: number;
  readonly maxWaitSeconds: number;
  onHash?(lane: Lane, seconds: number): void;
  /** The clock, in milliseconds. */
  now?(): number;
  /** Returns a random number from 0 to 1, by which the `Retry-After` of refused calls differ. */
  random?(): number;
}

export interface HashingPool extends Hasher, HashingState {
  /** Measures the duration of a hash, so that the first estimate is realistic. Returns a hash that no account uses. */
  calibrate(): Promise<string>;
  close(): Promise<void>;
}

/** Senders of several passwords expect to wait longer than users who wait for a single one. */
const bulkWaitFactor = 4;
/** The number of consecutive interactive tasks after which a bulk task runs, so that bulk work does not starve. */
const interactiveRunMax = 16;
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
const initialSeconds = 0.02;
/** Created once: the stack trace of a new one would be a part of the cost of each refusal. */
const tooManyPasswords = new Error('too many passwords wait to be hashed');

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
  const now = options.now ?? (() => performance.now());
  const hashTime = new MeanDuration(initialSeconds);
  const pace = new RateMeter();
  const interactiveCalls = new InteractiveCalls();
  let weightRunning = 0;
  let costlyWeightRunning = 0;
  let costlyRunning = 0;
  let interactiveRun = 0;
  let closed = false;

  function capacity(): number {
    return options.concurrency / hashTime.seconds;
  }

  function running(): number {
    return threads.filter(({ isBusy }) => isBusy).length;
  }

  function queue(work: Work, lane: Lane, waiting: QueuedTask): Promise<HashResult> {
    if (closed) return Promise.reject(new Aborted('the service has stopped'));
    const done = new Promise<HashResult>((resolve, reject) => {
      lanes.push(lane, { ...waiting, work, lost: 0, resolve, reject });
      fill();
    });
    return lane === 'interactive' ? interactiveCalls.during(done) : done;
  }

  /** Gives the next tasks to the idle threads. */
  function fill(): void {
    if (closed) return;
    for (const thread of threads) {
      if (thread.isBusy) continue;
      const next = nextTask();
      if (!next) return;
      void run(next.task, thread, next.lane);
    }
  }

  function nextTask(): { task: Task; lane: Lane } | undefined {
    const bulkIsDue = interactiveRun >= interactiveRunMax;
    const without = costlyRunning < costlyThreads ? undefined : costlyVerifiers;
    for (const lane of bulkIsDue ? (['bulk', 'interactive'] as const) : (['interactive', 'bulk'] as const)) {
      const task = lanes.next(lane, without);
      if (!task) continue;
      interactiveRun = lane === 'interactive' ? interactiveRun + 1 : 0;
      return { task, lane };
    }
    return undefined;
  }

  async function run(task: Task, thread: HashThread, lane: Lane): Promise<void> {
    const isCostly = task.share === costlyVerifiers;
    weightRunning += task.weight;
    if (isCostly) {
      costlyRunning++;
      costlyWeightRunning += task.weight;
    }
    const startedAt = now();
    const result = thread.run(task.work).finally(() => {
      weightRunning = running() === 0 ? 0 : weightRunning - task.weight;
      if (!isCostly) return;
      costlyRunning--;
      costlyWeightRunning -= task.weight;
    });
    try {
      const done = await result;
      // Includes the time until this thread, which is busy with requests under load, receives the result. Only argon2
      // takes the time that its weight says.
      if (task.work.kind === 'hash' || task.work.kind === 'verify argon2')
        hashTime.note(Math.max(done.seconds, (now() - startedAt) / 1000) / task.weight);
      // The thread gets its next task before the result of this one is processed.
      fill();
      task.resolve(done);
      pace.note();
    } catch (error) {
      const again = error instanceof ThreadEnded && !closed && ++task.lost < lostMax;
      if (again) lanes.push(lane, task);
      else task.reject(closed ? new Aborted('the service has stopped') : error);
      fill();
    }
  }

  async function hash(password: string, lane: Lane, share: string): Promise<string> {
    const { result, seconds } = await queue({ kind: 'hash', password, cost }, lane, { share, weight: 1 });
    options.onHash?.(lane, seconds);
    return String(result);
  }

  function refuseLongWait(lane: Lane, waiting: QueuedTask, since?: number): void {
    if (waiting.weight === 0) return;
    const work = workAhead(lane, waiting);
    const isBulk = lane === 'bulk' && waiting.share !== costlyVerifiers;
    const limit = options.maxWaitSeconds * (isBulk ? bulkWaitFactor : 1);
    const waitedSeconds = since === undefined ? 0 : Math.max(now() - since, 0) / 1000;
    if (!work.some((part) => isTooLate(part, limit, waitedSeconds))) return;
    throw overloaded(Math.max(...work.map(secondsUntilHashed)), tooManyPasswords, options.random);
  }

  /** Returns the work that the call waits for; two estimates if the threads serve it in two ways. */
  function workAhead(lane: Lane, waiting: QueuedTask): WorkAhead[] {
    const { concurrency } = options;
    const queued = lanes.ahead(lane, waiting);
    const hashSeconds = hashTime.seconds;
    // A call with several passwords or a costly hash may take as long as it needs for its own.
    const all = { queued, running: weightRunning, own: 0, threads: concurrency, hashSeconds };
    if (waiting.share === costlyVerifiers) {
      // All threads serve what is ahead, but only `costlyThreads` of them what is ahead in the share.
      const inShare = lanes.aheadInShare(lane, waiting);
      return [all, { ...all, queued: inShare, running: costlyWeightRunning, threads: costlyThreads }];
    }
    if (lane === 'bulk') return [all];
    // Costly verifications leave at least one thread to interactive tasks, unless there is only one.
    const isOnlyThread = concurrency === 1;
    const interactive = {
      // While bulk tasks wait, one of them runs after every `interactiveRunMax` interactive tasks.
      queued: lanes.length('bulk') > 0 ? queued * (1 + 1 / interactiveRunMax) : queued,
      running: isOnlyThread ? weightRunning : weightRunning - costlyWeightRunning,
      own: waiting.weight,
      threads: isOnlyThread ? 1 : concurrency - costlyRunning,
      hashSeconds,
    };
    return [interactive];
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
            if (signal.aborted) throw new Aborted('the work was aborted');
            return hash(password, lane, share);
          }),
      };
    },
    reserve: (share, since) =>
      newReservation(share, { lanes, refuseLongWait, hash, interactiveCalls, since }),
    interactiveEnded: () => interactiveCalls.ended(),
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
      count === 0 ? 0 : (lanes.ahead('bulk', { share, weight: count }) + weightRunning + count) / capacity(),
    async calibrate() {
      const work: Work = { kind: 'hash', password: 'a password', cost };
      let hash = '';
      for (let round = 1; round <= 2; round++) {
        const tried = await Promise.all(threads.map((thread) => thread.run(work)));
        hashTime.seconds = tried.reduce((sum, { seconds }) => sum + seconds, 0) / tried.length;
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
    waiting: (lane) => lanes.length(lane),
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
