/** Another request waits for a slice at each of its steps, so a slice is short. */
const SLICE_MS = 1;

const waiting: (() => void)[] = [];

/**
 * The working time of one long task. All tasks stand in one queue and each turn of the event loop lets
 * one of them work for a slice, so that ten large bodies at once hold the loop no longer than one does.
 */
export class Turns {
  #deadline = performance.now() + SLICE_MS;

  get over(): boolean {
    return performance.now() >= this.#deadline;
  }

  async next(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(admit);
    });
    this.#deadline = performance.now() + SLICE_MS;
  }
}

function admit(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(admit);
}
