import type { ImportConnection } from '../import/calls.ts';
import type { WriteRules } from '../import/records.ts';
import {
  findMissingPrincipals,
  type MissingPrincipal,
  type MissingPrincipals,
  type MissingPrincipalsPolicy,
} from './missing-principals.ts';
import { findMoves, type Moves } from './moves.ts';
import { type ApplyOptions, applyPlan, changesIn, countsOf, type PlanRules } from './plan.ts';
import { type SyncTotals, totalsOfPlan } from './plan-totals.ts';
import { findDisabled, type MissingPolicy, planSync, type SyncPlan } from './sync.ts';
import { problemsOfRecord, type RowProblem, type SyncFile, type SyncRecord } from './sync-file.ts';

interface CompareOptions {
  readonly missing: MissingPolicy;
  readonly missingPrincipals: MissingPrincipalsPolicy;
  readonly similar: WriteRules['similar'];
  /** Applies a record without the users that the service refuses. Otherwise the record fails with all of its users. */
  readonly isPartial: boolean;
  /** Called with the number of compared records. */
  readonly onProgress: (done: number) => void;
}

/** The changes of a sync, and the rows that it leaves as they are. */
export interface Comparison {
  readonly plan: SyncPlan;
  readonly rules: PlanRules;
  /** All errors of a file that cannot be used, because a row that is left out would count as missing; otherwise empty. */
  readonly problems: readonly RowProblem[];
  readonly moves: Moves;
  /** The principals that the file does not have; null if they were not searched, or are not known. */
  readonly gone: MissingPrincipals | null;
  /** Those among them that would be disabled. */
  readonly disables: readonly MissingPrincipal[];
  /** Users of the file that are disabled and stay so; null if they are not known. */
  readonly disabledUsers: readonly string[] | null;
  readonly totals: SyncTotals;
  /** The number of users and principals that would change. */
  readonly size: number;
}

/** The principals that are to be disabled cannot be found. */
export class MissingUnknownError extends Error {
  override name = 'MissingUnknownError';
}

/**
 * Compares a file with the stored data, without writing anything.
 *
 * @throws {MissingUnknownError}
 * @throws {UnsettledPlanError}
 */
export async function compareSync(
  { records, errors }: Pick<SyncFile, 'records' | 'errors'>,
  { missing, missingPrincipals, similar, isPartial, onProgress }: CompareOptions,
  connection: ImportConnection,
): Promise<Comparison> {
  // A file with errors is compared too, to report all of its errors at once. The rows left out are not missing.
  const rules = { missing: errors.length > 0 ? 'keep' : missing, similar, moves: 'allow' } as const;
  const plan = await planSync(records, { rules, isPartial, onProgress }, connection);
  const unusable = [...errors, ...plan.conflicts];
  const problems = unusable.length > 0 ? [...unusable, ...plan.failed, ...plan.leftOut] : [];
  const isSearched = missingPrincipals !== 'keep' && problems.length === 0;
  const gone = isSearched ? await findMissingPrincipals(plan.calls, connection) : null;
  const disablesMissing = isSearched && missingPrincipals === 'disable';
  if (disablesMissing && !gone) throw new MissingUnknownError();
  const disables = disablesMissing ? (gone?.missing ?? []) : [];
  return {
    plan,
    rules,
    problems: problems.toSorted((one, other) => one.line - other.line),
    moves: await findMoves(plan.calls, connection),
    gone,
    disables,
    disabledUsers: problems.length > 0 ? [] : await findDisabled(records, connection),
    totals: totalsOfPlan(plan, { disabled: disables.length }),
    size: changesIn(countsOf(plan.calls)) + disables.length,
  };
}

export interface AppliedSync {
  /** The errors of the records that the service has refused now. */
  readonly failed: readonly RowProblem[];
  readonly failedRecords: readonly SyncRecord[];
}

/** Applies exactly the planned records of a comparison, one call after the other. */
export async function applySync(
  { plan, rules }: Pick<Comparison, 'plan' | 'rules'>,
  options: Pick<ApplyOptions, 'name' | 'wait'>,
  connection: ImportConnection,
): Promise<AppliedSync> {
  const known = new Set(plan.failedRecords);
  const results = await applyPlan(plan.calls, { ...connection, ...options, rules, isSequential: true });
  const failed = results.filter(({ planned }) => !known.has(planned));
  return {
    failed: failed.flatMap(({ planned, errors }) => problemsOfRecord(planned, errors)),
    failedRecords: failed.map(({ planned }) => planned),
  };
}
