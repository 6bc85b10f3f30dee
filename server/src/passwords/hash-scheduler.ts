import { Aborted } from '../lib/aborted.ts';
import { FairQueue } from './fair-queue.ts';
import { RateMeter } from './hash-rate.ts';
import { type HashResult, HashThread, ThreadEnded } from './hash-thread.ts';
import type { Work } from './hash-work.ts';

/** Interactive tasks are served before bulk tasks. */
export type Lane = 'interactive' | 'bulk';

/** Where tasks wait for a thread: the lane, the share of the caller in it, and how many hashes they cost. */
export interface QueueSlot {
  readonly lane: Lane;
  /** The key of the caller, or of a group of callers. All shares of a lane get equal time. */
  readonly share: string;
  /** The source address, if the share belongs to many users. All sources of a share get equal time. */
  readonly source?: string;
  /** The cost of the tasks, in hashes of this service. */
  readonly weight: number;
}

interface Task extends QueueSlot {
  readonly work: Work;
  /** The number of threads that ended while they had this task. */
  lost: number;
  resolve(done: HashResult): void;
  reject(error: unknown): void;
}

/** The share of hashes that take so long to verify that they may not occupy all threads. */
export const costlyShare = 'costly verifiers';
/** A task fails after this number of threads ended with it, because it probably causes the crash. */
const lostMax = 2;
/** The number of consecutive interactive tasks after which a bulk task runs, so that bulk work does not starve. */
const interactiveRunMax = 16;
const initialSeconds = 0.02;
/** The weight of the newest duration in the moving average, which follows the load within some tens of hashes. */
const smoothing = 0.05;

/** Runs tasks in threads. Interactive tasks run before bulk tasks; the callers of a lane get equal time. */
export class HashScheduler {
  readonly #threads: readonly HashThread[];
  /** The maximum number of threads that verify costly hashes: half of them, and at least one. */
  readonly #costlyThreads: number;
  readonly #now: () => number;
  readonly #lanes = { interactive: newLane(), bulk: newLane() };
  readonly #running = new Set<Task>();
  readonly #rate = new RateMeter();
  /** The mean time for which a hash occupies a thread under the present load. */
  #hashSeconds = initialSeconds;
  /** The number of interactive tasks since the last bulk task. */
  #interactiveRun = 0;
  #isClosed = false;

  /** The number of threads is one for each core: more threads reduce the throughput by a third. */
  constructor(threads: number, now: () => number) {
    this.#threads = Array.from({ length: threads }, () => new HashThread());
    this.#costlyThreads = Math.max(Math.floor(threads / 2), 1);
    this.#now = now;
  }

  /** The number of tasks in the queue of a lane. */
  waiting(lane: Lane): number {
    return this.#lanes[lane].length;
  }

  /** The number of tasks in threads. */
  get running(): number {
    return this.#running.size;
  }

  /** Hashes and verifications per second, measured over the last seconds. */
  get rate(): number {
    return this.#rate.perSecond;
  }

  /** Maximum hashes per second, calculated from the mean duration of recent hashes. */
  get capacity(): number {
    return this.#threads.length / this.#hashSeconds;
  }

  run(work: Work, slot: QueueSlot): Promise<HashResult> {
    if (this.#isClosed) return Promise.reject(new Aborted('the service has stopped'));
    return new Promise((resolve, reject) => {
      this.#lanes[slot.lane].push({ ...slot, work, lost: 0, resolve, reject });
      this.#fill();
    });
  }

  /** Gives the next tasks to the idle threads. */
  #fill(): void {
    for (const thread of this.#threads) {
      if (thread.isBusy) continue;
      const task = this.#nextTask();
      if (!task) return;
      void this.#runIn(thread, task);
    }
  }

  #nextTask(): Task | undefined {
    const costlyRunning = [...this.#running].filter(({ share }) => share === costlyShare).length;
    const without = costlyRunning < this.#costlyThreads ? undefined : costlyShare;
    const { interactive, bulk } = this.#lanes;
    const isBulkDue = this.#interactiveRun >= interactiveRunMax;
    const task = (isBulkDue && bulk.shift(without)) || interactive.shift() || bulk.shift(without);
    this.#interactiveRun = task?.lane === 'interactive' ? this.#interactiveRun + 1 : 0;
    return task;
  }

  async #runIn(thread: HashThread, task: Task): Promise<void> {
    this.#running.add(task);
    const startedAt = this.#now();
    try {
      const done = await thread.run(task.work).finally(() => this.#running.delete(task));
      this.#rate.note();
      // Only argon2 takes the time that its weight says. The time until this thread, which is busy with requests under
      // load, receives the result is a part of it.
      if (task.work.kind === 'hash' || task.work.kind === 'verify argon2') {
        const seconds = Math.max(done.seconds, (this.#now() - startedAt) / 1000) / task.weight;
        this.#hashSeconds += (seconds - this.#hashSeconds) * smoothing;
      }
      // The thread gets its next task before the result of this one is processed.
      this.#fill();
      task.resolve(done);
    } catch (error) {
      if (this.#isClosed) task.reject(new Aborted('the service has stopped'));
      else if (error instanceof ThreadEnded && ++task.lost < lostMax) this.#lanes[task.lane].push(task);
      else task.reject(error);
      this.#fill();
    }
  }

  /** Measures the duration of a hash, so that the first estimate is realistic. Returns the last result. */
  async calibrate(work: Work): Promise<string> {
    let tried: readonly HashResult[] = [];
    // The first round starts the threads.
    for (let round = 1; round <= 2; round++)
      tried = await Promise.all(this.#threads.map((thread) => thread.run(work)));
    this.#hashSeconds = tried.reduce((sum, { seconds }) => sum + seconds, 0) / tried.length;
    return String(tried[0]?.result);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const lane of Object.values(this.#lanes))
      for (let task = lane.shift(); task; task = lane.shift())
        task.reject(new Aborted('the service has stopped'));
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}

function newLane(): FairQueue<Task> {
  return new FairQueue<Task>(
    ({ share }) => share,
    () => new FairQueue<Task>(({ source = '' }) => source),
  );
}
