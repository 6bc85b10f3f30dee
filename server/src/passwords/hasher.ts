import { Refusal } from '../core/faults.ts';
import { BrokenOff, type Hasher, type Lane } from '../core/records/hashing.ts';
import { Slots } from '../core/records/slots.ts';
import { type Done, HashThread, ThreadEnded } from './hash-thread.ts';
import { Lanes, type Waiting } from './lanes.ts';
import { Pace } from './pace.ts';
import { verificationOf, type Work, weightOf } from './work.ts';

export interface HasherOptions {
  /** Hashes in flight: as many as there are cores. More lose a third of the speed. */
  readonly concurrency: number;
  readonly memoryKib: number;
  readonly passes: number;
  /** The longest queue, in seconds, that a call may find before it. */
  readonly maxWaitSeconds: number;
  /** Told how long each hash took. */
  onHash?(lane: Lane, seconds: number): void;
}

export interface HashingPool extends Hasher {
  waiting(lane: Lane): number;
  readonly running: number;
  /** Hashes per second that were made or verified lately. */
  readonly rate: number;
  /** Hashes per second that the pool can do, by the latest ones. */
  readonly capacity: number;
  /** Tries what a hash takes on this machine, so that the first estimate is no guess; gives one that is nobody's. */
  tryOut(): Promise<string>;
  close(): Promise<void>;
}

/** Of each lane, a thread has what it is at and what comes next, so that it never has to wait for an answer. */
const givenAhead = 2;
/** How much the newest hash counts in the running mean of what a hash takes. */
const smoothing = 0.05;
/** So many passwords of patient work are in the queue for every hash in flight: enough to never run dry. */
const patientAhead = 4;
/** The shares of those who sign in: from where they have signed in before, and from elsewhere. */
const knownVerifiers = 'known verifiers';
const newVerifiers = 'new verifiers';
/**
 * Imported hashes may take many times as long to verify as our own. Those that take longer than so many of ours have a
 * share of the bulk lane, so that users whose hashes are our own do not wait for them.
 */
const costlyWeight = 8;
const costlyVerifiers = 'costly verifiers';
/** Until the first hash has been measured. */
const guessSeconds = 0.02;

interface Task extends Waiting {
  readonly work: Work;
  /** How often a thread has ended under it. */
  lost: number;
  resolve(done: Done): void;
  reject(error: unknown): void;
}

/** Work under which two threads have ended is not tried on a third. */
const lostMax = 2;

/** argon2id, with lanes in front: interactive work before bulk work, and bulk callers in turn. */
export function openHasher(options: HasherOptions): HashingPool {
  const cost = { memoryCost: options.memoryKib, timeCost: options.passes, parallelism: 1 };
  const threads = Array.from({ length: options.concurrency }, () => new HashThread());
  /** Half of the threads verify costly hashes at most; where there is one thread, that one. */
  const costlyThreads = Math.max(Math.floor(options.concurrency / 2), 1);
  const lanes = new Lanes<Task>();
  let meanSeconds = guessSeconds;
  const pace = new Pace();
  /** The weight of costly verifications in the threads, beyond the one hash that each counts as there. */
  let costlyWeightAtWork = 0;
  let closed = false;

  function capacity(): number {
    return options.concurrency / meanSeconds;
  }

  function running(): number {
    return threads.filter(({ load }) => load > 0).length;
  }

  /** What the threads have been given of a lane, and are not at yet. */
  function given(lane: Lane): number {
    return threads.reduce((sum, thread) => sum + countOf(thread, lane), 0);
  }

  function ahead(lane: Lane, waiting: Waiting): number {
    const inThreads = lane === 'interactive' ? given(lane) : given(lane) + given('interactive');
    // Interactive work goes to the other threads, where there are any.
    const costly = lane === 'bulk' || threads.length === 1 ? costlyWeightAtWork : 0;
    return lanes.ahead(lane, waiting) + inThreads + costly;
  }

  function queue(work: Work, lane: Lane, waiting: Waiting): Promise<Done> {
    if (closed) return Promise.reject(new BrokenOff('the service has stopped'));
    return new Promise((resolve, reject) => {
      lanes.push(lane, { ...waiting, work, lost: 0, resolve, reject });
      fill();
    });
  }

  function costlyAtWork(): number {
    return threads.reduce((sum, { costly }) => sum + costly, 0);
  }

  function fill(): void {
    for (const lane of ['interactive', 'bulk'] as const) {
      while (lanes.length(lane) > 0) {
        const thread = closed ? undefined : threadFor(lane, threads);
        const without = costlyAtWork() < costlyThreads ? undefined : costlyVerifiers;
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
      else task.reject(closed ? new BrokenOff('the service has stopped') : error);
    }
    fill();
  }

  async function ask(task: Task, thread: HashThread, lane: Lane): Promise<Done> {
    const costly = task.share === costlyVerifiers;
    const more = costly ? task.weight - 1 : 0;
    costlyWeightAtWork += more;
    return thread.ask(task.work, lane === 'interactive', costly).finally(() => {
      costlyWeightAtWork -= more;
    });
  }

  async function hash(password: string, lane: Lane, share: string): Promise<string> {
    const { result, seconds } = await queue({ kind: 'hash', password, cost }, lane, { share, weight: 1 });
    meanSeconds += (seconds - meanSeconds) * smoothing;
    options.onHash?.(lane, seconds);
    return String(result);
  }

  function refuseLongWait(lane: Lane, waiting: Waiting): void {
    let wait = ahead(lane, waiting) / capacity();
    // These have fewer threads.
    if (waiting.share === costlyVerifiers)
      wait = Math.max(
        wait,
        (lanes.aheadInShare(lane, waiting) / capacity()) * (options.concurrency / costlyThreads),
      );
    if (waiting.weight === 0 || wait <= options.maxWaitSeconds) return;
    const seconds = Math.ceil(wait);
    throw new Refusal('OVERLOADED', { figures: { seconds }, retryAfterSeconds: seconds });
  }

  return {
    admit({ lane, share, count, breakOff }) {
      if (!breakOff) {
        refuseLongWait(lane, { share, weight: count });
        return { hash: (password) => hash(password, lane, share) };
      }
      const slots = new Slots(options.concurrency * patientAhead);
      return {
        hash: (password) =>
          slots.run(async () => {
            if (breakOff.aborted) throw new BrokenOff('told to break off');
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
    async tryOut() {
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
          task.reject(new BrokenOff('the service has stopped'));
      }
      await Promise.all(threads.map((thread) => thread.close()));
    },
    waiting: (lane) => lanes.length(lane) + given(lane),
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

/** Of a lane, what a thread has and is not at yet. What it is at counts as one of the lane that it has most of. */
function countOf({ load, urgent }: HashThread, lane: Lane): number {
  const patient = load - urgent;
  const atUrgent = urgent > patient;
  if (lane === 'interactive') return urgent - (atUrgent ? 1 : 0);
  return patient - (load > 0 && !atUrgent ? 1 : 0);
}

/**
 * The one that comes to it soonest, among those that may have more of the lane. Interactive work does not wait behind
 * something costly, unless no thread is without it.
 */
function threadFor(lane: Lane, threads: readonly HashThread[]): HashThread | undefined {
  const had = ({ load, urgent }: HashThread) => (lane === 'interactive' ? urgent : load - urgent);
  const swift = threads.filter(({ costly }) => costly === 0);
  return (lane === 'interactive' && swift.length > 0 ? swift : threads)
    .filter((thread) => had(thread) < givenAhead)
    .toSorted(
      (one, other) =>
        had(one) - had(other) || Math.min(one.load, 1) - Math.min(other.load, 1) || one.since - other.since,
    )[0];
}
