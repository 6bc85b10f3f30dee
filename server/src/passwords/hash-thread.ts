import { Worker } from 'node:worker_threads';
import type { Work } from './work.ts';

/** What the thread is told. */
export interface Asked {
  readonly number: number;
  /** Goes before what waits. */
  readonly urgent: boolean;
  readonly work: Work;
}

/** What it answers. */
export type Answer =
  | { readonly number: number; readonly result: string | boolean; readonly seconds: number }
  | { readonly number: number; readonly failure: string };

export interface Done {
  readonly result: string | boolean;
  readonly seconds: number;
}

interface Waiting {
  readonly urgent: boolean;
  readonly costly: boolean;
  resolve(done: Done): void;
  reject(error: Error): void;
}

/** What it was asked for was not done, and can be asked for again. */
export class ThreadEnded extends Error {
  constructor() {
    super('the thread that hashes has ended');
    this.name = 'ThreadEnded';
  }
}

const program = new URL('hash-thread.mjs', import.meta.url);

/**
 * A thread that hashes and verifies one password after another. It can be given the next ones while it is at work, so
 * that it never stands still until somebody has taken notice that it is done.
 */
export class HashThread {
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #urgent = 0;
  #costly = 0;
  #last = 0;
  /** When it began with what it has at hand, as far as it can be known from outside. */
  since = 0;

  /** What it was given and has not done yet, the one at hand included. */
  get load(): number {
    return this.#waiting.size;
  }

  get urgent(): number {
    return this.#urgent;
  }

  /** The number of tasks it was given that take many times as long as a hash of our own. */
  get costly(): number {
    return this.#costly;
  }

  ask(work: Work, urgent: boolean, costly = false): Promise<Done> {
    const worker = this.#worker ?? this.#start();
    if (this.#waiting.size === 0) {
      this.since = performance.now();
      worker.ref();
    }
    const asked: Asked = { number: ++this.#last, urgent, work };
    if (urgent) this.#urgent++;
    if (costly) this.#costly++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(asked.number, { urgent, costly, resolve, reject });
      worker.postMessage(asked);
    });
  }

  /** What it has is given back undone. */
  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(program, { name: 'hashing' });
    worker.on('message', (answer: Answer) => this.#settle(answer));
    // The end follows, and without a listener it would be that of the process.
    worker.once('error', () => undefined);
    worker.once('exit', () => {
      if (this.#worker === worker) this.#end();
    });
    this.#worker = worker;
    return worker;
  }

  #settle(answer: Answer): void {
    const waiting = this.#forget(answer.number);
    if ('failure' in answer) waiting?.reject(new Error(answer.failure));
    else waiting?.resolve(answer);
  }

  #forget(number: number): Waiting | undefined {
    const waiting = this.#waiting.get(number);
    if (waiting?.urgent) this.#urgent--;
    if (waiting?.costly) this.#costly--;
    this.#waiting.delete(number);
    this.since = performance.now();
    if (this.#waiting.size === 0) this.#worker?.unref();
    return waiting;
  }

  /** The next work is done by a new thread. */
  #end(): void {
    this.#worker = undefined;
    for (const number of [...this.#waiting.keys()]) this.#forget(number)?.reject(new ThreadEnded());
  }
}
