/** Runs at most `count` tasks at once; the others wait in first-in, first-out order. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }

  /** Runs the task if a slot is free; returns null, without running it, if none is. */
  tryRun<Result>(task: () => Promise<Result>): Promise<Result> | null {
    return this.#free > 0 ? this.run(task) : null;
  }
}
