import type { Fault } from '../codes.ts';
import type { Page } from '../jobs/job.ts';
import type { OperationName } from '../records/operation.ts';

/** A record that a call or a job did not apply, without what was sent. */
export interface RefusedRecord {
  readonly at: Date;
  readonly callId: string;
  readonly isJob: boolean;
  readonly operation: OperationName;
  readonly clientId: number | null;
  /** In the call, from 0. */
  readonly position: number;
  /** Of the principal, as it was sent. */
  readonly id: number | null;
  readonly refusal: Fault;
  /** Those of the first places. */
  readonly faults: ReadonlyMap<string, readonly Fault[]>;
  /** How many places have faults. */
  readonly faultsCount: number;
}

/** A record may have a hundred thousand users, each with its faults. */
export const placesListed = 20;

export interface RefusedRecordStore {
  /** The newest first; no more than `newestListed`. */
  list(page: Page): Promise<{ refused: readonly RefusedRecord[]; totalCount: number }>;
}
