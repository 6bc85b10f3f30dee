import { overloaded } from '../lib/overloaded.ts';
import { Sums } from '../lib/sums.ts';
import { costlyShare, type Lane, type QueueSlot } from './hash-scheduler.ts';

/** Senders of several passwords expect to wait longer than users who wait for a single one. */
const bulkWaitFactor = 4;
/** The part of the longest wait that may pass before the passwords of a call are hashed; the rest is for its other work. */
const queuePart = 0.9;
/** Maximum time for which bulk work waits, so that it does not stand still while many people are served. */
const pauseMs = 250;
/** Created once: the stack trace of a new one would be a part of the cost of each refusal. */
const tooManyPasswords = new Error('too many passwords wait to be hashed');

interface AdmissionOptions {
  readonly maxWaitSeconds: number;
  /** Returns the hashes per second that the service can compute. */
  capacity(): number;
}

/**
 * Counts the passwords that were admitted and are not hashed yet, and refuses calls that would wait for too many of
 * them. A call counts from its admission on, although it still has to read the database: otherwise all calls that arrive
 * meanwhile would be admitted as if the queue were still as short.
 */
export class HashAdmission {
  readonly #options: AdmissionOptions;
  readonly #backlogs: Readonly<Record<Lane, Backlog>> = { interactive: new Backlog(), bulk: new Backlog() };
  /** Bulk work that lets interactive calls go first. */
  readonly #paused = new Set<() => void>();

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** Adds passwords until they are removed. Throws the `ApiError` `OVERLOADED` if they would wait too long. */
  admit(slot: QueueSlot): void {
    const isBulk = slot.lane === 'bulk' && slot.share !== costlyShare;
    const limit = this.#options.maxWaitSeconds * queuePart * (isBulk ? bulkWaitFactor : 1);
    const seconds = this.secondsBefore(slot);
    if (slot.weight > 0 && seconds > limit) throw overloaded(seconds, tooManyPasswords);
    this.add(slot);
  }

  add({ lane, share, source, weight }: QueueSlot): void {
    this.#backlogs[lane].add(share, source, weight);
    if (this.#backlogs.interactive.total === 0) for (const resume of this.#paused) resume();
  }

  remove(slot: QueueSlot): void {
    this.add({ ...slot, weight: -slot.weight });
  }

  /** Estimates the seconds for which the last of new passwords would wait for those of other calls. */
  secondsBefore({ lane, share, source, weight }: QueueSlot): number {
    const { interactive } = this.#backlogs;
    const ahead = this.#backlogs[lane].ahead(share, source, weight);
    return (lane === 'bulk' ? ahead + interactive.total : ahead) / this.#options.capacity();
  }

  /** Resolves when no interactive call is running, after `pauseMs` at the latest. */
  async waitForInteractive(): Promise<void> {
    if (this.#backlogs.interactive.total === 0) return;
    await new Promise<void>((resolve) => {
      const resume = () => {
        clearTimeout(timer);
        this.#paused.delete(resume);
        resolve();
      };
      const timer = setTimeout(resume, pauseMs);
      this.#paused.add(resume);
    });
  }
}

/** Returns the weight of the other keys that is served before `weight` of this key, if all keys get equal time. */
function ofOthers(weights: Sums, key: string, weight: number): number {
  let sum = 0;
  for (const [other, queued] of weights.entries()) if (other !== key) sum += Math.min(queued, weight);
  return sum;
}

/** The weight of the passwords of one lane, by share and by source. */
class Backlog {
  readonly #shares = new Sums();
  /** By share; only the few shares of logins have sources. */
  readonly #sources = new Map<string, Sums>();
  total = 0;

  add(share: string, source: string | undefined, weight: number): void {
    this.total += weight;
    this.#shares.add(share, weight);
    if (source !== undefined) this.#sourcesOf(share).add(source, weight);
  }

  /** Returns the weight that is served before the last of new passwords with the given weight. */
  ahead(share: string, source: string | undefined, weight: number): number {
    let ahead = this.#shares.of(share);
    if (source !== undefined) {
      const sources = this.#sourcesOf(share);
      const own = sources.of(source);
      ahead = own + ofOthers(sources, source, own + weight);
    }
    return ahead + ofOthers(this.#shares, share, ahead + weight);
  }

  #sourcesOf(share: string): Sums {
    const sources = this.#sources.get(share) ?? new Sums();
    this.#sources.set(share, sources);
    return sources;
  }
}
