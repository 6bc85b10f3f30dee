import type { CompletedDetails, IdempotencyStore } from '../idempotency/idempotency.ts';
import type { RecordList } from '../json/record-list.ts';
import { ApiError, ErrorBudget, FieldErrors } from '../lib/field-errors.ts';
import type { HashReservation } from '../passwords/hash-reservation.ts';
import { applyRecords, demandOf, isSettled, type Requester } from '../records/apply.ts';
import { type BatchLimits, checkRecords, positionsOf, recordsAt } from '../records/batch.ts';
import { type StoredFailure, storedFailures } from '../records/failed-records.ts';
import { reserveFor } from '../records/id-reservation.ts';
import type { Operation, OperationName } from '../records/operation.ts';
import type { Outcome } from '../records/outcome.ts';
import { type ParsedRecord, required } from '../records/parsed-record.ts';
import { type PlanReview, requireApproved } from '../records/plan.ts';
import { RecordWriter } from '../records/write/record-writer.ts';

interface AnswerOptions {
  readonly requester: Requester;
  readonly idempotency: IdempotencyStore;
  readonly callId: string;
  /** True if the call has an idempotency key, so that every outcome is stored. */
  readonly keyed: boolean;
  /** Outcomes of earlier requests with the same key, by position. */
  readonly known: ReadonlyMap<number, Outcome>;
  readonly limits: { readonly answered: BatchLimits; readonly job: BatchLimits };
  /** Null if the operation has no plan. */
  readonly review: PlanReview | null;
  /** The places of the call in the hash queue, which `applySync` gives up at its end. */
  readonly reservation: HashReservation;
  holdMemory(bytes: number): void;
  onOutcomes(operation: OperationName, outcomes: readonly Outcome[]): void;
}

interface Answered {
  /** One outcome per record, in the order sent. */
  readonly outcomes: readonly Outcome[];
  /** False if a retry with the same key must resume the call; true for a call without a key. */
  readonly complete: boolean;
}

/** Checks, hashes and writes the records. All records are checked before the first password is hashed. */
export async function applySync(
  records: RecordList,
  operation: Operation,
  options: AnswerOptions,
): Promise<Answered> {
  try {
    return await applyAndStore(records, operation, options);
  } finally {
    // Not earlier: jobs, which let a call with a single password go first, would delay its last statement.
    options.reservation.release();
  }
}

async function applyAndStore(
  records: RecordList,
  operation: Operation,
  options: AnswerOptions,
): Promise<Answered> {
  const { callId, keyed, known, requester } = options;
  const begunAt = performance.now();
  const all = positionsOf(records);
  const left = all.filter((position) => !known.has(position));
  const results = await applyLeft(records, left, operation, options);
  const fresh = new Map<number, Outcome>();
  for (const [at, outcome] of results.entries()) if (outcome) fresh.set(required(left[at]), outcome);
  options.onOutcomes(operation.name, [...fresh.values()]);
  const detailsOf = (outcomes: readonly Outcome[]) =>
    completedDetails(operation, records, outcomes, performance.now() - begunAt);
  if (!keyed) {
    const outcomes = [...fresh.values()];
    // The applied records are already committed, so an error while the end of the call is stored is only reported.
    await failuresIn(fresh, records, operation)
      .then((failures) =>
        options.idempotency.storeCompleted(callId, failures, requester.actor, {
          ...detailsOf(outcomes),
          ...unchangedIn(fresh),
        }),
      )
      .catch((error) => requester.report(error));
    return { outcomes, complete: true };
  }
  const kept = await keepOutcomes(fresh, records, operation, detailsOf, options).catch((error) => {
    // The applied records are already committed with their outcomes, which a retry with the same key reads.
    requester.report(error);
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
  const { callId, keyed, requester, reservation } = options;
  const check = operation.newCheck({ holdMemory: options.holdMemory });
  const run = async (read: readonly ParsedRecord[]) => {
    // An overloaded service rejects the call here, before it queries the database.
    reservation.admit(demandOf(left.map((position) => required(read[position]))));
    await check.run(read);
  };
  // Records with a known outcome are checked too: what they claim is not free for the others.
  const all = recordsAt(records, positionsOf(records));
  const checkedRecords = await checkRecords(all, operation, { run }, new ErrorBudget());
  const parsedRecords = left.map((position) => required(checkedRecords[position]));
  if (options.review) await reviewRecords(parsedRecords, left, records, options.review, options);
  // Admits again, before IDs are used up: only the check of an upsert finds out which passwords are hashed.
  reservation.admit(demandOf(parsedRecords));
  const ids = await reserveFor(parsedRecords, operation);
  const checked = parsedRecords.map((parsed, index) => ({
    parsed,
    ids: required(ids[index]),
    reference: { callId, position: required(left[index]), kept: keyed },
  }));
  const context = { operation, requester, writer: new RecordWriter(), lastOutcomes: new Map() };
  return applyRecords(checked, { ...context, hashes: reservation });
}

/**
 * Refuses the call if its plan no longer holds, or if it would remove too many users. The plan of a resumed call cannot
 * be computed any more, because a part of its records is applied; the others must still have the effects of the plan.
 */
async function reviewRecords(
  parsedRecords: readonly ParsedRecord[],
  positions: readonly number[],
  records: RecordList,
  review: PlanReview,
  { callId, keyed, known, limits, idempotency }: AnswerOptions,
): Promise<void> {
  if (known.size > 0) {
    const stored = await idempotency.approvals(callId);
    for (const [at, parsed] of parsedRecords.entries()) {
      const approved = stored[required(positions[at])] ?? review.unknownApproval;
      if (approved !== null) await requireApproved(parsed, approved);
    }
    return;
  }
  const approvals: string[] = [];
  for (const [at, parsed] of parsedRecords.entries()) {
    parsed.approved = await review.add(parsed, records.text(required(positions[at])));
    if (parsed.approved !== null) approvals.push(parsed.approved);
  }
  review.finish();
  if (review.removals > limits.answered.users) {
    const figures = { users: limits.answered.users, jobUsers: limits.job.users };
    throw new ApiError('BATCH_TOO_LARGE', { variant: 'answeredRemovals', figures });
  }
  if (keyed && approvals.length > 0) await idempotency.storeApprovals(callId, approvals);
}

/** The outcome of a record that another node has settled, if the stored outcome could not be read. */
function unknownOutcome(): Outcome {
  return { id: null, error: { code: 'OUTCOME_UNKNOWN' }, errors: new FieldErrors(), users: [] };
}

/** Stores and reads back the outcomes. Another node may have stored others first, if it took over an expired lease. */
async function keepOutcomes(
  fresh: ReadonlyMap<number, Outcome>,
  records: RecordList,
  operation: Operation,
  detailsOf: (outcomes: readonly Outcome[]) => CompletedDetails,
  { callId, idempotency, requester }: AnswerOptions,
): Promise<ReadonlyMap<number, Outcome>> {
  const final = new Map([...fresh].filter(([, outcome]) => isSettled(outcome)));
  await idempotency.storeFailures(callId, await failuresIn(final, records, operation));
  const kept = await idempotency.outcomes(callId);
  if (kept.size === records.count)
    await idempotency.complete(callId, requester.actor, detailsOf([...kept.values()]));
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

/** The audit row of the call lists the records that were applied and changed nothing, which have no rows of their own. */
function unchangedIn(outcomes: ReadonlyMap<number, Outcome>): { unchanged?: [number, number | null][] } {
  const unchanged = [...outcomes].filter(([, outcome]) => outcome.unchanged);
  return unchanged.length > 0 ? { unchanged: unchanged.map(([position, { id }]) => [position, id]) } : {};
}

function completedDetails(
  operation: Operation,
  records: RecordList,
  outcomes: readonly Outcome[],
  milliseconds: number,
): CompletedDetails {
  const applied = outcomes.filter(({ error }) => error === null);
  return {
    operation: operation.name,
    records: records.count,
    recordsFailed: records.count - applied.length,
    users: records.users,
    usersApplied: applied.reduce((sum, { users }) => sum + users.length, 0),
    milliseconds: Math.ceil(milliseconds),
  };
}
