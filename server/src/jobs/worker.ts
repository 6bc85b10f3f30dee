import { type ChunkTools, runChunk } from '../core/jobs/chunk.ts';
import { BrokenOff } from '../core/records/hashing.ts';
import type { Queue } from './queue.ts';

/** Works on the chunks of jobs as the queue gives them out. */
export async function workOnJobs(queue: Queue, tools: ChunkTools): Promise<void> {
  await queue.work(async ({ callId, number }, signal) => {
    try {
      await runChunk(callId, number, tools, signal);
    } catch (error) {
      if (!(error instanceof BrokenOff)) tools.report(error);
      // The queue keeps what it is told of a failure; the log is the place for more.
      throw new Error('the chunk was broken off');
    }
  });
}
