import type { OperationName } from '../records/operation.ts';
import type { Author } from './journal.ts';

/** A call that was answered at once, as the journal has it. */
export interface CompletedCall extends Author {
  readonly at: Date;
  /** Of a call that was sent with a key. */
  readonly callId: string | null;
  readonly operation: OperationName;
  readonly records: number;
  readonly recordsFailed: number;
  readonly users: number;
  readonly usersApplied: number;
}

export interface CallListing {
  readonly page: number;
  readonly pageSize: number;
  /** Only those of which at least one record was not applied. */
  readonly failedOnly: boolean;
}

export interface CallStore {
  /** The newest first. */
  list(listing: CallListing): Promise<{ calls: readonly CompletedCall[]; totalCount: number }>;
}
