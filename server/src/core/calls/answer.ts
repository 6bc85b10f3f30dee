import { Faults } from '../faults.ts';
import { type KeptRefusal, keptRefusal } from '../jobs/kept-refusal.ts';
import type { Journal } from '../journal/journal.ts';
import type { RecordList } from '../json/record-list.ts';
import { type Applicant, isSettled, Line, prepareDrafts } from '../records/apply.ts';
import { positionsOf, readDrafts, recordsAt } from '../records/batch.ts';
import { required } from '../records/draft.ts';
import type { Hasher } from '../records/hashing.ts';
import type { Operation, OperationName } from '../records/operation.ts';
import type { Outcome } from '../records/outcome.ts';
import type { CallLedger } from './ledger.ts';

interface AnswerOptions {
  readonly applicant: Applicant;
  readonly hasher: Hasher;
  readonly ledger: CallLedger;
  readonly journal: Journal;
  /** Under which outcomes are kept; null for a call without a key. */
  readonly callId: string | null;
  /** What has been done before, by position. */
  readonly known: ReadonlyMap<number, Outcome>;
  onOutcomes(operation: OperationName, outcomes: readonly Outcome[]): void;
}

interface Answered {
  /** One per record. */
  readonly outcomes: readonly Outcome[];
  /** Whether every one of them is the last word, and is kept where it should be. */
  readonly complete: boolean;
}

/** Check, hash, write: every fault is found before the first password is hashed. */
export async function answerCall(
  records: RecordList,
  operation: Operation,
  options: AnswerOptions,
): Promise<Answered> {
  const { callId, known, applicant } = options;
  const all = positionsOf(records);
  const left = all.filter((position) => !known.has(position));
  const drafts = await readDrafts(recordsAt(records, left), operation);
  await operation.newCheck().run(drafts);
  const positions = new Map(drafts.map((draft, at) => [draft, required(left[at])]));
  const apply = await prepareDrafts(operation, drafts, {
    ...options,
    line: new Line(),
    receiptOf: callId === null ? null : (draft) => ({ callId, position: required(positions.get(draft)) }),
  });
  const settled = await apply();
  const fresh = new Map<number, Outcome>();
  for (const [at, outcome] of settled.entries()) if (outcome) fresh.set(required(left[at]), outcome);
  options.onOutcomes(operation.name, [...fresh.values()]);
  if (callId === null) {
    const outcomes = [...fresh.values()];
    const details = completedDetails(operation, records, outcomes);
    // What was applied is applied, whether or not it can be noted that the call has come to its end.
    await options.journal
      .note(applicant.author, { action: 'call.completed', details })
      .catch((error) => applicant.report(error));
    return { outcomes, complete: true };
  }
  const kept = await keepOutcomes(callId, fresh, records, operation, options).catch((error) => {
    // The records are written all the same, and whoever sends the call again finds out which.
    applicant.report(error);
    return null;
  });
  const outcomes = all.map(
    (position) => kept?.get(position) ?? known.get(position) ?? fresh.get(position) ?? unknown(),
  );
  return { outcomes, complete: kept?.size === records.count };
}

/** Of a record that somebody else has settled, where what they wrote could not be read. */
function unknown(): Outcome {
  return { id: null, refusal: { code: 'OUTCOME_UNKNOWN' }, faults: new Faults(), users: [] };
}

/** What is kept is what counts: another node may have gone on with a call that seemed to have been given up. */
async function keepOutcomes(
  callId: string,
  fresh: ReadonlyMap<number, Outcome>,
  records: RecordList,
  operation: Operation,
  { ledger, applicant }: AnswerOptions,
): Promise<ReadonlyMap<number, Outcome>> {
  const refusals: KeptRefusal[] = [];
  for (const [position, outcome] of fresh) {
    if (outcome.refusal === null || !isSettled(outcome)) continue;
    const fields = await records.fields(position);
    refusals.push(await keptRefusal(position, operation.name, fields, outcome));
  }
  await ledger.refuse(callId, refusals);
  const kept = await ledger.outcomes(callId);
  if (kept.size === records.count)
    await ledger.complete(callId, applicant.author, completedDetails(operation, records, [...kept.values()]));
  return kept;
}

function completedDetails(operation: Operation, records: RecordList, outcomes: readonly Outcome[]) {
  const applied = outcomes.filter(({ refusal }) => refusal === null);
  return {
    operation: operation.name,
    records: records.count,
    recordsFailed: records.count - applied.length,
    users: records.users,
    usersApplied: applied.reduce((sum, { users }) => sum + users.length, 0),
  };
}
