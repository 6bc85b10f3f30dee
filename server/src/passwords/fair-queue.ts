interface Queue<Task> {
  readonly length: number;
  push(task: Task): unknown;
  shift(): Task | undefined;
}

/** Tasks by key. All keys get the same processing time (virtual-time fair queueing). */
export class FairQueue<Task extends { readonly weight: number }> implements Queue<Task> {
  readonly #keyOf: (task: Task) => string;
  readonly #newQueue: () => Queue<Task>;
  /** `served` is the weight served so far (virtual time). A new key starts at the value of the key served last. */
  readonly #queues = new Map<string, { readonly tasks: Queue<Task>; served: number }>();
  #served = 0;
  length = 0;

  /** `newQueue` returns a queue for the tasks of one key. */
  constructor(keyOf: (task: Task) => string, newQueue: () => Queue<Task> = () => []) {
    this.#keyOf = keyOf;
    this.#newQueue = newQueue;
  }

  push(task: Task): void {
    const key = this.#keyOf(task);
    const queue = this.#queues.get(key) ?? { tasks: this.#newQueue(), served: this.#served };
    queue.tasks.push(task);
    this.#queues.set(key, queue);
    this.length++;
  }

  /**
   * Removes and returns the next task of the key with the lowest virtual time, except of the key `without`. Of several
   * such keys, it is the one that waits longest.
   */
  shift(without?: string): Task | undefined {
    let next: { readonly tasks: Queue<Task>; served: number } | undefined;
    for (const [key, queue] of this.#queues)
      if (key !== without && (next === undefined || queue.served < next.served)) next = queue;
    const task = next?.tasks.shift();
    if (!next || !task) return undefined;
    this.#served = next.served;
    next.served += task.weight;
    this.length--;
    // The key goes to the end of the round, or is removed.
    const key = this.#keyOf(task);
    this.#queues.delete(key);
    if (next.tasks.length > 0) this.#queues.set(key, next);
    return task;
  }
}
