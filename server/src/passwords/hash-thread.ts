import { Worker } from 'node:worker_threads';
import type { Work } from './hash-work.ts';

export interface HashResult {
  readonly result: string | boolean;
  readonly seconds: number;
}

export type Answer = HashResult | { readonly failure: string };

interface PendingWork {
  resolve(done: HashResult): void;
  reject(error: Error): void;
}

/** The thread ended before it answered; the work may be given to another thread. */
export class ThreadEnded extends Error {
  constructor(options?: ErrorOptions) {
    super('the thread that hashes has ended', options);
    this.name = 'ThreadEnded';
  }
}

const program = new URL('hash-thread.mjs', import.meta.url);

function newWorker(): Worker {
  try {
    return new Worker(program, { name: 'hashing' });
  } catch (error) {
    throw new ThreadEnded({ cause: error });
  }
}

/** A worker thread that hashes or verifies one password at a time. */
export class HashThread {
  #worker: Worker | undefined;
  #pending: PendingWork | undefined;

  get isBusy(): boolean {
    return this.#pending !== undefined;
  }

  /** Must not be called while the thread is busy. */
  async run(work: Work): Promise<HashResult> {
    const worker = this.#worker ?? this.#start();
    // An idle thread does not keep the process alive.
    worker.ref();
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
      worker.postMessage(work);
    });
  }

  /** Terminates the thread; pending work rejects with `ThreadEnded`. */
  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  /** @throws {ThreadEnded} if the system has no resources for another thread. */
  #start(): Worker {
    const worker = newWorker();
    worker.on('message', (answer: Answer) => {
      const pending = this.#takePending();
      worker.unref();
      if ('failure' in answer) pending?.reject(new Error(answer.failure));
      else pending?.resolve(answer);
    });
    // An `error` event without a listener would end the process. The `exit` event follows and rejects the work.
    worker.once('error', () => undefined);
    worker.once('exit', () => {
      // The next work starts a new thread.
      if (this.#worker === worker) this.#worker = undefined;
      this.#takePending()?.reject(new ThreadEnded());
    });
    this.#worker = worker;
    return worker;
  }

  #takePending(): PendingWork | undefined {
    const pending = this.#pending;
    this.#pending = undefined;
    return pending;
  }
}
