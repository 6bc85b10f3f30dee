import type { Connection } from './database.ts';

/** A chunk as the queue knows it: the smaller its turn, the sooner it is begun. */
export interface QueuedChunk {
  readonly callId: string;
  readonly number: number;
  readonly turn: number;
}

/** The queue that tells some node to work on a chunk. */
export interface ChunkQueue {
  /** Part of the transaction that the connection is in. */
  enqueue(connection: Connection, chunks: readonly QueuedChunk[]): Promise<void>;
}
