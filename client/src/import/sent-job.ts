import type { Line } from './line.ts';
import type { Sent } from './records.ts';
import { faultsOf, type RowFaults } from './row-fault.ts';

/** A submitted job and the rows of its records, in the order of the records. */
export interface SentJob {
  readonly id: string;
  readonly sent: readonly Sent<unknown>[];
}

/**
 * Returns the errors of the rows that a job did not apply, by row number. Call it after the job has ended.
 *
 * @param known More specific errors that were found before the job was submitted. They replace those of the job.
 */
export async function failedOf(
  { id, sent }: SentJob,
  known: RowFaults,
  { anagrafe, signal }: Line,
): Promise<RowFaults> {
  const failed: RowFaults = new Map();
  for (const { Position, Faults } of await anagrafe.jobs.failed(id, { signal })) {
    const item = sent[Position]?.item;
    if (item) failed.set(item.row, known.get(item.row) ?? faultsOf(Faults, item.kind));
  }
  return failed;
}
