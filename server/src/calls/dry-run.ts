import type { RecordList } from '../json/record-list.ts';
import { ErrorBudget } from '../lib/field-errors.ts';
import { inGroups } from '../lib/in-groups.ts';
import { required } from '../lib/required.ts';
import type { HashPool } from '../passwords/hash-pool.ts';
import { type CheckedRecord, checkRecords, positionsOf, recordsAt } from '../records/check/batch.ts';
import type { Operation } from '../records/check/operation.ts';
import type { PlanReview } from '../records/check/plan.ts';
import { hashesNeededBy } from '../records/operations/apply.ts';
import { EffectCounter, type EffectCounts, isUnchangedOutcome } from '../records/read/effect-counts.ts';
import { outcomeOf, resetUsers } from '../records/write/change.ts';
import { type IndexedOutcome, mainError, type Outcome, refused } from '../records/write/outcome.ts';

/** Number of users per group. The records of a group are checked with one set of queries. */
const usersPerGroup = 500;

/** The expected effect and duration of a call. */
export interface Estimate {
  readonly register: number;
  readonly reset: number;
  readonly recordsFailed: number;
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

export interface DryRun {
  /** One outcome per record, in the order sent. With `selected`, they have no users. */
  readonly outcomes: readonly Outcome[];
  readonly estimate: Estimate;
  /** The selected outcomes, with their users; null if all outcomes are returned. */
  readonly selected: SelectedOutcomes | null;
}

interface DryRunTools {
  readonly hasher: HashPool;
  readonly share: string;
  /** Null if the operation has no plan. */
  readonly review: PlanReview | null;
  /** Null to return the tuples of all records. */
  readonly page: DryRunPage | null;
  /** True if the answer contains the users of the records. Otherwise they are not kept in memory. */
  readonly withUsers: boolean;
  holdMemory(bytes: number): void;
}

/** Runs all checks of a call without hashing or writing. */
export async function dryRun(records: RecordList, operation: Operation, tools: DryRunTools): Promise<DryRun> {
  const { review, page, withUsers } = tools;
  const check = operation.newCheck({ showsChanges: withUsers });
  const budget = new ErrorBudget();
  const holdMemory = withUsers ? tools.holdMemory : undefined;
  const outcomes: Outcome[] = [];
  const selected: IndexedOutcome[] = [];
  const counter = new EffectCounter();
  let totalCount = 0;
  let register = 0;
  let reset = 0;
  let passwords = 0;
  const first = page?.pageSize ? page.pageSize * (page.page - 1) : 0;
  const end = page?.pageSize ? first + page.pageSize : Number.POSITIVE_INFINITY;
  const groups = inGroups(positionsOf(records), usersPerGroup, (position) => records.usersOf(position));
  for (const positions of groups) {
    const checked = await checkRecords(recordsAt(records, positions), operation, check, budget, holdMemory);
    for (const [at, record] of checked.entries()) {
      const position = required(positions[at]);
      review?.add(record, records.text(position));
      const outcome = expectedOutcome(record, operation);
      counter.add(outcome);
      const isSelected = !page?.changedOnly || !isUnchangedOutcome(outcome);
      const kept = withUsers ? outcome : { ...outcome, users: [] };
      outcomes.push(page ? { ...kept, users: [] } : kept);
      if (page && isSelected && totalCount >= first && totalCount < end) selected.push({ ...kept, position });
      if (isSelected) totalCount++;
      register += record.change?.registrations.length ?? 0;
      reset += record.change ? resetUsers(record.change).length : 0;
      passwords += hashesNeededBy(record.change);
    }
  }
  const recordsFailed = outcomes.filter((outcome) => outcome.error !== null).length;
  const seconds = tools.hasher.estimateSeconds(tools.share, passwords);
  const plan = review?.finish({ dryRun: true }) ?? null;
  const planned = plan === null ? null : { plan, counts: counter.counts };
  return {
    outcomes,
    estimate: { register, reset, recordsFailed, seconds, planned },
    selected: page && { ...page, outcomes: selected, totalCount },
  };
}

function expectedOutcome({ parsed, change }: CheckedRecord, operation: Operation): Outcome {
  if (!change) return refused(parsed, mainError(parsed.errors, 'dry'));
  // Only an upsert reports its effects in a dry run.
  if (operation.name !== 'upsert')
    return { id: parsed.sentId, error: null, errors: parsed.errors, users: [] };
  return { ...outcomeOf(change, parsed.errors), changes: change.changes ?? [] };
}
