/** Maximum time for which bulk work waits, so that it does not stand still while many people are served. */
const pauseMs = 250;

/** Counts the calls with a single password and the sign-ins that are running, so that bulk work can let them go first. */
export class InteractiveCalls {
  readonly #waiting = new Set<() => void>();
  #running = 0;

  begin(): void {
    this.#running++;
  }

  end(): void {
    this.#running--;
    if (this.#running === 0) for (const resume of this.#waiting) resume();
  }

  async during<Result>(work: Promise<Result>): Promise<Result> {
    this.begin();
    try {
      return await work;
    } finally {
      this.end();
    }
  }

  /** Resolves when no such call is running, after `pauseMs` at the latest. */
  async ended(): Promise<void> {
    if (this.#running === 0) return;
    await new Promise<void>((resolve) => {
      const resume = () => {
        clearTimeout(timer);
        this.#waiting.delete(resume);
        resolve();
      };
      const timer = setTimeout(resume, pauseMs);
      this.#waiting.add(resume);
    });
  }
}
