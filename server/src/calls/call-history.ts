import type { Actor } from '../audit/audit-log.ts';
import type { Page } from '../db/paging.ts';
import type { CallerTags } from '../db/visibility.ts';
import type { ErrorDetail } from '../lib/error-codes.ts';
import { ApiError } from '../lib/field-errors.ts';
import type { OperationName } from '../records/parse/parsed-record.ts';
import type { FailedRecord } from '../records/write/failed-records.ts';
import type { IndexedOutcome } from '../records/write/outcome.ts';
import type { CallCounts } from './calls.ts';

/** A call that was answered synchronously, as recorded in the audit log. */
export interface CompletedCall extends Actor, CallCounts {
  readonly at: Date;
  readonly callId: string;
}

export interface CallListing extends Page {
  /** Selects calls with at least one failed record or, within one call, its failed records. */
  readonly failedOnly: boolean;
}

/** All methods find only what the caller with the tags sees. */
export interface CallHistory {
  /** Lists the newest calls first, at most `newestListed`. */
  list(
    listing: CallListing,
    callerTags: CallerTags,
  ): Promise<{ calls: readonly CompletedCall[]; totalCount: number }>;
  /** Returns null if there is no such call, or if its retention period is over. */
  find(id: string, callerTags: CallerTags): Promise<CompletedCall | null>;
  /** Returns the outcomes in the order sent, without the users of applied records. */
  outcomes(callId: string, listing: CallListing, callerTags: CallerTags): Promise<readonly IndexedOutcome[]>;
  /** Reads the records of a call that was found. */
  failed(id: string): AsyncIterable<FailedRecord>;
}

export async function findCall(
  id: string,
  callerTags: CallerTags,
  store: CallHistory,
): Promise<CompletedCall> {
  const call = await store.find(id, callerTags);
  if (!call) throw new ApiError('CALL_NOT_FOUND');
  return call;
}

/** A failed record of a call or job, without its contents. */
export interface FailureEntry {
  readonly at: Date;
  readonly callId: string;
  readonly isJob: boolean;
  readonly operation: OperationName;
  readonly clientId: number | null;
  readonly position: number;
  readonly id: number | null;
  /** The external key that the record was sent with, or that of the principal with the sent ID. */
  readonly externalKey: string | null;
  /** The first username in the record. */
  readonly username: string | null;
  readonly error: ErrorDetail;
  readonly errors: ReadonlyMap<string, readonly ErrorDetail[]>;
  readonly errorsCount: number;
}

/** Maximum number of places listed per record. Each of the many users of a record may have field errors. */
export const placesListed = 20;

export interface FailureStore {
  /** Lists the newest failed records first, at most `newestListed`. */
  list(page: Page, callerTags: CallerTags): Promise<{ refused: readonly FailureEntry[]; totalCount: number }>;
}
