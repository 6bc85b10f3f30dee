import type { Lane } from '../core/records/hashing.ts';

interface Waiting {
  /** Whose it is. */
  readonly share: string;
}

/** One lane: a queue per share, served in turn, so that no caller waits for all of another's work. */
class Queue<Task extends Waiting> {
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

/** Decides what is next in each lane. It knows nothing of hashing. */
export class Lanes<Task extends Waiting> {
  readonly #queues: Readonly<Record<Lane, Queue<Task>>> = { interactive: new Queue(), bulk: new Queue() };

  push(lane: Lane, task: Task): void {
    this.#queues[lane].push(task);
  }

  next(lane: Lane): Task | undefined {
    return this.#queues[lane].next();
  }

  ahead(lane: Lane, share: string, count: number): number {
    const { interactive, bulk } = this.#queues;
    return lane === 'interactive'
      ? interactive.ahead(share, count)
      : interactive.length + bulk.ahead(share, count);
  }

  length(lane: Lane): number {
    return this.#queues[lane].length;
  }
}
