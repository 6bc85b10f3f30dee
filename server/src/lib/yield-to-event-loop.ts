/**
 * The length of a time slice in milliseconds. It is short because another request may wait for one slice at each of
 * its steps.
 */
const SLICE_MS = 1;

const waiting: (() => void)[] = [];

/**
 * Cooperative scheduling of one long task: it works until `isOver`, then awaits `yield`. All tasks wait in one queue,
 * and each iteration of the event loop resumes one of them for a slice, so that ten large bodies at once block the
 * loop no longer than one does.
 */
export class TimeSlice {
  #deadline = performance.now() + SLICE_MS;

  get isOver(): boolean {
    return performance.now() >= this.#deadline;
  }

  async yield(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(resumeNext);
    });
    this.#deadline = performance.now() + SLICE_MS;
  }
}

function resumeNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(resumeNext);
}
