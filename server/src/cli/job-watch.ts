import type { Job } from '@anagrafe/client';
import { type ConnectionOptions, reach } from './connection.ts';
import { grouped, LiveLine, type Standing } from './live-line.ts';
import { exitCodes, print, tell } from './output.ts';

const pollMs = 500;

/** Shows how a job goes until it ends; whoever has enough before that leaves it to itself. */
export async function watchJob(
  id: string,
  { json, ...options }: ConnectionOptions & { json?: boolean },
): Promise<void> {
  const { anagrafe } = await reach(options);
  const line = new LiveLine();
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  process.once('SIGINT', leave);
  try {
    const onProgress = (job: Job) => line.show(standingOf(job));
    const job = await anagrafe.jobs.wait(id, { onProgress, pollMs, signal: leaving.signal });
    line.end();
    const whole = job.RecordsFailed === 0 && job.State === 'completed';
    process.exitCode = whole ? exitCodes.done : exitCodes.someFailed;
    if (json) print(JSON.stringify(job));
    else tell(inWords(job));
  } catch (error) {
    line.end();
    if (!leaving.signal.aborted) throw error;
    process.exitCode = exitCodes.interrupted;
    tell(`The job goes on; "anagrafe job watch ${id}" shows it again.`);
  } finally {
    process.off('SIGINT', leave);
  }
}

/** Users are what takes time; a job of states may have none. */
export function standingOf(job: Job): Standing {
  const { State: state, RecordsFailed: failed } = job;
  if (job.Users > 0) return { state, done: job.UsersDone, total: job.Users, unit: 'users', failed };
  return { state, done: job.RecordsDone, total: job.Records, unit: 'records', failed };
}

function inWords({ ID, State, Records, RecordsFailed }: Job): string {
  const applied = `${grouped(Records - RecordsFailed)} of ${grouped(Records)} records`;
  const ended = `Job ${ID} is ${State}: ${applied} were applied.`;
  return RecordsFailed === 0 ? ended : `${ended} "anagrafe job failed ${ID}" has the others.`;
}
