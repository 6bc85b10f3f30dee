import type { Anagrafe } from '@anagrafe/client';
import { commandLine } from '../lib/operator-error.ts';
import { type ConnectionOptions, connectionArguments } from './connection.ts';
import { exitCodes, Interrupted, tell } from './output/output.ts';

interface Interruption {
  /** Aborts with `Interrupted` after SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** Ends the handling of the signals, which then end the process at once. */
  end(): void;
}

/** Handles SIGINT and SIGTERM until `end` is called. */
export function interruptible(): Interruption {
  const controller = new AbortController();
  const stopBy = (code: number) => () => controller.abort(new Interrupted(code));
  const [onInterrupt, onTerminate] = [stopBy(exitCodes.interrupted), stopBy(exitCodes.terminated)];
  process.on('SIGINT', onInterrupt).on('SIGTERM', onTerminate);
  return {
    signal: controller.signal,
    end() {
      process.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate);
    },
  };
}

/** Runs work that SIGINT and SIGTERM abort. `onInterrupted` explains what was done. */
export async function interruptibly<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  onInterrupted: () => void | Promise<void>,
): Promise<Result> {
  const { signal, end } = interruptible();
  try {
    return await work(signal);
  } catch (error) {
    if (error instanceof Interrupted) await onInterrupted();
    throw error;
  } finally {
    end();
  }
}

/** Time to ask the service which jobs have ended. */
const stateMs = 2000;

/** Returns the jobs that have not ended and are not cancelled. One whose state cannot be read is among them. */
async function openAmong(jobs: readonly string[], anagrafe: Anagrafe): Promise<string[]> {
  const signal = AbortSignal.timeout(stateMs);
  const isOpen = await Promise.all(
    jobs.map(async (id) => {
      const answer = await anagrafe.jobs.get(id, { pageSize: 1, signal }).catch(() => null);
      return answer === null || (answer.record.EndedAt === null && answer.record.State !== 'cancelled');
    }),
  );
  return jobs.filter((_, index) => isOpen[index]);
}

/** Names the jobs that have not ended, which the service completes without this command. */
export async function tellOpenJobs(
  submitted: readonly string[],
  anagrafe: Anagrafe,
  options: ConnectionOptions,
): Promise<void> {
  const jobs = await openAmong(submitted, anagrafe);
  if (jobs.length === 0) return;
  const names = `${jobs.length === 1 ? 'job' : 'jobs'} ${jobs.join(', ')}`;
  tell(`The service completes the rows that were already sent, in ${names}. To cancel:`);
  for (const job of jobs)
    tell(`  ${[commandLine(`job cancel ${job}`), ...connectionArguments(options)].join(' ')}`);
}
