import type { Actor } from '../audit/audit-log.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import type { IdempotencyKey } from '../idempotency/idempotency.ts';
import type { IdempotencyStore } from '../idempotency/lease.ts';
import type { Job } from '../jobs/job.ts';
import type { Jobs } from '../jobs/open-jobs.ts';
import type { SubmittedCall } from '../jobs/submit.ts';
import type { RecordList } from '../json/record-list.ts';
import type { HashPool } from '../passwords/hash-pool.ts';
import type { CodeIssuer } from '../passwords/password-code.ts';
import type { BatchLimits } from '../records/check/batch.ts';
import type { CallOptions } from '../records/check/operation.ts';
import { type Approvals, PlanReview } from '../records/check/plan.ts';
import type { Records } from '../records/open-records.ts';
import type { OperationName } from '../records/parse/parsed-record.ts';
import type { EffectCounts } from '../records/read/effect-counts.ts';
import type { CallRow, IndexedOutcome, Outcome } from '../records/write/outcome.ts';
import type { CallStore } from './calls.store.ts';

/** The operations whose dry run shows the effect of each record, and has a plan. */
export const plannedOperations: readonly OperationName[] = ['upsert', 'merge', 'undo'];

/** The part of a call that only these operations have. */
export interface PlannedCall {
  /** The plan in `If-Match`; null without one. */
  readonly expectedPlan: string | null;
  /** The tuples of a dry run to return; null for all. */
  readonly page: DryRunPage | null;
  /** True if the answer to a dry run contains the users. */
  readonly withUsers: boolean;
}

/** A request to a write operation. */
export interface WriteCall {
  readonly operation: OperationName;
  /** Null if the body is not an array, and for an undo. */
  readonly body: RecordList | null;
  /** Null in protected mode. */
  readonly clientId: number | null;
  readonly actor: Actor;
  readonly key: IdempotencyKey | null;
  /** The run that the call is a part of or, for an undo, that it undoes; null without one. */
  readonly run: string | null;
  readonly dryRun: boolean;
  readonly async: boolean;
  readonly options: CallOptions;
  /** Null for an operation without a plan. */
  readonly planned: PlannedCall | null;
  /** Reserves memory until the call is answered. Throws an `ApiError` OVERLOADED if there is too little. */
  holdMemory(bytes: number): void;
  /** Aborted when the caller has disconnected. A dry run ends then; a call that writes goes on. */
  readonly signal: AbortSignal;
  /** Logs an error that the answer does not show. */
  report(error: unknown): void;
}

/** The expected effect and duration of a call. */
export interface Estimate {
  readonly register: number;
  readonly reset: number;
  readonly recordsFailed: number;
  /** Number of users that would be invited; only `irs/invite` returns it. */
  readonly invite: number | null;
  readonly seconds: number;
  /** The plan of the call with its effect; null if the operation has no plan. */
  readonly planned: { readonly plan: string; readonly counts: EffectCounts } | null;
}

/** Selects the tuples of a dry run. */
export interface DryRunPage {
  /** Leaves out records that would change nothing. Failed records are included. */
  readonly changedOnly: boolean;
  /** Page number, from 1. */
  readonly page: number;
  /** Null for all tuples. */
  readonly pageSize: number | null;
}

interface SelectedOutcomes extends Pick<DryRunPage, 'page' | 'pageSize'> {
  readonly outcomes: readonly IndexedOutcome[];
  /** Number of tuples on all pages. */
  readonly totalCount: number;
}

export type WriteResult = {
  /** False if a retry with the same key must resume the call. */
  readonly complete: boolean;
} & (
  | {
      readonly kind: 'outcomes';
      readonly outcomes: readonly Outcome[];
      readonly replayed: boolean;
      /** The effects of an upsert; null for other operations. */
      readonly counts: EffectCounts | null;
    }
  | {
      readonly kind: 'estimate';
      /** One outcome per record, in the order sent. With `selected`, they have no users. */
      readonly outcomes: readonly Outcome[];
      readonly estimate: Estimate;
      /** The selected outcomes, with their users; null if all outcomes are returned. */
      readonly selected: SelectedOutcomes | null;
    }
  | {
      readonly kind: 'job';
      readonly jobId: string;
      readonly replayed: boolean;
      /** The job that this request submitted; null if an earlier request submitted it. */
      readonly job: Job | null;
    }
);

export interface CallTools
  extends Pick<Records, 'operations' | 'writeStore' | 'newWriter' | 'principalsTouched'> {
  readonly hasher: HashPool;
  readonly keyRing: KeyRing;
  readonly calls: CallStore;
  readonly idempotency: IdempotencyStore;
  readonly submissions: Jobs['submissions'];
  /** Issues the codes of users that a synchronous call invites. */
  readonly issueCode: CodeIssuer;
  readonly limits: { readonly answered: BatchLimits; readonly job: BatchLimits };
  /** Maximum share of users that an upsert without a plan may disable or delete, in percent. */
  readonly maxRemovals: number;
  onOutcomes(operation: OperationName, outcomes: readonly Outcome[]): void;
}

/** Returns the review of a call with a plan. `resumed` are the stored approvals of a call of which a part is applied. */
export function reviewOf(
  { options, planned, dryRun }: Pick<WriteCall, 'options' | 'planned' | 'dryRun'>,
  resumed: Approvals | null,
  { maxRemovals, keyRing }: Pick<CallTools, 'maxRemovals' | 'keyRing'>,
): PlanReview | null {
  if (!planned) return null;
  const { expectedPlan: expected } = planned;
  const newDigest = () => keyRing.newPlanDigest();
  return new PlanReview({ options, expected, maxRemovals, resumed, dryRun, newDigest });
}

/** A call that is applied or submitted. */
export interface ReadyCall extends WriteCall, SubmittedCall {
  /** The row of a call with neither a key nor a run, which is stored with its first outcome; null if it is already stored. */
  readonly unstoredCall: CallRow | null;
}
