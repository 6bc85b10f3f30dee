import { ApiError, ErrorBudget, FieldErrors } from '../lib/field-errors.ts';
import { required } from '../lib/required.ts';
import {
  type CheckedRecord,
  changeToWrite,
  checkRecords,
  recordsOf,
  usernamesIn,
} from '../records/check/batch.ts';
import { type Operation, operationOf } from '../records/check/operation.ts';
import { applyRecords, hashesNeeded, type RecordToApply } from '../records/operations/apply.ts';
import { effectCounts } from '../records/read/effect-counts.ts';
import { storedFailures } from '../records/write/failed-records.ts';
import { reserveIds } from '../records/write/id-reservation.ts';
import type { Outcome } from '../records/write/outcome.ts';
import { isFinal } from '../records/write/write-failures.ts';
import type { CallCounts } from './calls.store.ts';
import type { CallTools, ReadyCall, WriteResult } from './write-call.ts';

type ApplyTools = Pick<
  CallTools,
  'operations' | 'hasher' | 'writeStore' | 'newWriter' | 'issueCode' | 'calls' | 'limits' | 'onOutcomes'
>;

/** The outcomes of a call so far, by position. */
type CallOutcomes = Map<number, Outcome>;

/** Checks, hashes and writes the records of a call. All of them are checked before the first password is hashed. */
export async function applyNow(
  call: ReadyCall,
  tools: ApplyTools,
): Promise<Extract<WriteResult, { kind: 'outcomes' }>> {
  const { earlierOutcomes, records, report, options } = call;
  const begunAt = performance.now();
  const operation = operationOf(tools.operations, call.operation, options);
  const passwords = records.passwordsExcept(earlierOutcomes);
  const admitted = tools.hasher.admit({ share: String(call.clientId), count: passwords });
  try {
    const left = await approveAndReserve(await checkLeft(call, operation), call, tools);
    admitted.reduceTo(left.reduce((sum, record) => sum + hashesNeeded(record), 0));
    const applied = await applyRecords(left, {
      operation,
      actor: call.actor,
      call: { id: call.id, unstoredCall: call.unstoredCall },
      callerTags: options.callerTags,
      issueCode: options.codes === 'answered' ? tools.issueCode : null,
      hashes: admitted,
      writer: tools.newWriter(),
      lastOutcomes: new Map(),
      report,
    });
    tools.onOutcomes(
      operation.name,
      applied.filter((outcome) => outcome !== null),
    );
    const outcomes: CallOutcomes = new Map(earlierOutcomes);
    for (const [at, { position }] of left.entries()) {
      const outcome = applied[at];
      if (outcome) outcomes.set(position, outcome);
    }
    const complete = await completeCall(call, outcomes, begunAt, tools).catch((error) => {
      // The applied records are already committed with their outcomes, which a retry with the same key reads.
      report(error);
      return false;
    });
    const inOrder = Array.from({ length: records.count }, (_, at) => outcomes.get(at) ?? unknownOutcome());
    const counts = call.planned && effectCounts(inOrder);
    return { kind: 'outcomes', outcomes: inOrder, replayed: false, complete, counts };
  } finally {
    admitted.end();
  }
}

/** Returns the records without an earlier outcome. The others are checked too: the names that they give are taken. */
async function checkLeft(
  { records, earlierOutcomes, holdMemory }: ReadyCall,
  operation: Operation,
): Promise<CheckedRecord[]> {
  const check = operation.startChecks({ holdMemory, usernamesOfCall: () => usernamesIn(records) });
  const checked = await checkRecords(recordsOf(records), operation, check, new ErrorBudget());
  return checked.filter(({ position }) => !earlierOutcomes.has(position));
}

/**
 * Refuses the call if its plan no longer holds, or if it would remove too many users. Otherwise stores what is approved
 * for each record, and reserves the IDs of what the records insert.
 */
async function approveAndReserve(
  checked: readonly CheckedRecord[],
  { id, key, earlierOutcomes, records, review }: ReadyCall,
  { limits, calls, writeStore }: ApplyTools,
): Promise<RecordToApply[]> {
  const approvals = checked.map((record) => review?.approve(record, records.text(record.position)) ?? null);
  review?.finish();
  const merged = checked.reduce((sum, { change }) => sum + (change?.merged?.users ?? 0), 0);
  if ((review?.removals ?? 0) + merged > limits.answered.users) {
    const figures = { users: limits.answered.users, jobUsers: limits.job.users };
    throw new ApiError('BATCH_TOO_LARGE', { variant: 'answeredRemovals', figures });
  }
  // A call without a key is not resumed.
  if (key && earlierOutcomes.size === 0 && approvals.some((approval) => approval !== null))
    await calls.storeApprovals(id, approvals);
  const ids = await reserveIds(checked.map(changeToWrite), writeStore);
  return checked.map((record, at) => {
    return { ...record, approval: approvals[at] ?? null, ids: required(ids[at]) };
  });
}

/** The outcome of a record that another node has applied, if the stored outcome could not be read. */
function unknownOutcome(): Outcome {
  return { id: null, error: { code: 'OUTCOME_UNKNOWN' }, errors: new FieldErrors(), users: [] };
}

/**
 * Stores the failed records, and completes the call if all of its records have outcomes. Returns whether it did. The stored
 * outcomes are added if they may be others: another node stores outcomes too if it took over an expired lease, and a commit
 * without an answer may have succeeded.
 */
async function completeCall(
  call: ReadyCall,
  outcomes: CallOutcomes,
  begunAt: number,
  { calls }: ApplyTools,
): Promise<boolean> {
  const { id, key, unstoredCall, earlierOutcomes, operation, records, actor, options } = call;
  const failed = [...outcomes].filter(
    ([position, outcome]) =>
      outcome.error !== null &&
      !earlierOutcomes.has(position) &&
      // A call without a key is not resumed, so each of its outcomes is final.
      (key === null || isFinal(outcome)),
  );
  const failures = await storedFailures(
    operation,
    failed.map(([position, outcome]) => ({ position, outcome, fields: () => records.fields(position) })),
  );
  const stored = await calls.storeFailures(id, failures, unstoredCall);
  let known = outcomes.size;
  if (known < records.count || stored.size < failures.length || ![...outcomes.values()].every(isFinal)) {
    const storedOutcomes = await calls.outcomes(id, options.callerTags);
    known = storedOutcomes.size;
    for (const [position, outcome] of storedOutcomes) {
      // The stored outcome of an applied record lacks the codes of its users.
      if (outcomes.get(position)?.error !== null) outcomes.set(position, outcome);
    }
  }
  const isComplete = known === records.count;
  if (isComplete) await calls.complete(id, actor, countsOf(call, [...outcomes.values()], begunAt));
  return isComplete;
}

function countsOf(
  { operation, records }: ReadyCall,
  outcomes: readonly Outcome[],
  begunAt: number,
): CallCounts {
  const applied = outcomes.filter(({ error }) => error === null);
  const usersApplied = applied.reduce((sum, { users }) => sum + users.length, 0);
  return {
    operation,
    records: records.count,
    recordsFailed: records.count - applied.length,
    // The records of an undo do not list the users that are deleted with their principals.
    users: operation === 'undo' ? Math.max(records.users, usersApplied) : records.users,
    usersApplied,
    milliseconds: Math.ceil(performance.now() - begunAt),
  };
}
