import type { RecordList } from '../json/record-list.ts';
import { ApiError, ErrorBudget, FieldErrors } from '../lib/field-errors.ts';
import { required } from '../lib/required.ts';
import type { AdmittedCall } from '../passwords/hash-pool.ts';
import {
  type BatchLimits,
  type CheckedRecord,
  checkRecords,
  positionsOf,
  recordsAt,
} from '../records/check/batch.ts';
import type { Operation } from '../records/check/operation.ts';
import { type PlanReview, requireApproved } from '../records/check/plan.ts';
import { applyRecords, hashesNeeded, isFinal, type Requester } from '../records/operations/apply.ts';
import type { OperationName } from '../records/parse/parsed-record.ts';
import { type StoredFailure, storedFailures } from '../records/write/failed-records.ts';
import { IdReservation, type RecordStore } from '../records/write/id-reservation.ts';
import type { NewCall, Outcome } from '../records/write/outcome.ts';
import { RecordWriter } from '../records/write/record-writer.ts';
import type { CallCounts, CallStore } from './calls.ts';

interface AnswerOptions {
  readonly requester: Requester;
  readonly calls: CallStore;
  readonly recordStore: RecordStore;
  readonly callId: string;
  /** The call, if it has no idempotency key. */
  readonly newCall: NewCall | null;
  /** Outcomes of earlier requests with the same key, by position. */
  readonly known: ReadonlyMap<number, Outcome>;
  readonly limits: { readonly answered: BatchLimits; readonly job: BatchLimits };
  /** Null if the operation has no plan. */
  readonly review: PlanReview | null;
  readonly admitted: AdmittedCall;
  holdMemory(bytes: number): void;
  onOutcomes(operation: OperationName, outcomes: readonly Outcome[]): void;
}

interface Answered {
  /** One outcome per record, in the order sent. */
  readonly outcomes: readonly Outcome[];
  /** False if a retry with the same key must resume the call. */
  readonly complete: boolean;
}

/** Checks, hashes and writes the records. All records are checked before the first password is hashed. */
export async function applySync(
  records: RecordList,
  operation: Operation,
  options: AnswerOptions,
): Promise<Answered> {
  const { known } = options;
  const begunAt = performance.now();
  const all = positionsOf(records);
  const left = all.filter((position) => !known.has(position));
  const results = await applyLeft(records, left, operation, options);
  const fresh = new Map<number, Outcome>();
  for (const [at, outcome] of results.entries()) if (outcome) fresh.set(required(left[at]), outcome);
  options.onOutcomes(operation.name, [...fresh.values()]);
  const kept = await storeEnd(fresh, records, operation, begunAt, options).catch((error) => {
    // The applied records are already committed with their outcomes, which a retry with the same key reads.
    options.requester.report(error);
    return null;
  });
  const outcomes = all.map(
    (position) => kept?.get(position) ?? known.get(position) ?? fresh.get(position) ?? unknownOutcome(),
  );
  return { outcomes, complete: kept?.size === records.count };
}

/** Applies the records at the positions `left`, and returns their outcomes in this order. */
async function applyLeft(
  records: RecordList,
  left: readonly number[],
  operation: Operation,
  options: AnswerOptions,
): Promise<(Outcome | null)[]> {
  const { callId, newCall, requester, admitted } = options;
  const check = operation.newCheck();
  // Records with a known outcome are checked too: what they claim is not free for the others.
  const all = recordsAt(records, positionsOf(records));
  const allChecked = await checkRecords(all, operation, check, new ErrorBudget(), options.holdMemory);
  const checked = left.map((position) => required(allChecked[position]));
  const approvals = options.review
    ? await reviewRecords(checked, left, records, options.review, options)
    : [];
  admitted.keep(hashesNeeded(checked));
  const idReservation = new IdReservation();
  const ids = checked.map(({ parsed, change }) => idReservation.add(parsed.errors.none ? change : null));
  await idReservation.reserve(options.recordStore);
  const toApply = checked.map((record, index) => ({
    ...record,
    ids: required(ids[index])(),
    reference: { callId, position: required(left[index]), newCall },
    approved: approvals[index] ?? null,
  }));
  return applyRecords(toApply, {
    operation,
    requester,
    writer: new RecordWriter(options.recordStore),
    lastOutcomes: new Map(),
    hashes: admitted,
  });
}

/**
 * Refuses the call if its plan no longer holds, or if it would remove too many users. The plan of a resumed call cannot
 * be computed any more, because a part of its records is applied; the others must still have the effects of the plan.
 * Returns the approved effect of each record.
 */
async function reviewRecords(
  checked: readonly CheckedRecord[],
  positions: readonly number[],
  records: RecordList,
  review: PlanReview,
  { callId, newCall, known, limits, calls }: AnswerOptions,
): Promise<(string | null)[]> {
  if (known.size > 0) {
    const stored = await calls.approvals(callId);
    const approvals = positions.map((position) => stored[position] ?? review.unknownApproval);
    for (const [at, approved] of approvals.entries())
      if (approved !== null) requireApproved(required(checked[at]), approved);
    return approvals;
  }
  const approvals = checked.map((record, at) => review.add(record, records.text(required(positions[at]))));
  review.finish();
  if (review.removals > limits.answered.users) {
    const figures = { users: limits.answered.users, jobUsers: limits.job.users };
    throw new ApiError('BATCH_TOO_LARGE', { variant: 'answeredRemovals', figures });
  }
  const stored = approvals.filter((approved) => approved !== null);
  if (!newCall && stored.length > 0) await calls.storeApprovals(callId, stored);
  return approvals;
}

/** The outcome of a record that another node has settled, if the stored outcome could not be read. */
function unknownOutcome(): Outcome {
  return { id: null, error: { code: 'OUTCOME_UNKNOWN' }, errors: new FieldErrors(), users: [] };
}

/**
 * Stores the failed records, and completes the call if all of its records have outcomes. Returns the stored outcomes.
 * They are read if they may differ from `fresh`: another node stores outcomes too if it took over an expired lease, and
 * a commit without an answer may have succeeded.
 */
async function storeEnd(
  fresh: ReadonlyMap<number, Outcome>,
  records: RecordList,
  operation: Operation,
  begunAt: number,
  { callId, newCall, known, calls, requester }: AnswerOptions,
): Promise<ReadonlyMap<number, Outcome>> {
  // A call without a key is not resumed, so each of its outcomes is final.
  const final = new Map([...fresh].filter(([, outcome]) => newCall || isFinal(outcome)));
  const failures = await failuresIn(final, records, operation);
  const stored = await calls.storeFailures(callId, failures, newCall);
  const isCertain = stored.size === failures.length && [...fresh.values()].every(isFinal);
  const ours = new Map([...known, ...fresh]);
  const kept = isCertain && ours.size === records.count ? ours : await calls.outcomes(callId);
  if (kept.size === records.count)
    await calls.complete(callId, requester.actor, countsOf(records, operation, [...kept.values()], begunAt));
  return kept;
}

function failuresIn(
  outcomes: ReadonlyMap<number, Outcome>,
  records: RecordList,
  operation: Operation,
): Promise<StoredFailure[]> {
  const failed = [...outcomes].filter(([, { error }]) => error !== null);
  return storedFailures(
    operation.name,
    failed.map(([position, outcome]) => ({ position, outcome, fields: () => records.fields(position) })),
  );
}

function countsOf(
  records: RecordList,
  operation: Operation,
  outcomes: readonly Outcome[],
  begunAt: number,
): CallCounts {
  const applied = outcomes.filter(({ error }) => error === null);
  return {
    operation: operation.name,
    records: records.count,
    recordsFailed: records.count - applied.length,
    users: records.users,
    usersApplied: applied.reduce((sum, { users }) => sum + users.length, 0),
    milliseconds: Math.ceil(performance.now() - begunAt),
  };
}
