import type { Lane } from '../core/records/hashing.ts';

/** After so many interactive turns in a row, bulk work that waits has one. */
const interactiveRun = 16;

export interface Task {
  readonly share: string;
  run(): Promise<void>;
}

/** One lane: a queue per share, served in turn, so that no caller waits for all of another's work. */
class Queue {
  readonly #shares = new Map<string, Task[]>();
  length = 0;

  push(task: Task): void {
    const own = this.#shares.get(task.share);
    if (own) own.push(task);
    else this.#shares.set(task.share, [task]);
    this.length++;
  }

  next(): Task | undefined {
    for (const [share, tasks] of this.#shares) {
      const task = tasks.shift();
      // The share goes to the end of the line, or leaves it.
      this.#shares.delete(share);
      if (tasks.length > 0) this.#shares.set(share, tasks);
      if (task) this.length--;
      return task;
    }
    return undefined;
  }

  /** How many tasks come before the last of `count` new ones of a share. */
  ahead(share: string, count: number): number {
    const own = this.#shares.get(share)?.length ?? 0;
    let sum = 0;
    for (const tasks of this.#shares.values()) sum += Math.min(tasks.length, own + count);
    return sum;
  }
}

/** Decides what is hashed next. It knows nothing of hashing. */
export class Lanes {
  readonly #queues = { interactive: new Queue(), bulk: new Queue() } satisfies Record<Lane, Queue>;
  #interactiveTurns = 0;

  push(lane: Lane, task: Task): void {
    this.#queues[lane].push(task);
  }

  next(): Task | undefined {
    const { interactive, bulk } = this.#queues;
    const yields = bulk.length > 0 && this.#interactiveTurns >= interactiveRun;
    if (interactive.length > 0 && !yields) {
      this.#interactiveTurns++;
      return interactive.next();
    }
    this.#interactiveTurns = 0;
    return bulk.next() ?? interactive.next();
  }

  ahead(lane: Lane, share: string, count: number): number {
    const before = this.#queues.interactive.ahead(share, count);
    return lane === 'interactive'
      ? before
      : this.#queues.interactive.length + this.#queues.bulk.ahead(share, count);
  }

  length(lane: Lane): number {
    return this.#queues[lane].length;
  }
}
