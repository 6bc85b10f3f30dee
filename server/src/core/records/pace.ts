const workMs = 5;

/** Lets a long loop stop for breath, so that no call holds the event loop for longer than a few milliseconds. */
export class Pace {
  #until = performance.now() + workMs;
  #steps = 0;

  /** Cheap enough to call for every user: looks at the clock once in sixteen times. */
  get due(): boolean {
    return (++this.#steps & 15) === 0 && performance.now() >= this.#until;
  }

  async rest(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#until = performance.now() + workMs;
  }
}
