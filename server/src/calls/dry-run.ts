import { inGroups } from '../jobs/chunk-planner.ts';
import type { RecordList } from '../json/record-list.ts';
import { ErrorBudget } from '../lib/field-errors.ts';
import type { Hasher } from '../passwords/hash-pool.ts';
import { passwordsOf } from '../records/apply.ts';
import { checkRecords, positionsOf, recordsAt } from '../records/batch.ts';
import type { Operation } from '../records/operation.ts';
import { applied, mainError, type Outcome, refused } from '../records/outcome.ts';
import type { ParsedRecord } from '../records/parsed-record.ts';

/** Number of users per group. The records of a group are checked with one set of queries. */
const usersPerGroup = 500;

/** The expected effect and duration of a call. */
export interface Estimate {
  readonly register: number;
  readonly reset: number;
  readonly recordsFailed: number;
  readonly seconds: number;
}

/** Runs all checks of a call without hashing or writing. */
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
  const groups = inGroups(positionsOf(records), usersPerGroup, (position) => records.usersOf(position));
  for (const positions of groups) {
    const parsedRecords = await checkRecords(recordsAt(records, positions), operation, check, budget);
    for (const parsed of parsedRecords) {
      outcomes.push(expectedOutcome(parsed));
      if (!parsed.errors.none) continue;
      const resets = parsed.users.filter((item) => item.operation === 'reset').length;
      reset += resets;
      register += parsed.users.length - resets;
      passwords += passwordsOf(parsed);
    }
  }
  const recordsFailed = outcomes.filter((outcome) => outcome.error !== null).length;
  const seconds = tools.hasher.estimateSeconds(tools.share, passwords);
  return { outcomes, estimate: { register, reset, recordsFailed, seconds } };
}

function expectedOutcome(parsed: ParsedRecord): Outcome {
  if (parsed.errors.none) return applied(parsed.sentId, [], parsed);
  return refused(parsed, mainError(parsed.errors, 'dry'));
}
