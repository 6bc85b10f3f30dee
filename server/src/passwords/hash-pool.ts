import { Aborted } from '../lib/aborted.ts';
import { Semaphore } from '../lib/semaphore.ts';
import { HashAdmission } from './hash-admission.ts';
import { costlyShare, HashScheduler, type Lane, type QueueSlot } from './hash-scheduler.ts';
import { type HashCost, verificationOf, weightOf } from './hash-work.ts';

export interface VerifySource {
  readonly source: string;
  /** True if the account has signed in from this source before. Known and new sources have separate shares. */
  readonly known: boolean;
}

export interface HashPoolOptions {
  /** The number of threads. */
  readonly concurrency: number;
  readonly memoryKib: number;
  readonly passes: number;
  readonly maxWaitSeconds: number;
  onHash?(lane: Lane, seconds: number): void;
  /** The clock, in milliseconds. */
  now?(): number;
}

export interface PasswordHasher {
  hash(password: string): Promise<string>;
}

/** Hashes the passwords of an admitted call, whose places in the queue it holds until `end`. */
interface AdmittedCall extends PasswordHasher {
  /** Gives up the places of all but `count` passwords in the queue, because the others need no hash. */
  reduceTo(count: number): void;
  end(): void;
}

/** The number of passwords per thread that a group of a job keeps in the queue: enough to keep it busy. */
const jobPasswordsPerThread = 4;
/** The shares of logins: from sources where the account has signed in before, and from new sources. */
const knownVerifiers = 'known verifiers';
const newVerifiers = 'new verifiers';
/**
 * An imported hash can take many times as long to verify as a hash of this service. Hashes above this weight have a
 * share of the bulk lane, so that other users do not wait for them.
 */
const costlyWeight = 8;

/** Hashes passwords with argon2id and verifies them, in threads. */
export class HashPool {
  readonly #options: HashPoolOptions;
  readonly #cost: HashCost;
  readonly scheduler: HashScheduler;
  readonly #admission: HashAdmission;

  constructor(options: HashPoolOptions) {
    const { concurrency, memoryKib, passes, maxWaitSeconds, now = () => performance.now() } = options;
    const scheduler = new HashScheduler(concurrency, now);
    this.#options = options;
    this.#cost = { memoryCost: memoryKib, timeCost: passes, parallelism: 1 };
    this.scheduler = scheduler;
    this.#admission = new HashAdmission({ maxWaitSeconds, capacity: () => scheduler.capacity });
  }

  /**
   * Admits a call with `count` passwords, in the fair share of its caller. A single password goes before
   * the others. Throws the `ApiError` `OVERLOADED` if the passwords would wait for longer than `maxWaitSeconds`, or for
   * four times that if there are several.
   */
  admit({ share, count }: { readonly share: string; readonly count: number }): AdmittedCall {
    const lane = count === 1 ? 'interactive' : 'bulk';
    let held = count;
    this.#admission.admit({ lane, share, weight: count });
    const reduceTo = (rest: number) => {
      this.#admission.remove({ lane, share, weight: held - rest });
      held = rest;
    };
    return {
      reduceTo,
      hash: async (password) => {
        const hash = await this.#hash(password, { lane, share, weight: 1 });
        // A single password counts until its call has ended: jobs would delay its last statement.
        if (lane === 'bulk' && held > 0) reduceTo(held - 1);
        return hash;
      },
      end: () => reduceTo(0),
    };
  }

  /** Hashes a password that is the only one of its call. */
  async hashOne(password: string, share: string): Promise<string> {
    const call = this.admit({ share, count: 1 });
    return call.hash(password).finally(call.end);
  }

  /**
   * Hashes the passwords of a job, which is never refused. It keeps only a few of them in the queue at once, so that a
   * call of the same share does not wait for all of them.
   */
  forJob(share: string, signal: AbortSignal): PasswordHasher {
    const semaphore = new Semaphore(this.#options.concurrency * jobPasswordsPerThread);
    const slot = { lane: 'bulk', share, weight: 1 } as const;
    return {
      hash: (password) =>
        semaphore.run(async () => {
          if (signal.aborted) throw new Aborted('the work was aborted');
          this.#admission.add(slot);
          return this.#hash(password, slot).finally(() => this.#admission.remove(slot));
        }),
    };
  }

  /**
   * Returns true if the password matches the hash, which may be imported. Costly hashes are verified in the bulk lane,
   * all others in the interactive lane. Sources get the same processing time in turn, so that a flood from one source
   * does not hold up the others. Throws the `ApiError` `OVERLOADED`.
   */
  async verify(password: string, hash: string, { known, source }: VerifySource): Promise<boolean> {
    const weight = weightOf(hash, this.#cost);
    const slot: QueueSlot =
      weight > costlyWeight
        ? { lane: 'bulk', share: costlyShare, source, weight }
        : { lane: 'interactive', share: known ? knownVerifiers : newVerifiers, source, weight };
    this.#admission.admit(slot);
    try {
      const work = verificationOf(password, hash);
      return work !== null && (await this.scheduler.run(work, slot)).result === true;
    } finally {
      this.#admission.remove(slot);
    }
  }

  async #hash(password: string, slot: QueueSlot): Promise<string> {
    const work = { kind: 'hash', password, cost: this.#cost } as const;
    const { result, seconds } = await this.scheduler.run(work, slot);
    this.#options.onHash?.(slot.lane, seconds);
    return String(result);
  }

  /** Resolves when no call of the interactive lane is running, after a fraction of a second at the latest. */
  waitForInteractive(): Promise<void> {
    return this.#admission.waitForInteractive();
  }

  /** Estimates the seconds until `count` more passwords of a share are hashed, including the queue ahead of them. */
  estimateSeconds(share: string, count: number): number {
    if (count === 0) return 0;
    return (
      this.#admission.secondsBefore({ lane: 'bulk', share, weight: count }) + count / this.scheduler.capacity
    );
  }

  /** Measures the duration of a hash, so that the first estimate is realistic. Returns a hash that no account uses. */
  calibrate(): Promise<string> {
    return this.scheduler.calibrate({ kind: 'hash', password: 'a password', cost: this.#cost });
  }

  /** Work that is not completed rejects with `Aborted`. */
  close(): Promise<void> {
    return this.scheduler.close();
  }
}
