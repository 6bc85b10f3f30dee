import type { Line } from './line.ts';
import type { Sent } from './records.ts';
import { faultsOf, type RowFaults } from './row-fault.ts';

/** A job, with the rows whose records it was given, in their order. */
export interface SentJob {
  readonly id: string;
  readonly sent: readonly Sent<unknown>[];
}

/** What is wrong with the rows that a job, which has ended, did not apply. What was `known` before says more. */
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
