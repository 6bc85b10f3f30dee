import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { hash } from '@node-rs/argon2';

export interface HashCost {
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

/** Does the hashing itself, as much at once as it is asked for. */
export interface HashEngine {
  hash(password: string): Promise<string>;
  close(): void;
}

const program = fileURLToPath(new URL('../../bin/hash-process.cjs', import.meta.url));
/** A process that ended is started again after so long, so that one that cannot start does not keep the service busy. */
const restartMs = 1000;

export function hashHere(cost: HashCost): HashEngine {
  return { hash: (password) => hash(password, cost), close: () => undefined };
}

/**
 * Hashes in processes of their own. Every hash takes its memory from the system and gives it back, and while one
 * thread does so all others of its process wait: two processes hash a fifth more than two threads.
 */
export function hashInProcesses(count: number, cost: HashCost): HashEngine {
  const here = hashHere(cost);
  const workers = Array.from({ length: count }, () => new Worker(cost));
  return {
    async hash(password) {
      const [first] = workers.toSorted((one, other) => one.load - other.load);
      // Whatever becomes of the process, the password is hashed.
      return (await first?.hash(password)) ?? here.hash(password);
    },
    close() {
      for (const worker of workers) worker.close();
    },
  };
}

type Answer = readonly [number: number, result: string | null];

class Worker {
  readonly #cost: HashCost;
  readonly #asked = new Map<number, (result: string | null) => void>();
  #child: ChildProcess | undefined;
  #restart: NodeJS.Timeout | undefined;
  #closed = false;
  #last = 0;

  constructor(cost: HashCost) {
    this.#cost = cost;
    this.#start();
  }

  /** How much it has in hand; one that is not there has more than any other. */
  get load(): number {
    return this.#child ? this.#asked.size : Number.POSITIVE_INFINITY;
  }

  /** Null where the process cannot be had. */
  hash(password: string): Promise<string | null> {
    return new Promise((resolve) => {
      const child = this.#child;
      if (!child?.connected) {
        resolve(null);
        return;
      }
      const number = ++this.#last;
      this.#asked.set(number, resolve);
      child.send([number, password], (error) => {
        if (error) this.#answer([number, null]);
      });
    });
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#restart);
    if (this.#child?.connected) this.#child.disconnect();
  }

  #start(): void {
    const child = fork(program, [JSON.stringify(this.#cost)], {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child.on('message', (answer) => this.#answer(answer as Answer));
    child.once('error', () => this.#end());
    child.once('exit', () => this.#end());
    this.#child = child;
  }

  #end(): void {
    if (!this.#child) return;
    this.#child = undefined;
    for (const number of this.#asked.keys()) this.#answer([number, null]);
    if (!this.#closed) this.#restart = setTimeout(() => this.#start(), restartMs).unref();
  }

  #answer([number, result]: Answer): void {
    const resolve = this.#asked.get(number);
    this.#asked.delete(number);
    resolve?.(result);
  }
}
