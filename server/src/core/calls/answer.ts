import { ErrorBudget, Faults } from '../faults.ts';
import { type KeptRefusal, keptRefusal } from '../jobs/kept-refusal.ts';
import type { RecordList } from '../json/record-list.ts';
import { type Applicant, isSettled, Line, prepareDrafts } from '../records/apply.ts';
import { checkRecords, positionsOf, recordsAt } from '../records/batch.ts';
import { required } from '../records/draft.ts';
import type { Hasher } from '../records/hashing.ts';
import type { Operation, OperationName } from '../records/operation.ts';
import type { Outcome } from '../records/outcome.ts';
import type { CallLedger, CompletedDetails } from './ledger.ts';

interface AnswerOptions {
  readonly applicant: Applicant;
  readonly hasher: Hasher;
  readonly ledger: CallLedger;
  readonly callId: string;
  /** Whether it was sent with a key, so that every outcome is kept. */
  readonly keyed: boolean;
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
  const { callId, keyed, known, applicant } = options;
  const begunAt = performance.now();
  const all = positionsOf(records);
  const left = all.filter((position) => !known.has(position));
  const drafts = await checkRecords(
    recordsAt(records, left),
    operation,
    operation.newCheck(),
    new ErrorBudget(),
  );
  const positions = new Map(drafts.map((draft, at) => [draft, required(left[at])]));
  const apply = await prepareDrafts(operation, drafts, {
    ...options,
    line: new Line(),
    receiptOf: (draft) => ({ callId, position: required(positions.get(draft)), kept: keyed }),
  });
  const settled = await apply();
  const fresh = new Map<number, Outcome>();
  for (const [at, outcome] of settled.entries()) if (outcome) fresh.set(required(left[at]), outcome);
  options.onOutcomes(operation.name, [...fresh.values()]);
  const detailsOf = (outcomes: readonly Outcome[]) =>
    completedDetails(operation, records, outcomes, performance.now() - begunAt);
  if (!keyed) {
    const outcomes = [...fresh.values()];
    // What was applied is applied, whether or not it can be noted that the call has come to its end.
    await refusalsIn(fresh, records, operation)
      .then((refusals) => options.ledger.note(callId, refusals, applicant.author, detailsOf(outcomes)))
      .catch((error) => applicant.report(error));
    return { outcomes, complete: true };
  }
  const kept = await keepOutcomes(fresh, records, operation, detailsOf, options).catch((error) => {
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
  fresh: ReadonlyMap<number, Outcome>,
  records: RecordList,
  operation: Operation,
  detailsOf: (outcomes: readonly Outcome[]) => CompletedDetails,
  { callId, ledger, applicant }: AnswerOptions,
): Promise<ReadonlyMap<number, Outcome>> {
  const settled = new Map([...fresh].filter(([, outcome]) => isSettled(outcome)));
  await ledger.refuse(callId, await refusalsIn(settled, records, operation));
  const kept = await ledger.outcomes(callId);
  if (kept.size === records.count)
    await ledger.complete(callId, applicant.author, detailsOf([...kept.values()]));
  return kept;
}

async function refusalsIn(
  outcomes: ReadonlyMap<number, Outcome>,
  records: RecordList,
  operation: Operation,
): Promise<KeptRefusal[]> {
  const refusals: KeptRefusal[] = [];
  for (const [position, outcome] of outcomes) {
    if (outcome.refusal === null) continue;
    const fields = await records.fields(position);
    refusals.push(await keptRefusal(position, operation.name, fields, outcome));
  }
  return refusals;
}

function completedDetails(
  operation: Operation,
  records: RecordList,
  outcomes: readonly Outcome[],
  milliseconds: number,
): CompletedDetails {
  const applied = outcomes.filter(({ refusal }) => refusal === null);
  return {
    operation: operation.name,
    records: records.count,
    recordsFailed: records.count - applied.length,
    users: records.users,
    usersApplied: applied.reduce((sum, { users }) => sum + users.length, 0),
    milliseconds: Math.ceil(milliseconds),
  };
}
