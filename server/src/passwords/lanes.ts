import type { Lane } from '../core/records/hashing.ts';

export interface Waiting {
  /** The caller that it belongs to. */
  readonly share: string;
  /** The address that it came from, where a share stands for many people. */
  readonly source?: string;
  /** How long it takes, in hashes of our own. */
  readonly weight: number;
}

/** The tasks of one share, served source by source in turn. */
class Share<Task extends Waiting> {
  readonly #sources = new Map<string, { readonly tasks: Task[]; weight: number }>();
  /** The weight of all its tasks. */
  weight = 0;
  /** How much it has been given, counted from what the others had when it came. */
  served: number;

  constructor(served: number) {
    this.served = served;
  }

  push(task: Task): void {
    const key = task.source ?? '';
    const own = this.#sources.get(key) ?? { tasks: [], weight: 0 };
    own.tasks.push(task);
    own.weight += task.weight;
    this.#sources.set(key, own);
    this.weight += task.weight;
  }

  next(): Task | undefined {
    const [first] = this.#sources;
    const task = first?.[1].tasks.shift();
    if (!first || !task) return undefined;
    const [key, own] = first;
    own.weight -= task.weight;
    // The source goes to the end of the line, or leaves it.
    this.#sources.delete(key);
    if (own.tasks.length > 0) this.#sources.set(key, own);
    this.weight = this.isEmpty ? 0 : this.weight - task.weight;
    this.served += task.weight;
    return task;
  }

  get isEmpty(): boolean {
    return this.#sources.size === 0;
  }

  /** The weight of what comes before the last of new tasks of a source that weigh so much together. */
  ahead(source: string, weight: number): number {
    const own = this.#sources.get(source)?.weight ?? 0;
    let sum = 0;
    for (const other of this.#sources.values()) sum += Math.min(other.weight, own + weight);
    return sum;
  }
}

/** One lane: a queue per share. All shares get the same time, so that no caller waits for all of another's work. */
class Queue<Task extends Waiting> {
  readonly #shares = new Map<string, Share<Task>>();
  /** The `served` of the share that was served last. */
  #served = 0;
  length = 0;
  weight = 0;

  push(task: Task): void {
    const own = this.#shares.get(task.share) ?? new Share<Task>(this.#served);
    own.push(task);
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
    if (!least) return undefined;
    this.#served = least.served;
    const task = least.next();
    if (!task) return undefined;
    this.length--;
    this.weight = this.length === 0 ? 0 : this.weight - task.weight;
    // The share goes to the end of the line, or leaves it.
    this.#shares.delete(task.share);
    if (!least.isEmpty) this.#shares.set(task.share, least);
    return task;
  }

  /** The weight of what comes before the last of new tasks of a share that weigh so much together. */
  ahead({ share, source = '', weight }: Waiting): number {
    const own = this.#shares.get(share);
    const ofOwn = own?.ahead(source, weight) ?? 0;
    let sum = ofOwn;
    for (const other of this.#shares.values())
      if (other !== own) sum += Math.min(other.weight, ofOwn + weight);
    return sum;
  }

  /** The weight of what waits of one share before the last of new tasks of a source. */
  aheadInShare({ share, source = '', weight }: Waiting): number {
    return this.#shares.get(share)?.ahead(source, weight) ?? 0;
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

  /** The weight of what is done before the last of new tasks, which weigh so much together. */
  ahead(lane: Lane, tasks: Waiting): number {
    const { interactive, bulk } = this.#queues;
    return lane === 'interactive' ? interactive.ahead(tasks) : interactive.weight + bulk.ahead(tasks);
  }

  /** The part of `ahead` that belongs to the same share. */
  aheadInShare(lane: Lane, tasks: Waiting): number {
    return this.#queues[lane].aheadInShare(tasks);
  }

  length(lane: Lane): number {
    return this.#queues[lane].length;
  }
}
