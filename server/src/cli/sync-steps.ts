import { type Anagrafe, ApiError } from '@anagrafe/client';
import {
  type AppliedSync,
  applySync,
  type Comparison,
  changesIn,
  compareSync,
  MissingUnknownError,
  type PlannedCall,
  type SyncFile,
  UnsettledPlanError,
} from '@anagrafe/importer';
import { ConfigError } from '../settings/config.ts';
import { LiveLine } from './output/live-line.ts';
import { missingUnknown, outdatedPlan } from './sync-report.ts';

/** Compares a file with the stored data, and shows the progress. */
export async function compare(
  file: SyncFile,
  options: Omit<Parameters<typeof compareSync>[1], 'onProgress'>,
  connection: Parameters<typeof compareSync>[2],
): Promise<Comparison> {
  const line = new LiveLine();
  const about = { state: 'comparing', total: file.records.length, unit: 'principals', failed: 0 };
  const onProgress = (done: number) => line.show({ ...about, done });
  return compareSync(file, { ...options, onProgress }, connection)
    .catch((error) => {
      if (error instanceof MissingUnknownError)
        throw new ConfigError(`${missingUnknown} Nothing was changed.`);
      if (error instanceof UnsettledPlanError)
        throw new ConfigError(
          'The changes could not be planned, because the answers of the service kept changing. Nothing was changed. Run the command again.',
        );
      throw error;
    })
    .finally(() => line.end());
}

interface ApplyOptions {
  readonly name: string;
  /** Called with the ID of each job, when the service has accepted it. */
  readonly onJob: (id: string) => void;
  /** Called with the calls that were applied, before the error of a plan that does not hold any more is thrown. */
  readonly onOutdated: (applied: readonly PlannedCall[]) => Promise<void>;
}

/** Applies the plan of a comparison, and shows the progress. */
export async function apply(
  comparison: Comparison,
  { name, onJob, onOutdated }: ApplyOptions,
  { anagrafe, signal }: { readonly anagrafe: Anagrafe; readonly signal: AbortSignal },
): Promise<AppliedSync> {
  const line = new LiveLine();
  let applied = 0;
  const wait = async (id: string) => {
    onJob(id);
    const job = await anagrafe.jobs.wait(id, {
      pollMs: 500,
      signal,
      onProgress: ({ RecordsDone: done, Records: total, RecordsFailed }) =>
        line.show({ state: 'applying', done, total, unit: 'principals', failed: RecordsFailed }),
    });
    line.end();
    applied++;
    return job;
  };
  return applySync(comparison, { name, wait }, { anagrafe, signal })
    .catch(async (error) => {
      if (!(error instanceof ApiError && error.code === 'PLAN_OUTDATED')) throw error;
      const { calls } = comparison.plan;
      await onOutdated(calls.filter(({ counts }) => changesIn(counts) > 0).slice(0, applied));
      throw outdatedPlan(applied);
    })
    .finally(() => line.end());
}
