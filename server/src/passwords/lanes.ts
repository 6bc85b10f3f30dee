import type { Lane } from '../core/records/hashing.ts';

interface Waiting {
  /** The caller that it belongs to. */
  readonly share: string;
  /** How long it takes, in hashes of our own. */
  readonly weight: number;
}

interface Share<Task> {
  readonly tasks: Task[];
  /** The weight of all its tasks. */
  weight: number;
  /** How much it has been given, counted from what the others had when it came. */
  served: number;
}

/** One lane: a queue per share. All shares get the same time, so that no caller waits for all of another's work. */
class Queue<Task extends Waiting> {
  readonly #shares = new Map<string, Share<Task>>();
  /** The `served` of the share that was served last. */
  #served = 0;
  length = 0;
  weight = 0;

  push(task: Task): void {
    const own = this.#shares.get(task.share) ?? { tasks: [], weight: 0, served: this.#served };
    own.tasks.push(task);
    own.weight += task.weight;
    this.#shares.set(task.share, own);
    this.length++;
    this.weight += task.weight;
  }

  /** The next task of the share that has been given least, the first such in line. */
  next(without?: string): Task | undefined {
    let least: Share<Task> | undefined;
    for (const [name, share] of this.#shares) {
      if (name !== without && (least === undefined || share.served < least.served)) least = share;
    }
    const task = least?.tasks.shift();
    if (!least || !task) return undefined;
    this.#served = least.served;
    least.served += task.weight;
    least.weight -= task.weight;
    this.length--;
    this.weight = this.length === 0 ? 0 : this.weight - task.weight;
    // The share goes to the end of the line, or leaves it.
    this.#shares.delete(task.share);
    if (least.tasks.length > 0) this.#shares.set(task.share, least);
    return task;
  }

  /** The weight of what comes before the last of new tasks of a share that weigh so much together. */
  ahead(share: string, weight: number): number {
    const own = this.weightOf(share);
    let sum = 0;
    for (const other of this.#shares.values()) sum += Math.min(other.weight, own + weight);
    return sum;
  }

  weightOf(share: string): number {
    return this.#shares.get(share)?.weight ?? 0;
  }
}

/** Decides what is next in each lane. It knows nothing of hashing. */
export class Lanes<Task extends Waiting> {
  readonly #queues: Readonly<Record<Lane, Queue<Task>>> = { interactive: new Queue(), bulk: new Queue() };

  push(lane: Lane, task: Task): void {
    this.#queues[lane].push(task);
  }

  /** The next task, of any share or of any other than `without`. */
  next(lane: Lane, without?: string): Task | undefined {
    return this.#queues[lane].next(without);
  }

  ahead(lane: Lane, share: string, weight: number): number {
    const { interactive, bulk } = this.#queues;
    return lane === 'interactive'
      ? interactive.ahead(share, weight)
      : interactive.weight + bulk.ahead(share, weight);
  }

  /** The weight of what waits of one share. */
  weightOf(lane: Lane, share: string): number {
    return this.#queues[lane].weightOf(share);
  }

  length(lane: Lane): number {
    return this.#queues[lane].length;
  }
}
