import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, type Job } from '@anagrafe/client';
import { type ImportConnection, isCancelled } from '../import/calls.ts';
import type { SubmittedJob } from '../import/job-sender.ts';
import { ImportError } from './task.ts';

/**
 * Limits of the milliseconds between two requests for the state of a job. The time is a share of the age of the job, so
 * that its end is noticed soon in proportion: a job without passwords to hash ends within a second, one with passwords
 * takes minutes.
 */
const pollMs = { min: 50, max: 800, share: 0.2 };

/** A job of the import was cancelled. The next run sends its remaining rows again. */
export class JobCancelledError extends ImportError {
  override name = 'JobCancelledError';

  constructor(id: string, rows: number) {
    super(
      `Job ${id} was cancelled. ${rows === 1 ? '1 row was' : `${rows.toLocaleString('en')} rows were`} not applied for this reason.`,
    );
  }
}

/** Polls a job until it has ended, and calls `onProgress` with each state. */
export async function waitForJob(
  id: string,
  { anagrafe, signal }: ImportConnection,
  onProgress: (job: Job) => void,
): Promise<Job> {
  try {
    for (const start = performance.now(); ; ) {
      const { record: job } = await anagrafe.jobs.get(id, { pageSize: 1, signal });
      onProgress(job);
      if (job.EndedAt !== null) return job;
      const pauseMs = (performance.now() - start) * pollMs.share;
      await sleep(Math.max(pollMs.min, Math.min(pauseMs, pollMs.max)), undefined, signal && { signal }).catch(
        () => signal?.throwIfAborted(),
      );
    }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'JOB_NOT_FOUND') throw error;
    throw new ImportError(
      `Job ${id}, which has a part of the file, does not exist in the service: it has expired, or the service uses another database. ` +
        'Check which users exist, then start over with --restart.',
    );
  }
}

/** Returns the number of rows of an ended job that were not applied, because it was cancelled. */
export async function countCancelledRows(
  { id, records }: SubmittedJob,
  { anagrafe, signal }: ImportConnection,
): Promise<number> {
  const failed = await anagrafe.jobs.failed(id, { signal });
  return failed
    .filter(({ FieldErrors }) => isCancelled(FieldErrors))
    .reduce((sum, { Position }) => sum + (records[Position]?.members.length ?? 0), 0);
}
