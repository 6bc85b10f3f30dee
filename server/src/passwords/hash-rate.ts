const windowSeconds = 10;

/** Measures a rate per second over a sliding window. */
export class RateMeter {
  readonly #now: () => number;
  /** Ring buffer with one counter for each second of the window. */
  readonly #slots = Array.from({ length: windowSeconds }, () => ({
    second: Number.NEGATIVE_INFINITY,
    count: 0,
  }));

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  note(): void {
    const second = this.#second();
    const slot = this.#slots[second % windowSeconds];
    if (!slot) return;
    if (slot.second !== second) Object.assign(slot, { second, count: 0 });
    slot.count++;
  }

  get perSecond(): number {
    const oldest = this.#second() - windowSeconds;
    const recent = this.#slots.filter(({ second }) => second > oldest);
    return recent.reduce((sum, { count }) => sum + count, 0) / windowSeconds;
  }

  #second(): number {
    return Math.floor(this.#now() / 1000);
  }
}
