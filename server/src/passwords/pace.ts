/** So many seconds back count. */
const seconds = 10;

/** How much was done lately. */
export class Pace {
  readonly #now: () => number;
  /** One for each of the last seconds, which come round again. */
  readonly #slots = Array.from({ length: seconds }, () => ({ second: Number.NEGATIVE_INFINITY, count: 0 }));

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  note(): void {
    const second = this.#second();
    const slot = this.#slots[second % seconds];
    if (!slot) return;
    if (slot.second !== second) Object.assign(slot, { second, count: 0 });
    slot.count++;
  }

  get perSecond(): number {
    const oldest = this.#second() - seconds;
    const recent = this.#slots.filter(({ second }) => second > oldest);
    return recent.reduce((sum, { count }) => sum + count, 0) / seconds;
  }

  #second(): number {
    return Math.floor(this.#now() / 1000);
  }
}
