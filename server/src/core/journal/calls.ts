import { Refusal } from '../faults.ts';
import { isUuid } from '../fields/fields.ts';
import type { Page } from '../jobs/job.ts';
import type { FailedRecord } from '../jobs/retry-kit.ts';
import type { OperationName } from '../records/operation.ts';
import type { PlacedOutcome } from '../records/outcome.ts';
import type { Author } from './journal.ts';

/** A call that was answered at once, as the journal has it. */
export interface CompletedCall extends Author, CallFigures {
  readonly at: Date;
  readonly callId: string;
}

/** What came of a call. */
export interface CallFigures {
  readonly operation: OperationName;
  readonly records: number;
  readonly recordsFailed: number;
  readonly users: number;
  readonly usersApplied: number;
  /** From its first record to its last: what the journal has of them lies within. */
  readonly milliseconds: number;
}

export interface CallListing extends Page {
  /** Only those of which at least one record was not applied; of one call, only such records. */
  readonly failedOnly: boolean;
}

export interface CallStore {
  /** The newest first; no more than `newestListed`. */
  list(listing: CallListing): Promise<{ calls: readonly CompletedCall[]; totalCount: number }>;
  /** Null where there is none, or where it ended too long ago. */
  find(id: string): Promise<CompletedCall | null>;
  /** What became of its records, in the order sent; of applied ones without their users. */
  outcomes(call: CompletedCall, listing: CallListing): Promise<readonly PlacedOutcome[]>;
  failed(id: string): AsyncIterable<FailedRecord>;
}

export async function findCall(id: string, store: CallStore): Promise<CompletedCall> {
  const call = isUuid(id) ? await store.find(id) : null;
  if (!call) throw new Refusal('CALL_NOT_FOUND');
  return call;
}
