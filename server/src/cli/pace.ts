const spanMs = 10_000;

/** How fast something goes, by the last seconds: what was long ago says little of what is to come. */
export class Pace {
  readonly #seen: { readonly at: number; readonly done: number }[] = [];

  /** Takes down how much is done by now. */
  note(done: number, at: number = performance.now()): void {
    this.#seen.push({ at, done });
    while ((this.#seen[1]?.at ?? at) < at - spanMs) this.#seen.shift();
  }

  /** In a second; null while nothing can be said. */
  get perSecond(): number | null {
    const [first, last] = [this.#seen[0], this.#seen.at(-1)];
    if (!first || !last || last.at === first.at || last.done <= first.done) return null;
    return ((last.done - first.done) * 1000) / (last.at - first.at);
  }

  secondsFor(rest: number): number | null {
    return this.perSecond === null ? null : rest / this.perSecond;
  }
}
