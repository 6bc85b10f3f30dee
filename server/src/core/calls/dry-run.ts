import { ErrorBudget } from '../faults.ts';
import type { RecordList } from '../json/record-list.ts';
import { passwordsOf } from '../records/apply.ts';
import { checkRecords, positionsOf, recordsAt } from '../records/batch.ts';
import type { Draft } from '../records/draft.ts';
import type { Hasher } from '../records/hashing.ts';
import type { Operation } from '../records/operation.ts';
import { applied, type Outcome, refused } from '../records/outcome.ts';
import { inSlices } from '../records/slices.ts';

/** So many users are looked up at once. */
const usersInSlice = 500;

/** What a call would do. */
export interface Estimate {
  readonly register: number;
  readonly reset: number;
  readonly recordsFailed: number;
  readonly seconds: number;
}

/** Every check of a call, and nothing else: nothing is hashed, nothing is written. */
export async function dryRun(
  records: RecordList,
  operation: Operation,
  tools: { hasher: Hasher; share: string },
): Promise<{ outcomes: Outcome[]; estimate: Estimate }> {
  const check = operation.newCheck();
  const budget = new ErrorBudget();
  const outcomes: Outcome[] = [];
  let register = 0;
  let reset = 0;
  let passwords = 0;
  const slices = inSlices(positionsOf(records), usersInSlice, (position) => records.usersOf(position));
  for (const positions of slices) {
    const drafts = await checkRecords(recordsAt(records, positions), operation, check, budget);
    for (const draft of drafts) {
      outcomes.push(wouldBe(draft));
      if (!draft.faults.none) continue;
      const resets = draft.users.filter((item) => item.operation === 'reset').length;
      reset += resets;
      register += draft.users.length - resets;
      passwords += passwordsOf(draft);
    }
  }
  const recordsFailed = outcomes.filter((outcome) => outcome.refusal !== null).length;
  const seconds = tools.hasher.estimateSeconds(tools.share, passwords);
  return { outcomes, estimate: { register, reset, recordsFailed, seconds } };
}

function wouldBe(draft: Draft): Outcome {
  return draft.faults.none ? applied(draft.sentId, [], draft) : refused(draft);
}
