import { setTimeout as sleep } from 'node:timers/promises';
import type { Job as BossMessage, PgBoss } from 'pg-boss';
import { startWorker } from '../lib/worker.ts';

interface PoolOptions {
  readonly queue: string;
  readonly atOnce: number;
  readonly pollMs: number;
  /** Time between two heartbeats. */
  readonly heartbeatMs: number;
  onError(error: Error): void;
}

export interface MessagePool {
  /** Fetches messages now instead of at the next poll. */
  wake(): void;
  /** Aborts the signals of the running messages and waits until they have ended. */
  stop(): Promise<void>;
}

interface Running<Data> {
  readonly message: BossMessage<Data>;
  /** Aborts the run when the pool stops, or when another node has the message. */
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

const retryCompletionMs = 250;
/** Maximum number of messages per fetch, so that several nodes share the waiting messages. */
const fetchedAtOnce = 10;

/**
 * Runs the messages of a queue in parallel, with one poll and one heartbeat for all of them. Each worker of pg-boss
 * polls on its own: 200 of them would send 200 statements per second while the queue is empty.
 */
export function startMessagePool<Data>(
  boss: PgBoss,
  { queue, atOnce, pollMs, heartbeatMs, onError }: PoolOptions,
  run: (data: Data, signal: AbortSignal) => Promise<void>,
): MessagePool {
  const running = new Map<string, Running<Data>>();
  const stopping = new AbortController();
  const polling = startWorker({ run: poll, pauseMs: pollMs, onError: (error) => onError(error as Error) });
  const heartbeats = setInterval(() => void sendHeartbeats().catch(onError), heartbeatMs);

  async function poll(): Promise<boolean> {
    const free = atOnce - running.size;
    if (free === 0) return false;
    const messages = await boss.fetch<Data>(queue, { batchSize: Math.min(free, fetchedAtOnce) });
    for (const message of messages) start(message);
    return messages.length > 0;
  }

  function start(message: BossMessage<Data>): void {
    const controller = new AbortController();
    if (stopping.signal.aborted) controller.abort();
    running.set(message.id, { message, controller, ended: runToEnd(message, controller.signal) });
  }

  async function runToEnd(message: BossMessage<Data>, signal: AbortSignal): Promise<void> {
    await run(message.data, signal).catch(onError);
    await complete(message);
    const wasFull = running.size === atOnce;
    running.delete(message.id);
    if (wasFull) polling.wake();
  }

  /** Retries until the database answers: without its completion the message stays locked until its heartbeat times out. */
  async function complete(message: BossMessage<Data>): Promise<void> {
    for (;;) {
      const done = await boss.complete(queue, message).then(
        () => true,
        (error) => onError(error),
      );
      if (done || stopping.signal.aborted) return;
      await sleep(retryCompletionMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  async function sendHeartbeats(): Promise<void> {
    const held = [...running.values()].map(({ message }) => message);
    if (held.length === 0) return;
    // `settled` has the IDs of the messages that this node still has. The types of pg-boss do not declare it.
    const { settled } = (await boss.touch(queue, held)) as { settled?: readonly string[] };
    if (!settled) return;
    for (const { id } of held) if (!settled.includes(id)) running.get(id)?.controller.abort();
  }

  return {
    wake: () => polling.wake(),
    async stop() {
      stopping.abort();
      for (const { controller } of running.values()) controller.abort();
      await polling.stop();
      await Promise.all([...running.values()].map(({ ended }) => ended));
      clearInterval(heartbeats);
    },
  };
}
