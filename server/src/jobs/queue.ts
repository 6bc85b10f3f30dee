import { setTimeout as sleep } from 'node:timers/promises';
import { type Job, PgBoss } from 'pg-boss';
import { type Pool, startPool } from './pool.ts';

/** What statements run on, by themselves or inside a transaction. */
export interface Executor {
  query(sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
}

export interface ChunkMessage {
  readonly callId: string;
  readonly number: number;
}

export interface QueueOptions {
  readonly database: Executor;
  /** Chunks that this node works on at once. */
  readonly chunksAtOnce: number;
  onError(error: Error): void;
}

/** The queue through which any node takes work, whoever put it there. */
export interface Queue {
  enqueue(connection: Executor, chunks: readonly (ChunkMessage & { turn: number })[]): Promise<void>;
  /** Has this node look for work at once. */
  wake(): void;
  /**
   * Has `run` called for chunks, one at a time each. A chunk for which it throws `Interrupted` is run once more by this
   * node when the database answers again; after any other error it is begun again later, by any node.
   */
  work(run: (message: ChunkMessage, signal: AbortSignal) => Promise<void>): Promise<void>;
  /** Has an endpoint looked after; one for which that is asked already is not asked for twice. */
  enqueueWebhooks(ids: readonly number[]): Promise<void>;
  /** Has `run` called for endpoints, for each by one node at a time; one for which it throws can be asked for again. */
  workOnWebhooks(run: (id: number, signal: AbortSignal) => Promise<void>): Promise<void>;
  /** Has `run` called at the times of a cron expression, on one node. */
  repeat(name: string, cron: string, run: () => Promise<void>): Promise<void>;
  /** Lets the work at hand come to a place where it can be broken off. */
  stop(): Promise<void>;
}

/** The database went away during the work, which can be run again. */
export class Interrupted extends Error {}

const chunks = 'chunks';
const webhooks = 'deliveries';
/**
 * Endpoints that this node delivers to at once. One whose receiver does not answer takes a place here for up to 15
 * seconds, with a single message; so there are more places than endpoints that are likely to hang at the same time.
 */
const webhooksAtOnce = 200;
/** How soon new work is seen that no node has announced, or none could. */
const pollSeconds = 1;
/** A node that has said nothing for so long is taken for dead, and its chunks are given to others. */
const deadSeconds = 10;
/** How often an interrupted worker tries to renew its lease. */
const renewalMs = 250;
const day = 24 * 3600;

const chunkQueue = {
  // As long as the queue allows: what a chunk may take is bounded by its heartbeat and by its attempts.
  expireInSeconds: day - 60,
  heartbeatSeconds: deadSeconds,
  retentionSeconds: 365 * day,
  deleteAfterSeconds: 3600,
  retryLimit: 1_000_000,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 30,
};

/** One for each endpoint, whether it waits or is at work; what is due is asked for again all the time. */
const webhookQueue = {
  policy: 'exclusive',
  expireInSeconds: 3600,
  heartbeatSeconds: deadSeconds,
  deleteAfterSeconds: 60,
  retryLimit: 0,
};

export async function openQueue(options: QueueOptions): Promise<Queue> {
  const boss = new PgBoss({
    db: asBossDatabase(options.database),
    schema: 'anagrafe_queue',
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
  });
  boss.on('error', options.onError);
  try {
    await boss.start();
    await boss.createQueue(chunks, chunkQueue);
    await boss.createQueue(webhooks, webhookQueue);
  } catch (error) {
    // What has been started of it would keep the process from ending.
    await boss.stop({ graceful: false });
    throw error;
  }
  const stopping = new AbortController();
  const workers: string[] = [];
  let endpoints: Pool | undefined;

  function wake(): void {
    for (const worker of workers) boss.notifyWorker(worker);
  }

  /**
   * Waits until the database answers, and renews the lease of a job there. Until then the queue could neither complete
   * the job nor put it back, and would wait for its heartbeat to expire. False where the queue has given the job to
   * another worker, or where the signal is aborted.
   */
  async function renewLease(name: string, job: Job<unknown>, signal: AbortSignal): Promise<boolean> {
    const aborted = new Promise<'aborted'>((resolve) => {
      signal.addEventListener('abort', () => resolve('aborted'), { once: true });
    });
    while (!signal.aborted) {
      // The type that the package declares for the answer is empty.
      const renewed = boss.touch(name, job) as Promise<{ affected: number }>;
      const answer = await Promise.race([renewed.catch(() => null), aborted]);
      if (answer === 'aborted') break;
      if (answer) return answer.affected > 0;
      await sleep(renewalMs, undefined, { signal }).catch(() => undefined);
    }
    return false;
  }

  /** Only once: what fails again though the database answers is put back, and waits longer each time. */
  async function runAgainWhenInterrupted(
    job: Job<ChunkMessage>,
    signal: AbortSignal,
    run: () => Promise<void>,
  ): Promise<void> {
    for (const last of [false, true]) {
      try {
        return await run();
      } catch (error) {
        const held = error instanceof Interrupted && (await renewLease(chunks, job, signal));
        if (!held || last) throw error;
      }
    }
  }

  return {
    wake,
    async enqueue(connection, messages) {
      if (messages.length === 0) return;
      const jobs = messages.map(({ callId, number, turn }) => ({
        data: { callId, number },
        priority: -turn,
      }));
      await boss.insert(chunks, jobs, { db: asBossDatabase(connection) });
    },
    async work(run) {
      for (let n = 0; n < options.chunksAtOnce; n++) {
        const worker = await boss.work<ChunkMessage>(
          chunks,
          { pollingIntervalSeconds: pollSeconds },
          async ([job]) => {
            if (!job) return;
            const signal = AbortSignal.any([stopping.signal, job.signal]);
            try {
              await runAgainWhenInterrupted(job, signal, () => run(job.data, signal));
            } finally {
              // There may be more, and it need not wait for the next look.
              boss.notifyWorker(worker);
            }
          },
        );
        workers.push(worker);
      }
    },
    async enqueueWebhooks(ids) {
      if (ids.length === 0) return;
      await boss.insert(
        webhooks,
        ids.map((id) => ({ data: { id }, singletonKey: String(id) })),
      );
      endpoints?.wake();
    },
    async workOnWebhooks(run) {
      endpoints = startPool<{ id: number }>(
        boss,
        {
          queue: webhooks,
          atOnce: webhooksAtOnce,
          pollMs: pollSeconds * 1000,
          renewMs: (deadSeconds * 1000) / 2,
          onError: options.onError,
        },
        ({ id }, signal) => run(id, signal),
      );
    },
    async repeat(name, cron, run) {
      await boss.createQueue(name, { policy: 'exclusive', expireInSeconds: 3600, retryLimit: 0 });
      await boss.work(name, { pollingIntervalSeconds: 30 }, async () => {
        // The queue would keep a failure to itself.
        await run().catch(options.onError);
      });
      await boss.schedule(name, cron);
    },
    async stop() {
      stopping.abort();
      await endpoints?.stop();
      await boss.stop({ graceful: true, timeout: 60_000 });
    },
  };
}

function asBossDatabase(executor: Executor) {
  return {
    executeSql: async (sql: string, values?: unknown[]) => ({ rows: await executor.query(sql, values) }),
  };
}
