import { hash } from '@node-rs/argon2';
import { Refusal } from '../core/faults.ts';
import { BrokenOff, type Hasher, type Lane } from '../core/records/hashing.ts';
import { Slots } from '../core/records/slots.ts';
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
}

/** How much the newest hash counts in the running mean of what a hash takes. */
const weight = 0.05;
/** So many passwords of patient work are in the queue for every hash in flight: enough to never run dry. */
const patientAhead = 4;
/** Until the first hash has been measured. */
const guessSeconds = 0.02;

/** argon2id, with lanes in front: interactive work before bulk work, and bulk callers in turn. */
export function openHasher(options: HasherOptions): HashingPool {
  const lanes = new Lanes();
  let running = 0;
  let meanSeconds = guessSeconds;

  function capacity(): number {
    return options.concurrency / meanSeconds;
  }

  function fill(): void {
    while (running < options.concurrency) {
      const task = lanes.next();
      if (!task) return;
      running++;
      void task.run().finally(() => {
        running--;
        fill();
      });
    }
  }

  const cost = { memoryCost: options.memoryKib, timeCost: options.passes, parallelism: 1 };

  async function hashNow(password: string, lane: Lane): Promise<string> {
    const start = performance.now();
    const result = await hash(password, cost);
    const seconds = (performance.now() - start) / 1000;
    meanSeconds += (seconds - meanSeconds) * weight;
    options.onHash?.(lane, seconds);
    return result;
  }

  return {
    admit({ lane, share, count, breakOff }) {
      const wait = lanes.ahead(lane, share, count) / capacity();
      if (count > 0 && wait > options.maxWaitSeconds && !breakOff) {
        const seconds = Math.ceil(wait);
        throw new Refusal('OVERLOADED', { figures: { seconds }, retryAfterSeconds: seconds });
      }
      const queued = (password: string): Promise<string> =>
        new Promise((resolve, reject) => {
          lanes.push(lane, { share, run: () => hashNow(password, lane).then(resolve, reject) });
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
      count === 0 ? 0 : (lanes.ahead('bulk', share, count) + running + count) / capacity(),
    async tryOut() {
      for (let round = 1; round <= 2; round++) {
        const start = performance.now();
        await Promise.all(Array.from({ length: options.concurrency }, () => hash('a password', cost)));
        meanSeconds = (performance.now() - start) / 1000;
      }
    },
    waiting: (lane) => lanes.length(lane),
    get running() {
      return running;
    },
    get capacity() {
      return capacity();
    },
  };
}
