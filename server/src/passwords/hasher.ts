import { Refusal } from '../core/faults.ts';
import { BrokenOff, type Hasher, type Lane } from '../core/records/hashing.ts';
import { Slots } from '../core/records/slots.ts';
import { type Hashed, HashThread } from './hash-thread.ts';
import { Lanes } from './lanes.ts';

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
  /** Hashes per second that the pool can do, by the latest ones. */
  readonly capacity: number;
  /** Tries what a hash takes on this machine, so that the first estimate is no guess. */
  tryOut(): Promise<void>;
  close(): Promise<void>;
}

/** Of each lane, a thread has what it is at and what comes next, so that it never has to wait for an answer. */
const givenAhead = 2;
/** How much the newest hash counts in the running mean of what a hash takes. */
const weight = 0.05;
/** So many passwords of patient work are in the queue for every hash in flight: enough to never run dry. */
const patientAhead = 4;
/** Until the first hash has been measured. */
const guessSeconds = 0.02;

interface Task {
  readonly share: string;
  readonly password: string;
  resolve(hash: string): void;
  reject(error: unknown): void;
}

/** argon2id, with lanes in front: interactive work before bulk work, and bulk callers in turn. */
export function openHasher(options: HasherOptions): HashingPool {
  const cost = { memoryCost: options.memoryKib, timeCost: options.passes, parallelism: 1 };
  const threads = Array.from({ length: options.concurrency }, () => new HashThread(cost));
  const lanes = new Lanes<Task>();
  let meanSeconds = guessSeconds;

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

  function ahead(lane: Lane, share: string, count: number): number {
    const inThreads = lane === 'interactive' ? given(lane) : given(lane) + given('interactive');
    return lanes.ahead(lane, share, count) + inThreads;
  }

  function fill(): void {
    for (const lane of ['interactive', 'bulk'] as const) {
      while (lanes.length(lane) > 0) {
        const thread = threadFor(lane, threads);
        const task = thread && lanes.next(lane);
        if (!task) break;
        void run(task, thread, lane);
      }
    }
  }

  async function run(task: Task, thread: HashThread, lane: Lane): Promise<void> {
    try {
      task.resolve(note(await thread.hash(task.password, lane === 'interactive'), lane));
    } catch (error) {
      task.reject(error);
    }
    fill();
  }

  function note({ hash, seconds }: Hashed, lane: Lane): string {
    meanSeconds += (seconds - meanSeconds) * weight;
    options.onHash?.(lane, seconds);
    return hash;
  }

  return {
    admit({ lane, share, count, breakOff }) {
      const wait = ahead(lane, share, count) / capacity();
      if (count > 0 && wait > options.maxWaitSeconds && !breakOff) {
        const seconds = Math.ceil(wait);
        throw new Refusal('OVERLOADED', { figures: { seconds }, retryAfterSeconds: seconds });
      }
      const queued = (password: string): Promise<string> =>
        new Promise((resolve, reject) => {
          lanes.push(lane, { share, password, resolve, reject });
          fill();
        });
      if (!breakOff) return { hash: queued };
      const slots = new Slots(options.concurrency * patientAhead);
      return {
        hash: (password) =>
          slots.run(async () => {
            if (breakOff.aborted) throw new BrokenOff('told to break off');
            return queued(password);
          }),
      };
    },
    estimateSeconds: (share, count) =>
      count === 0 ? 0 : (ahead('bulk', share, count) + running() + count) / capacity(),
    async tryOut() {
      for (let round = 1; round <= 2; round++) {
        const tried = await Promise.all(threads.map((thread) => thread.hash('a password', false)));
        meanSeconds = tried.reduce((sum, { seconds }) => sum + seconds, 0) / tried.length;
      }
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
    waiting: (lane) => lanes.length(lane) + given(lane),
    get running() {
      return running();
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

/** The one that comes to it soonest, among those that may have more of the lane. */
function threadFor(lane: Lane, threads: readonly HashThread[]): HashThread | undefined {
  const had = ({ load, urgent }: HashThread) => (lane === 'interactive' ? urgent : load - urgent);
  return threads
    .filter((thread) => had(thread) < givenAhead)
    .toSorted(
      (one, other) =>
        had(one) - had(other) || Math.min(one.load, 1) - Math.min(other.load, 1) || one.since - other.since,
    )[0];
}
