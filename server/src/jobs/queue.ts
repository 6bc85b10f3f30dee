import { setTimeout as sleep } from 'node:timers/promises';
import { type Job, PgBoss } from 'pg-boss';
import type { Connection } from '../db/database.ts';
import type { Listener, Subscription } from '../db/listen.ts';
import { ApiError } from '../lib/field-errors.ts';
import { Aborted } from '../passwords/hash-pool.ts';
import type { ChunkQueue, QueuedChunk } from './job.ts';
import { type ChunkTools, runChunk } from './run-chunk.ts';
import { type Pool, startPool } from './webhook-pool.ts';

type ChunkMessage = Omit<QueuedChunk, 'turn'>;

export interface QueueOptions {
  readonly database: Pick<Connection, 'query'>;
  /** Receives the notifications by which pg-boss wakes the workers of all nodes. */
  listen(subscription: Subscription): Listener;
  readonly chunksAtOnce: number;
  onError(error: Error): void;
}

/** The queue in PostgreSQL that all nodes share: any node may run the work that another node enqueued. */
export interface Queue extends ChunkQueue {
  /**
   * Starts `chunksAtOnce` workers that run chunks. A chunk that was interrupted by the loss of the database is run once
   * more by this node when the database answers again. After any other error, the queue retries it later, on any node.
   */
  workOnChunks(tools: ChunkTools): Promise<void>;
  /** Enqueues webhook endpoints. An endpoint that is already queued or running is not enqueued again. */
  enqueueWebhooks(ids: readonly number[]): Promise<void>;
  /** Calls `run` for endpoints, for each on one node at a time. If it throws, the endpoint can be enqueued again. */
  workOnWebhooks(run: (id: number, signal: AbortSignal) => Promise<void>): Promise<void>;
  /** Calls `run` at the times of a cron expression, on one node each time. */
  repeat(name: string, cron: string, run: () => Promise<void>): Promise<void>;
  /** Aborts the signals of the running work and waits until it has ended. */
  stop(): Promise<void>;
}

const chunks = 'chunks';
const webhooks = 'deliveries';
/**
 * Maximum number of endpoints that this node delivers to in parallel. A receiver that does not answer occupies one of
 * them for up to 15 seconds, so the number is higher than the number of receivers that are likely to hang at once.
 */
const webhooksAtOnce = 200;
/** Poll interval. It bounds the delay of work that no notification announced, such as a retry that becomes due. */
const pollSeconds = 1;
/** Heartbeat timeout: the queue considers a node dead after this time and gives its chunks to other nodes. */
const deadSeconds = 10;
const renewalMs = 250;
const day = 24 * 3600;

const chunkQueue = {
  // The maximum that pg-boss allows. The heartbeat and the number of attempts limit the time of a chunk.
  expireInSeconds: day - 60,
  heartbeatSeconds: deadSeconds,
  retentionSeconds: 365 * day,
  deleteAfterSeconds: 3600,
  retryLimit: 1_000_000,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 30,
  notify: true,
};

/** Holds one job per endpoint, queued or running. It needs no retries: due deliveries enqueue their endpoint again. */
const webhookQueue = {
  policy: 'exclusive',
  expireInSeconds: 3600,
  heartbeatSeconds: deadSeconds,
  deleteAfterSeconds: 60,
  retryLimit: 0,
};

export async function openQueue(options: QueueOptions): Promise<Queue> {
  const boss = new PgBoss({
    db: {
      ...asBossDatabase(options.database),
      listen: async (channel, onNotification, onConnect) =>
        options.listen({ channel, onNotification, onConnect }),
    },
    schema: 'anagrafe_queue',
    useListenNotify: true,
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
  });
  boss.on('error', options.onError);
  try {
    await boss.start();
    await boss.createQueue(chunks, chunkQueue);
    await boss.createQueue(webhooks, webhookQueue);
  } catch (error) {
    // The parts of pg-boss that have started would keep the process alive.
    await boss.stop({ graceful: false });
    throw error;
  }
  const stopping = new AbortController();
  let endpoints: Pool | undefined;

  /**
   * Waits until the database answers, then renews the lease of a job. Before that, the queue could neither complete nor
   * retry the job, and would wait for its heartbeat timeout. Returns false if the queue has given the job to another
   * worker, or if the signal is aborted.
   */
  async function renewLease(job: Job<unknown>, signal: AbortSignal): Promise<boolean> {
    const aborted = new Promise<'aborted'>((resolve) => {
      signal.addEventListener('abort', () => resolve('aborted'), { once: true });
    });
    while (!signal.aborted) {
      // The types of pg-boss declare no properties of the result.
      const renewed = boss.touch(chunks, job) as Promise<{ affected: number }>;
      const answer = await Promise.race([renewed.catch(() => null), aborted]);
      if (answer === 'aborted') break;
      if (answer) return answer.affected > 0;
      await sleep(renewalMs, undefined, { signal }).catch(() => undefined);
    }
    return false;
  }

  /** Runs the chunk at most twice. If it fails again, the queue retries it with increasing delays. */
  async function runWithLease(job: Job<ChunkMessage>, tools: ChunkTools, signal: AbortSignal): Promise<void> {
    const { callId, number } = job.data;
    for (const last of [false, true]) {
      try {
        return await runChunk(callId, number, tools, signal);
      } catch (error) {
        if (!(error instanceof Aborted)) tools.report(error);
        const held = !signal.aborted && isInterruption(error) && (await renewLease(job, signal));
        // The queue stores the message of this error; the log has the cause.
        if (!held || last) throw new Error('the chunk was interrupted');
      }
    }
  }

  return {
    async enqueue(connection, messages) {
      if (messages.length === 0) return;
      const jobs = messages.map(({ callId, number, turn }) => ({
        data: { callId, number },
        priority: -turn,
      }));
      await boss.insert(chunks, jobs, { db: asBossDatabase(connection) });
    },
    async workOnChunks(tools) {
      for (let n = 0; n < options.chunksAtOnce; n++) {
        const worker = await boss.work<ChunkMessage>(
          chunks,
          // pg-boss polls at the second interval, by default 30 seconds, as long as it receives notifications.
          { pollingIntervalSeconds: pollSeconds, notifyPollingIntervalSeconds: pollSeconds },
          async ([job]) => {
            if (!job) return;
            const signal = AbortSignal.any([stopping.signal, job.signal]);
            try {
              await runWithLease(job, tools, signal);
            } finally {
              // Fetches the next chunk without waiting for the next poll.
              boss.notifyWorker(worker);
            }
          },
        );
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
      const pollMs = pollSeconds * 1000;
      const renewMs = (deadSeconds * 1000) / 2;
      const { onError } = options;
      endpoints = startPool(boss, { queue: webhooks, atOnce: webhooksAtOnce, pollMs, renewMs, onError }, run);
    },
    async repeat(name, cron, run) {
      await boss.createQueue(name, { policy: 'exclusive', expireInSeconds: 3600, retryLimit: 0 });
      await boss.work(name, { pollingIntervalSeconds: 30 }, async () => {
        // pg-boss would store the error with the job and not report it.
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

function asBossDatabase(connection: Pick<Connection, 'query'>) {
  return {
    executeSql: async (sql: string, values?: unknown[]) => ({ rows: await connection.query(sql, values) }),
  };
}

/** Returns true if the database was unreachable, did not confirm a commit, or did not accept every record. */
function isInterruption(error: unknown): boolean {
  if (error instanceof ApiError) return ['UNAVAILABLE', 'OUTCOME_UNKNOWN'].includes(error.detail.code);
  return error instanceof Aborted;
}
