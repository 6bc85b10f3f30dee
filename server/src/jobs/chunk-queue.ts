import type { Connection } from '../db/database.ts';
import { Aborted } from '../lib/aborted.ts';
import { ApiError } from '../lib/field-errors.ts';
import type { Message, Queue } from '../queue/queue.ts';
import { type ChunkTools, runChunk } from './run-chunk.ts';

/** A chunk in the queue. A chunk with a lower `turn` runs earlier. */
export interface QueuedChunk {
  readonly callId: string;
  readonly number: number;
  readonly turn: number;
}

type ChunkMessage = Omit<QueuedChunk, 'turn'>;

const chunkQueueName = 'chunks';
/** Chunks that a node runs at once: while one waits for its last hashes, the other keeps the CPU busy. */
const chunksAtOnce = 2;
const day = 24 * 3600;

export function createChunkQueue(queue: Queue): Promise<void> {
  return queue.create(chunkQueueName, {
    // The maximum that pg-boss allows. The heartbeat and the number of attempts limit the time of a chunk.
    expireInSeconds: day - 60,
    retentionSeconds: 365 * day,
    deleteAfterSeconds: 3600,
    retryLimit: 1_000_000,
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: 30,
    notify: true,
  });
}

/** Enqueues the chunks in the transaction of `connection`. */
export function enqueueChunks(
  queue: Queue,
  connection: Pick<Connection, 'query'>,
  chunks: readonly QueuedChunk[],
): Promise<void> {
  const messages = chunks.map(({ turn, ...data }) => ({ data, priority: -turn }));
  return queue.send(chunkQueueName, messages, connection);
}

/** Starts the workers that run chunks. */
export function workOnChunks(queue: Queue, tools: ChunkTools): Promise<void> {
  return queue.work<ChunkMessage>(chunkQueueName, chunksAtOnce, (message) => runAtMostTwice(message, tools));
}

/**
 * Runs a chunk once more when the database answers again after an interruption: the queue cannot record the failure
 * while the database is away, and would retry the chunk only after the heartbeat has expired. After any other error, and
 * after a second interruption, the queue retries the chunk with increasing delays.
 */
async function runAtMostTwice(
  { data: { callId, number }, signal, sendHeartbeat }: Message<ChunkMessage>,
  tools: ChunkTools,
): Promise<void> {
  for (const last of [false, true]) {
    try {
      return await runChunk(callId, number, tools, signal);
    } catch (error) {
      if (!(error instanceof Aborted)) tools.report(error);
      const mayRepeat = !signal.aborted && isInterruption(error) && (await sendHeartbeat());
      // The queue stores the message of this error; the log has the cause.
      if (!mayRepeat || last) throw new Error('the chunk was interrupted');
    }
  }
}

/** Returns true if the database was unreachable, did not confirm a commit, or did not accept every record. */
function isInterruption(error: unknown): boolean {
  if (error instanceof ApiError) return ['UNAVAILABLE', 'OUTCOME_UNKNOWN'].includes(error.detail.code);
  return error instanceof Aborted;
}
