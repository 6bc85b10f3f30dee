/**
 * The length of a time slice in milliseconds. It is short because another request may wait for one slice at each of
 * its steps.
 */
const SLICE_MS = 1;
/** Number of slices after which a task counts as long. A call with a few users needs fewer. */
const shortSlices = 10;

/** Tasks that wait for their next slice. Short ones do not queue behind large bodies and answers. */
const waiting: Record<'short' | 'long', (() => void)[]> = { short: [], long: [] };

/** The number of the present turn of the event loop; only turns in which a slice is checked are counted. */
let turn = 0;
let isTurnCounted = false;

function currentTurn(): number {
  if (!isTurnCounted) {
    isTurnCounted = true;
    setImmediate(() => {
      turn++;
      isTurnCounted = false;
    });
  }
  return turn;
}

/**
 * Cooperative scheduling of one task: it works until `isOver`, then awaits `yield`. Each turn of the event loop resumes
 * one short and one long task for a slice, so that ten large bodies at once block the loop no longer than one does. A
 * task that awaits something else has yielded already: its slice starts anew.
 */
export class TimeSlice {
  #slices = 0;
  #turn = currentTurn();
  #deadline = performance.now() + SLICE_MS;
  readonly #signal: AbortSignal | undefined;

  /** With `signal`, `yield` throws its reason once it is aborted. */
  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  get isOver(): boolean {
    if (this.#turn !== currentTurn()) this.#start();
    return performance.now() >= this.#deadline;
  }

  async yield(): Promise<void> {
    this.#slices++;
    const tasks = waiting[this.#slices <= shortSlices ? 'short' : 'long'];
    await new Promise<void>((resolve) => {
      tasks.push(resolve);
      if (waiting.short.length + waiting.long.length === 1) setImmediate(resumeNext);
    });
    this.#signal?.throwIfAborted();
    this.#start();
  }

  #start(): void {
    this.#turn = currentTurn();
    this.#deadline = performance.now() + SLICE_MS;
  }
}

function resumeNext(): void {
  waiting.short.shift()?.();
  waiting.long.shift()?.();
  if (waiting.short.length + waiting.long.length > 0) setImmediate(resumeNext);
}
