import { type Anagrafe, ApiError } from '@anagrafe/client';
import {
  applyPlan,
  type ColumnNamesByField,
  findMissingPrincipals,
  type MissingPrincipals,
  type MissingPrincipalsPolicy,
  type PlanRules,
  planSync,
  problemsOfRecord,
  type RowProblem,
  type SyncPlan,
  type SyncRecord,
} from '@anagrafe/importer';
import { ConfigError } from '../settings/config.ts';
import { LiveLine } from './output/live-line.ts';
import { tell } from './output/output.ts';
import { outdatedPlan } from './sync-report.ts';

/** Returns the active principals that a file does not have, unless they are to be kept without a report. */
export async function findGone(
  records: readonly SyncRecord[],
  policy: MissingPrincipalsPolicy,
  anagrafe: Anagrafe,
): Promise<MissingPrincipals> {
  const nothing = { missing: [], principals: 0, users: 0 };
  if (policy === 'keep') return nothing;
  const found = await findMissingPrincipals(records, { anagrafe });
  if (found) return found;
  const why =
    'Missing principals cannot be found: the API client needs the scope sync:read, or too many are missing.';
  if (policy === 'disable') throw new ConfigError(`${why} Nothing was changed.`);
  tell(why);
  return nothing;
}

/** Plans the records of a file, and shows the progress. */
export async function compare(
  records: readonly SyncRecord[],
  options: Omit<Parameters<typeof planSync>[1], 'onProgress'>,
  anagrafe: Anagrafe,
): Promise<SyncPlan> {
  const line = new LiveLine();
  const about = { state: 'comparing', total: records.length, unit: 'principals', failed: 0 };
  const onProgress = (done: number) => line.show({ ...about, done });
  return planSync(records, { ...options, onProgress }, { anagrafe }).finally(() => line.end());
}

interface Applied {
  readonly problems: readonly RowProblem[];
  /** The records that were not applied. */
  readonly records: readonly SyncRecord[];
}

interface ApplyOptions {
  readonly rules: PlanRules;
  readonly run: string;
  readonly names: ColumnNamesByField;
}

/**
 * Applies a plan, one call after the other. Returns the records that the plan would have applied and that
 * the service has refused, with their errors.
 */
export async function apply(
  plan: SyncPlan,
  { rules, run, names }: ApplyOptions,
  anagrafe: Anagrafe,
): Promise<Applied> {
  const line = new LiveLine();
  let done = 0;
  const failed = await applyPlan(plan.calls, {
    anagrafe,
    rules,
    name: `sync-${run}`,
    isSequential: true,
    async wait(id) {
      const job = await anagrafe.jobs.wait(id, {
        pollMs: 500,
        onProgress: ({ RecordsDone: done, Records: total, RecordsFailed }) =>
          line.show({ state: 'applying', done, total, unit: 'principals', failed: RecordsFailed }),
      });
      line.end();
      done++;
      return job;
    },
  }).catch((error) => {
    throw error instanceof ApiError && error.code === 'PLAN_OUTDATED' ? outdatedPlan(done) : error;
  });
  const refused = failed.filter(({ planned }) => !plan.failedRecords.includes(planned));
  const problems = refused.flatMap(({ planned, errors }) => problemsOfRecord(planned, errors, names));
  return { problems, records: refused.map(({ planned }) => planned) };
}

/** Returns the problems of all rows that were left out, those of records that were left out as a whole among them. */
export function problemsOfAllRows(
  problems: readonly RowProblem[],
  records: readonly SyncRecord[],
): readonly RowProblem[] {
  const numbers = new Set(problems.map(({ number }) => number));
  const others = records.flatMap(({ members }) => members).filter(({ row }) => !numbers.has(row.number));
  const message = 'The principal was left out because another of its rows has an error.';
  return [...problems, ...others.map(({ row: { number, line } }) => ({ number, line, message }))];
}
