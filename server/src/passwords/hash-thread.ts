import { Worker } from 'node:worker_threads';

export interface HashCost {
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

/** What the thread is told. */
export interface Work {
  readonly number: number;
  /** Goes before what waits. */
  readonly urgent: boolean;
  readonly password: string;
  readonly cost: HashCost;
}

/** What it answers. */
export type Done =
  | { readonly number: number; readonly hash: string; readonly seconds: number }
  | { readonly number: number; readonly failure: string };

export interface Hashed {
  readonly hash: string;
  readonly seconds: number;
}

interface Asked {
  readonly urgent: boolean;
  resolve(hashed: Hashed): void;
  reject(error: Error): void;
}

const program = new URL('hash-thread.mjs', import.meta.url);

/**
 * A thread that hashes one password after another. It can be given the next ones while it is at work, so that it
 * never stands still until somebody has taken notice that it is done.
 */
export class HashThread {
  readonly #cost: HashCost;
  readonly #asked = new Map<number, Asked>();
  #worker: Worker | undefined;
  #urgent = 0;
  #last = 0;
  /** When it began with what it has at hand, as far as it can be known from outside. */
  since = 0;

  constructor(cost: HashCost) {
    this.#cost = cost;
  }

  /** What it was given and has not done yet, the one at hand included. */
  get load(): number {
    return this.#asked.size;
  }

  get urgent(): number {
    return this.#urgent;
  }

  hash(password: string, urgent: boolean): Promise<Hashed> {
    const worker = this.#worker ?? this.#start();
    if (this.#asked.size === 0) {
      this.since = performance.now();
      worker.ref();
    }
    const number = ++this.#last;
    if (urgent) this.#urgent++;
    return new Promise((resolve, reject) => {
      this.#asked.set(number, { urgent, resolve, reject });
      const work: Work = { number, urgent, password, cost: this.#cost };
      worker.postMessage(work);
    });
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(program, { name: 'hashing' });
    worker.on('message', (done: Done) => this.#done(done));
    worker.once('error', (error) => this.#end(error));
    worker.once('exit', () => this.#end(new Error('the thread that hashes has ended')));
    this.#worker = worker;
    return worker;
  }

  #done(done: Done): void {
    const asked = this.#asked.get(done.number);
    this.#forget(done.number);
    if ('hash' in done) asked?.resolve(done);
    else asked?.reject(new Error(done.failure));
  }

  #forget(number: number): void {
    if (this.#asked.get(number)?.urgent) this.#urgent--;
    this.#asked.delete(number);
    this.since = performance.now();
    if (this.#asked.size === 0) this.#worker?.unref();
  }

  /** What it had is lost; the next password is hashed by a new thread. */
  #end(error: Error): void {
    this.#worker = undefined;
    for (const [number, asked] of this.#asked) {
      this.#forget(number);
      asked.reject(error);
    }
  }
}
