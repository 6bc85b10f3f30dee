const windowSeconds = 10;

/** Measures a rate per second over the last ten seconds. */
export class RateMeter {
  readonly #now: () => number;
  /** Counts by second. */
  readonly #counts = new Map<number, number>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  note(): void {
    const second = this.#removeOld();
    this.#counts.set(second, (this.#counts.get(second) ?? 0) + 1);
  }

  get perSecond(): number {
    this.#removeOld();
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0) / windowSeconds;
  }

  /** Returns the present second. */
  #removeOld(): number {
    const present = Math.floor(this.#now() / 1000);
    for (const second of this.#counts.keys())
      if (second <= present - windowSeconds) this.#counts.delete(second);
    return present;
  }
}
