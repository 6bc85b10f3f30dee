import { setTimeout as sleep } from 'node:timers/promises';
import type { Job, PgBoss } from 'pg-boss';

type WebhookJob = Job<{ readonly id: number }>;

interface PoolOptions {
  readonly queue: string;
  readonly atOnce: number;
  readonly pollMs: number;
  readonly renewMs: number;
  onError(error: Error): void;
}

export interface Pool {
  /** Fetches jobs now instead of at the next poll. */
  wake(): void;
  /** Aborts the signals of the running jobs and waits until the jobs have ended. */
  stop(): Promise<void>;
}

interface Running {
  readonly job: WebhookJob;
  /** Aborted when the pool stops, or when the lease was lost to another node. */
  readonly lease: AbortController;
  readonly ended: Promise<void>;
}

const completeMs = 250;
/** Maximum number of jobs per fetch, so that several nodes share the waiting jobs. */
const fetchedAtOnce = 10;

/**
 * Runs the queued webhook endpoints in parallel, with one poll and one lease renewal for all of them. Each worker of
 * pg-boss polls on its own: 200 of them would send 200 statements per second while the queue is empty.
 */
export function startPool(
  boss: PgBoss,
  { queue, atOnce, pollMs, renewMs, onError }: PoolOptions,
  run: (webhookId: number, signal: AbortSignal) => Promise<void>,
): Pool {
  const running = new Map<string, Running>();
  let pause = new AbortController();
  const stopping = new AbortController();
  const polling = poll();
  const renewal = setInterval(() => void renew().catch(onError), renewMs);

  async function poll(): Promise<void> {
    while (!stopping.signal.aborted) {
      // Created before the fetch, so that a wake-up during the fetch ends the pause after it.
      pause = new AbortController();
      const jobs = await fetchJobs().catch((error) => {
        onError(error);
        return [];
      });
      for (const job of jobs) start(job);
      if (jobs.length === 0) await sleep(pollMs, undefined, { signal: pause.signal }).catch(() => undefined);
    }
  }

  async function fetchJobs(): Promise<WebhookJob[]> {
    const free = atOnce - running.size;
    return free > 0 ? boss.fetch<{ id: number }>(queue, { batchSize: Math.min(free, fetchedAtOnce) }) : [];
  }

  function start(job: WebhookJob): void {
    const lease = new AbortController();
    if (stopping.signal.aborted) lease.abort();
    running.set(job.id, { job, lease, ended: runJob(job, lease.signal) });
  }

  async function runJob(job: WebhookJob, signal: AbortSignal): Promise<void> {
    await run(job.data.id, signal).catch(onError);
    await complete(job);
    const wasFull = running.size === atOnce;
    running.delete(job.id);
    if (wasFull) wake();
  }

  /** Retries until the database answers, because the job would otherwise stay locked until its lease expires. */
  async function complete(job: WebhookJob): Promise<void> {
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
    // `settled` holds the IDs of the renewed jobs. The types of pg-boss do not declare it.
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
