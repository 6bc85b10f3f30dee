import { Refusal } from '../core/faults.ts';
import { type ChunkTools, runChunk } from '../core/jobs/chunk.ts';
import { BrokenOff } from '../core/records/hashing.ts';
import { Interrupted, type Queue } from './queue.ts';

/** Works on the chunks of jobs as the queue gives them out. */
export async function workOnJobs(queue: Queue, tools: ChunkTools): Promise<void> {
  await queue.work(async ({ callId, number }, signal) => {
    try {
      await runChunk(callId, number, tools, signal);
    } catch (error) {
      if (!(error instanceof BrokenOff)) tools.report(error);
      // The queue stores the message of this error; the log has the cause.
      const interrupted = !signal.aborted && isInterruption(error);
      throw interrupted
        ? new Interrupted('the chunk was interrupted')
        : new Error('the chunk was broken off');
    }
  });
}

/** The database could not be reached, did not confirm a commit, or did not take every record. */
function isInterruption(error: unknown): boolean {
  if (error instanceof Refusal) return ['UNAVAILABLE', 'OUTCOME_UNKNOWN'].includes(error.fault.code);
  return error instanceof BrokenOff;
}
