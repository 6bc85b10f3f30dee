import { Worker } from 'node:worker_threads';
import type { Work } from './hash-work.ts';

/** A request to the worker thread. */
export interface HashRequest {
  /** Request number; the answer has the same one. */
  readonly number: number;
  /** Urgent requests run before the other requests that wait in the thread. */
  readonly urgent: boolean;
  readonly work: Work;
}

/** The answer of the worker thread to the request with the same number. */
export type Answer =
  | { readonly number: number; readonly result: string | boolean; readonly seconds: number }
  | { readonly number: number; readonly failure: string };

export interface HashResult {
  readonly result: string | boolean;
  readonly seconds: number;
}

interface PendingRequest {
  readonly urgent: boolean;
  readonly costly: boolean;
  resolve(done: HashResult): void;
  reject(error: Error): void;
}

/** The thread ended before it answered; the request may be sent again. */
export class ThreadEnded extends Error {
  constructor() {
    super('the thread that hashes has ended');
    this.name = 'ThreadEnded';
  }
}

const program = new URL('hash-thread.mjs', import.meta.url);

/**
 * A worker thread that hashes or verifies one password at a time. It accepts further requests while it works, so that
 * it does not idle until the main thread has processed an answer.
 */
export class HashThread {
  readonly #waiting = new Map<number, PendingRequest>();
  #worker: Worker | undefined;
  #urgent = 0;
  #costly = 0;
  #last = 0;
  /** The `performance.now()` at which the current request started, as seen from the main thread. */
  since = 0;

  /** The number of requests without an answer, the current one included. */
  get load(): number {
    return this.#waiting.size;
  }

  get urgent(): number {
    return this.#urgent;
  }

  /** The number of unanswered requests that take many times as long as a hash of this service. */
  get costly(): number {
    return this.#costly;
  }

  ask(work: Work, urgent: boolean, costly = false): Promise<HashResult> {
    const worker = this.#worker ?? this.#start();
    if (this.#waiting.size === 0) {
      this.since = performance.now();
      worker.ref();
    }
    const asked: HashRequest = { number: ++this.#last, urgent, work };
    if (urgent) this.#urgent++;
    if (costly) this.#costly++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(asked.number, { urgent, costly, resolve, reject });
      worker.postMessage(asked);
    });
  }

  /** Terminates the thread; pending requests reject with `ThreadEnded`. */
  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(program, { name: 'hashing' });
    worker.on('message', (answer: Answer) => this.#settle(answer));
    // An `error` event without a listener would end the process. The `exit` event follows and rejects the requests.
    worker.once('error', () => undefined);
    worker.once('exit', () => {
      if (this.#worker === worker) this.#end();
    });
    this.#worker = worker;
    return worker;
  }

  #settle(answer: Answer): void {
    const pending = this.#forget(answer.number);
    if ('failure' in answer) pending?.reject(new Error(answer.failure));
    else pending?.resolve(answer);
  }

  #forget(number: number): PendingRequest | undefined {
    const pending = this.#waiting.get(number);
    if (pending?.urgent) this.#urgent--;
    if (pending?.costly) this.#costly--;
    this.#waiting.delete(number);
    this.since = performance.now();
    if (this.#waiting.size === 0) this.#worker?.unref();
    return pending;
  }

  /** Rejects all pending requests; the next request starts a new thread. */
  #end(): void {
    this.#worker = undefined;
    for (const number of [...this.#waiting.keys()]) this.#forget(number)?.reject(new ThreadEnded());
  }
}
