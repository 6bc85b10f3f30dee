import { setTimeout as sleep } from 'node:timers/promises';
import type { Job, PgBoss } from 'pg-boss';

interface PoolOptions {
  readonly queue: string;
  /** How many jobs this node runs at once. */
  readonly atOnce: number;
  readonly pollMs: number;
  /** How often the leases of the running jobs are renewed. */
  readonly renewMs: number;
  onError(error: Error): void;
}

export interface Pool {
  /** Fetches jobs now instead of at the next poll. */
  wake(): void;
  /** Aborts the signals of the running jobs and waits until these have ended. */
  stop(): Promise<void>;
}

interface Running<Data> {
  readonly job: Job<Data>;
  /** Aborted when the pool stops, or when another node has taken over the job. */
  readonly lease: AbortController;
  readonly ended: Promise<void>;
}

/** How long to wait before a job that could not be completed is completed again. */
const completeMs = 250;
/** So that several nodes share the jobs that wait. */
const fetchedAtOnce = 10;

/**
 * Runs many jobs of a queue side by side with one poll and one renewal of leases for all of them. The workers of
 * pg-boss poll one by one: two hundred of them would send two hundred statements a second while nothing is queued.
 */
export function startPool<Data extends object>(
  boss: PgBoss,
  { queue, atOnce, pollMs, renewMs, onError }: PoolOptions,
  run: (data: Data, signal: AbortSignal) => Promise<void>,
): Pool {
  const running = new Map<string, Running<Data>>();
  let pause = new AbortController();
  const stopping = new AbortController();
  const polling = poll();
  const renewal = setInterval(() => void renew().catch(onError), renewMs);

  async function poll(): Promise<void> {
    while (!stopping.signal.aborted) {
      // Before the fetch: a wake-up during the fetch ends the pause after it.
      pause = new AbortController();
      const jobs = await fetchJobs().catch((error) => {
        onError(error);
        return [];
      });
      for (const job of jobs) start(job);
      if (jobs.length === 0) await sleep(pollMs, undefined, { signal: pause.signal }).catch(() => undefined);
    }
  }

  async function fetchJobs(): Promise<Job<Data>[]> {
    const free = atOnce - running.size;
    return free > 0 ? boss.fetch<Data>(queue, { batchSize: Math.min(free, fetchedAtOnce) }) : [];
  }

  function start(job: Job<Data>): void {
    const lease = new AbortController();
    if (stopping.signal.aborted) lease.abort();
    running.set(job.id, { job, lease, ended: runJob(job, lease.signal) });
  }

  async function runJob(job: Job<Data>, signal: AbortSignal): Promise<void> {
    await run(job.data, signal).catch(onError);
    await complete(job);
    const wasFull = running.size === atOnce;
    running.delete(job.id);
    if (wasFull) wake();
  }

  /** Until the database answers: only the end of the lease would free the job otherwise. */
  async function complete(job: Job<Data>): Promise<void> {
    for (;;) {
      const done = await boss.complete(queue, job).then(
        () => true,
        (error) => onError(error),
      );
      if (done || stopping.signal.aborted) return;
      await sleep(completeMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  async function renew(): Promise<void> {
    const held = [...running.values()].map(({ job }) => job);
    if (held.length === 0) return;
    // The IDs of the renewed jobs; the type of pg-boss does not declare them.
    const { settled } = (await boss.touch(queue, held)) as { settled?: readonly string[] };
    if (!settled) return;
    for (const { id } of held) if (!settled.includes(id)) running.get(id)?.lease.abort();
  }

  function wake(): void {
    pause.abort();
  }

  return {
    wake,
    async stop() {
      stopping.abort();
      wake();
      for (const { lease } of running.values()) lease.abort();
      await polling;
      await Promise.all([...running.values()].map(({ ended }) => ended));
      clearInterval(renewal);
    },
  };
}
