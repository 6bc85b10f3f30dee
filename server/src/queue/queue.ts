import { setTimeout as sleep } from 'node:timers/promises';
import { type Job as BossMessage, type JobInsert, PgBoss, type Queue as QueueSettings } from 'pg-boss';
import type { Connection } from '../db/database.ts';
import type { Listener, Subscription } from '../db/listen.ts';
import { type MessagePool, startMessagePool } from './message-pool.ts';

interface QueueOptions {
  readonly database: Pick<Connection, 'query'>;
  /** Receives the notifications by which pg-boss wakes the workers of all nodes. */
  listen(subscription: Subscription): Listener;
  onError(error: Error): void;
}

/** A message that a worker of this node runs. */
export interface Message<Data> {
  readonly data: Data;
  /** Aborted when the queue stops, or when it has given the message to another worker. */
  readonly signal: AbortSignal;
  /**
   * Waits until the database answers, then sends a heartbeat. Before that, the queue could neither complete nor retry
   * the message, and would wait for its heartbeat timeout. Returns false if the signal is aborted, or if another worker
   * has the message.
   */
  sendHeartbeat(): Promise<boolean>;
}

/** The queues in PostgreSQL that all nodes share: any node may run the messages that another node has sent. */
export interface Queue {
  /** Creates the queue with this name, unless it exists. A node without heartbeats loses its messages to other nodes. */
  create(name: string, settings: Omit<QueueSettings, 'name' | 'heartbeatSeconds'>): Promise<void>;
  /** Adds messages; with a connection, in its transaction. */
  send(name: string, messages: JobInsert[], connection?: Pick<Connection, 'query'>): Promise<void>;
  /** Starts workers that run one message at a time. If `run` throws, the queue retries the message, on any node. */
  work<Data>(name: string, workers: number, run: (message: Message<Data>) => Promise<void>): Promise<void>;
  /** Runs up to `atOnce` messages in parallel, with one poll for all of them. If `run` throws, the message ends too. */
  workInPool<Data>(
    name: string,
    atOnce: number,
    run: (data: Data, signal: AbortSignal) => Promise<void>,
  ): void;
  /** Calls `run` at the times of a cron expression, on one node each time. */
  repeat(name: string, cron: string, run: () => Promise<void>): Promise<void>;
  /** Aborts the signals of the running messages and waits until they have ended. */
  stop(): Promise<void>;
}

/** Poll interval. It bounds the delay of messages that no notification announced, such as a retry that becomes due. */
const pollSeconds = 1;
/** Heartbeat timeout: the queue considers a node dead after this time and gives its messages to other nodes. */
const heartbeatSeconds = 10;
const retryHeartbeatMs = 250;

export async function openQueue(options: QueueOptions): Promise<Queue> {
  const { onError } = options;
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
  boss.on('error', onError);
  try {
    await boss.start();
  } catch (error) {
    // The parts of pg-boss that have started would keep the process alive.
    await boss.stop({ graceful: false });
    throw error;
  }
  const stopping = new AbortController();
  const pools = new Map<string, MessagePool>();

  async function sendHeartbeat(
    name: string,
    message: BossMessage<unknown>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const aborted = new Promise<'aborted'>((resolve) => {
      signal.addEventListener('abort', () => resolve('aborted'), { once: true });
    });
    while (!signal.aborted) {
      // The types of pg-boss declare no properties of the result.
      const touched = boss.touch(name, message) as Promise<{ affected: number }>;
      const answer = await Promise.race([touched.catch(() => null), aborted]);
      if (answer === 'aborted') break;
      if (answer) return answer.affected > 0;
      await sleep(retryHeartbeatMs, undefined, { signal }).catch(() => undefined);
    }
    return false;
  }

  return {
    create: (name, settings) => boss.createQueue(name, { ...settings, heartbeatSeconds }),
    async send(name, messages, connection) {
      if (messages.length === 0) return;
      await boss.insert(name, messages, connection && { db: asBossDatabase(connection) });
      pools.get(name)?.wake();
    },
    async work<Data>(name: string, workers: number, run: (message: Message<Data>) => Promise<void>) {
      for (let n = 0; n < workers; n++) {
        const worker = await boss.work<Data>(
          name,
          // pg-boss polls at the second interval, by default 30 seconds, as long as it receives notifications.
          { pollingIntervalSeconds: pollSeconds, notifyPollingIntervalSeconds: pollSeconds },
          async ([message]) => {
            if (!message) return;
            const signal = AbortSignal.any([stopping.signal, message.signal]);
            const heartbeat = () => sendHeartbeat(name, message, signal);
            try {
              await run({ data: message.data, signal, sendHeartbeat: heartbeat });
            } finally {
              // Fetches the next message without waiting for the next poll.
              boss.notifyWorker(worker);
            }
          },
        );
      }
    },
    workInPool(name, atOnce, run) {
      const pollMs = pollSeconds * 1000;
      const heartbeatMs = (heartbeatSeconds * 1000) / 2;
      pools.set(name, startMessagePool(boss, { queue: name, atOnce, pollMs, heartbeatMs, onError }, run));
    },
    async repeat(name, cron, run) {
      await boss.createQueue(name, { policy: 'exclusive', expireInSeconds: 3600, retryLimit: 0 });
      await boss.work(name, { pollingIntervalSeconds: 30 }, async () => {
        // pg-boss would store the error with the message and not report it.
        await run().catch(onError);
      });
      await boss.schedule(name, cron);
    },
    async stop() {
      stopping.abort();
      await Promise.all([...pools.values()].map((pool) => pool.stop()));
      await boss.stop({ graceful: true, timeout: 60_000 });
    },
  };
}

function asBossDatabase(connection: Pick<Connection, 'query'>) {
  return {
    executeSql: async (sql: string, values?: unknown[]) => ({ rows: await connection.query(sql, values) }),
  };
}
