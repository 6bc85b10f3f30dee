import { ApiError, ErrorBudget, FieldErrors } from '../lib/field-errors.ts';
import { required } from '../lib/required.ts';
import {
  type CheckedRecord,
  changeToWrite,
  checkRecords,
  recordsOf,
  usernamesIn,
} from '../records/check/batch.ts';
import { operationOf } from '../records/check/operation.ts';
import { applyRecords, hashesNeeded, isFinal, type RecordToApply } from '../records/operations/apply.ts';
import { effectCounts } from '../records/read/effect-counts.ts';
import { storedFailures } from '../records/write/failed-records.ts';
import { reserveIds } from '../records/write/id-reservation.ts';
import type { Outcome } from '../records/write/outcome.ts';
import type { CallCounts } from './calls.store.ts';
import type { CallTools, ClaimedCall, WriteResult } from './write-call.ts';

type ApplyTools = Pick<
  CallTools,
  'operations' | 'hasher' | 'writeStore' | 'newWriter' | 'issueCode' | 'calls' | 'limits' | 'onOutcomes'
>;

/** Checks, hashes and writes the records of a call. All of them are checked before the first password is hashed. */
export async function applyNow(
  call: ClaimedCall,
  tools: ApplyTools,
): Promise<Extract<WriteResult, { kind: 'outcomes' }>> {
  const { id, unstoredCall, earlierOutcomes, records, actor, report } = call;
  const operation = operationOf(tools.operations, call.operation, call.options);
  const begunAt = performance.now();
  const passwords = records.passwordsExcept(earlierOutcomes);
  const admitted = tools.hasher.admit({ share: String(call.clientId), count: passwords });
  try {
    const check = operation.newCheck({
      holdMemory: call.holdMemory,
      usernamesOfCall: () => usernamesIn(records),
    });
    // Records with an earlier outcome are checked too: what they claim is not free for the others.
    const checked = await checkRecords(recordsOf(records), operation, check, new ErrorBudget());
    const left = await approveAndReserve(
      checked.filter(({ position }) => !earlierOutcomes.has(position)),
      call,
      tools,
    );
    admitted.reduceTo(left.reduce((sum, record) => sum + hashesNeeded(record), 0));
    const results = await applyRecords(left, {
      operation,
      actor,
      call: { id, newCall: unstoredCall },
      callerTags: call.options.callerTags,
      issueCode: call.options.codes === 'answered' ? tools.issueCode : null,
      hashes: admitted,
      writer: tools.newWriter(),
      lastOutcomes: new Map(),
      report,
    });
    const ownOutcomes = new Map<number, Outcome>();
    for (const [at, outcome] of results.entries())
      if (outcome) ownOutcomes.set(required(left[at]).position, outcome);
    tools.onOutcomes(operation.name, [...ownOutcomes.values()]);
    const storedOutcomes = await completeCall(call, ownOutcomes, begunAt, tools).catch((error) => {
      // The applied records are already committed with their outcomes, which a retry with the same key reads.
      report(error);
      return null;
    });
    const outcomes = checked.map(({ position }) => {
      const own = ownOutcomes.get(position);
      // The stored outcome of a record that this request has applied lacks the codes of its users.
      if (own && own.error === null) return own;
      return storedOutcomes?.get(position) ?? earlierOutcomes.get(position) ?? own ?? unknownOutcome();
    });
    const counts = call.planned && effectCounts(outcomes);
    return {
      kind: 'outcomes',
      outcomes,
      replayed: false,
      complete: storedOutcomes?.size === records.count,
      counts,
    };
  } finally {
    admitted.end();
  }
}

/**
 * Refuses the call if its plan no longer holds, or if it would remove too many users. Otherwise stores what is approved
 * for each record, and reserves the IDs of what the records insert.
 */
async function approveAndReserve(
  checked: readonly CheckedRecord[],
  { id, key, earlierOutcomes, records, review }: ClaimedCall,
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
 * Stores the failed records, and completes the call if all of its records have outcomes. Returns the stored outcomes.
 * They are read if they may differ from `ownOutcomes`: another node stores outcomes too if it took over an expired lease, and
 * a commit without an answer may have succeeded.
 */
async function completeCall(
  call: ClaimedCall,
  ownOutcomes: ReadonlyMap<number, Outcome>,
  begunAt: number,
  { calls }: ApplyTools,
): Promise<ReadonlyMap<number, Outcome>> {
  const { id, key, unstoredCall, earlierOutcomes, operation, records, actor } = call;
  // A call without a key is not resumed, so each of its outcomes is final.
  const failed = [...ownOutcomes].filter(
    ([, outcome]) => outcome.error && (key === null || isFinal(outcome)),
  );
  const failures = await storedFailures(
    operation,
    failed.map(([position, outcome]) => ({ position, outcome, fields: () => records.fields(position) })),
  );
  const stored = await calls.storeFailures(id, failures, unstoredCall);
  const isCertain = stored.size === failures.length && [...ownOutcomes.values()].every(isFinal);
  const ours = new Map([...earlierOutcomes, ...ownOutcomes]);
  const storedOutcomes =
    isCertain && ours.size === records.count ? ours : await calls.outcomes(id, call.options.callerTags);
  if (storedOutcomes.size === records.count)
    await calls.complete(id, actor, countsOf(call, [...storedOutcomes.values()], begunAt));
  return storedOutcomes;
}

function countsOf(
  { operation, records }: ClaimedCall,
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
