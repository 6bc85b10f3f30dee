import type { Actor } from '../audit/audit-log.ts';
import type { CallerTags } from '../db/visibility.ts';
import type { Approvals } from '../records/check/plan.ts';
import type { OperationName } from '../records/parse/parsed-record.ts';
import type { StoredFailure } from '../records/write/failed-records.ts';
import type { NewCall, Outcome } from '../records/write/outcome.ts';

export interface CallCounts {
  readonly operation: OperationName;
  readonly records: number;
  readonly recordsFailed: number;
  readonly users: number;
  readonly usersApplied: number;
  /** The time from the first record to the last. */
  readonly milliseconds: number;
}

/**
 * The synchronous calls and the outcomes of their records. The outcome of an applied record is stored with
 * the record.
 */
export interface CallStore {
  /** Returns the outcomes stored so far, by the zero-based index of the record in the request. */
  outcomes(callId: string, callerTags: CallerTags): Promise<ReadonlyMap<number, Outcome>>;
  /**
   * Stores failed records, except those that already have an outcome. Returns the positions that were stored. `newCall`
   * is the call if its row may not be stored yet; see `WriteContext`.
   */
  storeFailures(
    callId: string,
    failures: readonly StoredFailure[],
    newCall: NewCall | null,
  ): Promise<ReadonlySet<number>>;
  /** Stores what is approved for each record of a call, by its position, for a retry that resumes the call. */
  storeApprovals(callId: string, approvals: Approvals): Promise<unknown>;
  /** Returns the stored approvals; empty if there are none. */
  approvals(callId: string): Promise<Approvals>;
  /** Stores the records of an undo as JSON, and the numbers of records and of users, for a retry that resumes it. */
  storeUndoRecords(
    callId: string,
    json: Buffer,
    counts: { readonly count: number; readonly users: number },
  ): Promise<unknown>;
  /** Returns the stored records of an undo as JSON; null if there are none. */
  undoRecords(callId: string): Promise<Buffer | null>;
  /** Marks a call whose records all have outcomes as completed, and writes its audit row. Does nothing if repeated. */
  complete(callId: string, actor: Actor, counts: CallCounts): Promise<unknown>;
}
