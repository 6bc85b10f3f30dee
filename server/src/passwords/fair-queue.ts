export interface QueuedTask {
  /** The key of the caller, or of the group of callers, that the task belongs to. */
  readonly share: string;
  /** The source address, if the share belongs to many users. */
  readonly source?: string;
  /** The cost of the task, in hashes of this service. */
  readonly weight: number;
}

interface Queue<Task> {
  readonly weight: number;
  readonly isEmpty: boolean;
  push(task: Task): void;
  next(): Task | undefined;
  /** The weight that runs before the last of the given new tasks. */
  ahead(tasks: QueuedTask): number;
}

class FifoQueue<Task extends QueuedTask> implements Queue<Task> {
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

/** A queue for each key. All keys get the same processing time (virtual-time fair queueing). */
class KeyedQueue<Task extends QueuedTask> implements Queue<Task> {
  readonly #keyOf: (task: QueuedTask) => string;
  readonly #newQueue: () => Queue<Task>;
  /** `served` is the weight served so far (virtual time). A new key starts at the value of the key served last. */
  readonly #queues = new Map<string, { readonly queue: Queue<Task>; served: number }>();
  /** The weight of the tasks of each key that are reserved and not queued yet. */
  readonly #reserved = new Map<string, number>();
  #served = 0;
  length = 0;
  weight = 0;
  reservedWeight = 0;

  constructor(keyOf: (task: QueuedTask) => string, newQueue: () => Queue<Task>) {
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

  /** Returns the next task of the key with the lowest virtual time; of several such keys, the one waiting longest. */
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
    // The key goes to the end of the round, or is removed.
    const key = this.#keyOf(task);
    this.#queues.delete(key);
    if (!least.queue.isEmpty) this.#queues.set(key, least);
    return task;
  }

  /** Counts reserved tasks as queued, until the same call with a negative weight. */
  reserve(task: QueuedTask): void {
    const { weight } = task;
    const key = this.#keyOf(task);
    const reserved = (this.#reserved.get(key) ?? 0) + weight;
    if (reserved > 0) this.#reserved.set(key, reserved);
    else this.#reserved.delete(key);
    this.reservedWeight += weight;
  }

  ahead(tasks: QueuedTask): number {
    const ownKey = this.#keyOf(tasks);
    const ofOwn = this.aheadOfOwn(tasks);
    const most = ofOwn + tasks.weight;
    let sum = ofOwn;
    for (const [key, { queue }] of this.#queues)
      if (key !== ownKey) sum += Math.min(queue.weight + (this.#reserved.get(key) ?? 0), most);
    for (const [key, reserved] of this.#reserved)
      if (key !== ownKey && !this.#queues.has(key)) sum += Math.min(reserved, most);
    return sum;
  }

  /** The part of `ahead` that belongs to the same key. */
  aheadOfOwn(tasks: QueuedTask): number {
    const key = this.#keyOf(tasks);
    return (this.#queues.get(key)?.queue.ahead(tasks) ?? 0) + (this.#reserved.get(key) ?? 0);
  }
}

/** One lane: its shares are served in turn, and within a share its sources. */
function newLane<Task extends QueuedTask>(): KeyedQueue<Task> {
  const bySource = () =>
    new KeyedQueue<Task>(
      ({ source }) => source ?? '',
      () => new FifoQueue<Task>(),
    );
  return new KeyedQueue<Task>(({ share }) => share, bySource);
}

/** Orders the tasks of each lane. It does not depend on hashing. */
export class FairQueue<Task extends QueuedTask> {
  readonly #queues: Readonly<Record<Lane, KeyedQueue<Task>>> = { interactive: newLane(), bulk: newLane() };

  push(lane: Lane, task: Task): void {
    this.#queues[lane].push(task);
  }

  /** Removes and returns the next task of a lane, except tasks of the share `without`. */
  next(lane: Lane, without?: string): Task | undefined {
    return this.#queues[lane].next(without);
  }

  /** Counts tasks as waiting that a caller announces before it queues them; a negative weight takes that back. */
  reserve(lane: Lane, tasks: QueuedTask): void {
    this.#queues[lane].reserve(tasks);
  }

  /**
   * Returns the waiting weight that is served before the last of new tasks, whose total weight is `tasks.weight`. Tasks
   * that are reserved count as waiting.
   */
  ahead(lane: Lane, tasks: QueuedTask): number {
    const { interactive, bulk } = this.#queues;
    if (lane === 'interactive') return interactive.ahead(tasks);
    return interactive.weight + interactive.reservedWeight + bulk.ahead(tasks);
  }

  /** Returns the part of `ahead` that belongs to the same share. */
  aheadInShare(lane: Lane, tasks: QueuedTask): number {
    return this.#queues[lane].aheadOfOwn(tasks);
  }

  length(lane: Lane): number {
    return this.#queues[lane].length;
  }
}

/** Interactive tasks are served before bulk tasks. */
export type Lane = 'interactive' | 'bulk';
