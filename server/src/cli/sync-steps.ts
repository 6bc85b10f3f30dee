import { ApiError } from '@anagrafe/client';
import {
  applyPlan,
  changesIn,
  findMissingPrincipals,
  type ImportConnection,
  type MissingPrincipals,
  type MissingPrincipalsPolicy,
  type PlannedCall,
  type PlanRules,
  planSync,
  problemsOfRecord,
  type RowProblem,
  type SyncPlan,
  type SyncRecord,
  UnsettledPlanError,
} from '@anagrafe/importer';
import { ConfigError } from '../settings/config.ts';
import { LiveLine } from './output/live-line.ts';
import { tell } from './output/output.ts';
import { outdatedPlan } from './sync-report.ts';

/** Returns the active principals that a file does not have, unless they are to be kept without a report. */
export async function findGone(
  { calls }: SyncPlan,
  policy: MissingPrincipalsPolicy,
  connection: ImportConnection,
): Promise<MissingPrincipals> {
  const nothing = { missing: [], principals: 0, users: 0 };
  if (policy === 'keep') return nothing;
  const found = await findMissingPrincipals(calls, connection);
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
  connection: ImportConnection,
): Promise<SyncPlan> {
  const line = new LiveLine();
  const about = { state: 'comparing', total: records.length, unit: 'principals', failed: 0 };
  const onProgress = (done: number) => line.show({ ...about, done });
  return planSync(records, { ...options, onProgress }, connection)
    .catch((error) => {
      throw error instanceof UnsettledPlanError
        ? new ConfigError(
            'The changes could not be planned, because the answers of the service kept changing. Nothing was changed. Run the command again.',
          )
        : error;
    })
    .finally(() => line.end());
}

interface Applied {
  readonly problems: readonly RowProblem[];
  /** The records that were not applied. */
  readonly records: readonly SyncRecord[];
}

interface ApplyOptions {
  readonly rules: PlanRules;
  readonly run: string;
  /** Called with the ID of each job, when the service has accepted it. */
  readonly onJob: (id: string) => void;
  /** Called with the calls that were applied, before the error of a plan that does not hold any more is thrown. */
  readonly onOutdated: (applied: readonly PlannedCall[]) => Promise<void>;
}

/**
 * Applies a plan, one call after the other. Returns the records that the plan would have applied and that
 * the service has refused, with their errors.
 */
export async function apply(
  plan: SyncPlan,
  { rules, run, onJob, onOutdated }: ApplyOptions,
  { anagrafe, signal }: ImportConnection,
): Promise<Applied> {
  const line = new LiveLine();
  let done = 0;
  const failed = await applyPlan(plan.calls, {
    anagrafe,
    signal,
    rules,
    name: `sync-${run}`,
    isSequential: true,
    async wait(id) {
      onJob(id);
      const job = await anagrafe.jobs.wait(id, {
        pollMs: 500,
        signal,
        onProgress: ({ RecordsDone: done, Records: total, RecordsFailed }) =>
          line.show({ state: 'applying', done, total, unit: 'principals', failed: RecordsFailed }),
      });
      line.end();
      done++;
      return job;
    },
  })
    .catch(async (error) => {
      if (!(error instanceof ApiError && error.code === 'PLAN_OUTDATED')) throw error;
      await onOutdated(plan.calls.filter(({ counts }) => changesIn(counts) > 0).slice(0, done));
      throw outdatedPlan(done);
    })
    .finally(() => line.end());
  const known = new Set(plan.failedRecords);
  const refused = failed.filter(({ planned }) => !known.has(planned));
  const problems = refused.flatMap(({ planned, errors }) => problemsOfRecord(planned, errors));
  return { problems, records: refused.map(({ planned }) => planned) };
}
