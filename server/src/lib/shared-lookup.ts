/** A lookup that takes longer than this no longer delays the next one of its key. */
const slowMs = 100;

interface Running<Result> {
  /** Resolves when the lookup has ended or is slow. */
  readonly passed: Promise<void>;
  /** The lookup that begins after that, for all requests that have arrived meanwhile. */
  next: Promise<Result> | null;
}

/**
 * Runs one lookup at a time for each key. Requests that arrive during a lookup share the next one, so that many
 * concurrent requests with the same key need few queries. A lookup begins after the requests that it answers, so its
 * result is as new as that of a separate query.
 */
export class SharedLookups<Result> {
  readonly #running = new Map<string, Running<Result>>();

  run(key: string, lookUp: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(key);
    if (!running) return this.#start(key, lookUp);
    running.next ??= running.passed.then(() => this.#start(key, lookUp));
    return running.next;
  }

  #start(key: string, lookUp: () => Promise<Result>): Promise<Result> {
    const result = lookUp();
    const running: Running<Result> = { passed: endOrTimeout(result), next: null };
    this.#running.set(key, running);
    running.passed.then(() => {
      if (running.next === null) this.#running.delete(key);
    });
    return result;
  }
}

function endOrTimeout(result: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, slowMs);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    result.then(end, end);
  });
}
