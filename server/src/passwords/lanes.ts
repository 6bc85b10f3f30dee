import type { Lane } from '../core/records/hashing.ts';

export interface Waiting {
  /** The caller that it belongs to. */
  readonly share: string;
  /** Where it came from, such as an address, if the share stands for many people. */
  readonly source?: string;
  /** How long it takes, in hashes of our own. */
  readonly weight: number;
}

/** Tasks that wait. */
interface Queue<Task> {
  /** The weight of all its tasks. */
  readonly weight: number;
  readonly isEmpty: boolean;
  push(task: Task): void;
  next(): Task | undefined;
  /** The weight of what comes before the last of new tasks that weigh so much together. */
  ahead(tasks: Waiting): number;
}

/** Tasks in the order in which they came. */
class InOrder<Task extends Waiting> implements Queue<Task> {
  readonly #tasks: Task[] = [];
  weight = 0;

  get isEmpty(): boolean {
    return this.#tasks.length === 0;
  }

  push(task: Task): void {
    this.#tasks.push(task);
    this.weight += task.weight;
  }

  next(): Task | undefined {
    const task = this.#tasks.shift();
    this.weight = this.isEmpty ? 0 : this.weight - (task?.weight ?? 0);
    return task;
  }

  ahead(): number {
    return this.weight;
  }
}

/** A queue for each key. All keys get the same time, so that none waits for all the work of another. */
class InTurn<Task extends Waiting> implements Queue<Task> {
  readonly #keyOf: (task: Waiting) => string;
  readonly #newQueue: () => Queue<Task>;
  /** `served` is the time that a key has been given, counted from what the others had when it came. */
  readonly #queues = new Map<string, { readonly queue: Queue<Task>; served: number }>();
  /** The `served` of the key that was served last. */
  #served = 0;
  length = 0;
  weight = 0;

  constructor(keyOf: (task: Waiting) => string, newQueue: () => Queue<Task>) {
    this.#keyOf = keyOf;
    this.#newQueue = newQueue;
  }

  get isEmpty(): boolean {
    return this.length === 0;
  }

  push(task: Task): void {
    const key = this.#keyOf(task);
    const own = this.#queues.get(key) ?? { queue: this.#newQueue(), served: this.#served };
    own.queue.push(task);
    this.#queues.set(key, own);
    this.length++;
    this.weight += task.weight;
  }

  /** The next task of the key that has been given least, the first such in line. */
  next(without?: string): Task | undefined {
    let least: { readonly queue: Queue<Task>; served: number } | undefined;
    for (const [key, own] of this.#queues) {
      if (key !== without && (least === undefined || own.served < least.served)) least = own;
    }
    const task = least?.queue.next();
    if (!least || !task) return undefined;
    this.#served = least.served;
    least.served += task.weight;
    this.length--;
    this.weight = this.isEmpty ? 0 : this.weight - task.weight;
    // The key goes to the end of the line, or leaves it.
    const key = this.#keyOf(task);
    this.#queues.delete(key);
    if (!least.queue.isEmpty) this.#queues.set(key, least);
    return task;
  }

  ahead(tasks: Waiting): number {
    const own = this.#queues.get(this.#keyOf(tasks));
    const ofOwn = own?.queue.ahead(tasks) ?? 0;
    let sum = ofOwn;
    for (const other of this.#queues.values())
      if (other !== own) sum += Math.min(other.queue.weight, ofOwn + tasks.weight);
    return sum;
  }

  /** The part of `ahead` that belongs to the same key. */
  aheadOfOwn(tasks: Waiting): number {
    return this.#queues.get(this.#keyOf(tasks))?.queue.ahead(tasks) ?? 0;
  }
}

/** One lane: its shares are served in turn, and within a share its sources. */
function newLane<Task extends Waiting>(): InTurn<Task> {
  const bySource = () =>
    new InTurn<Task>(
      ({ source }) => source ?? '',
      () => new InOrder<Task>(),
    );
  return new InTurn<Task>(({ share }) => share, bySource);
}

/** Decides what is next in each lane. It knows nothing of hashing. */
export class Lanes<Task extends Waiting> {
  readonly #queues: Readonly<Record<Lane, InTurn<Task>>> = { interactive: newLane(), bulk: newLane() };

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
    return this.#queues[lane].aheadOfOwn(tasks);
  }

  length(lane: Lane): number {
    return this.#queues[lane].length;
  }
}
