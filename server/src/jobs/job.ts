import type { Caller } from '../clients/access.ts';
import type { CallerTags } from '../db/visibility.ts';
import type { OperationName } from '../records/parse/parsed-record.ts';
import type { EffectCounts } from '../records/read/effect-counts.ts';

type JobState = 'queued' | 'running' | 'completed' | 'cancelled';

export interface Job {
  readonly id: string;
  /** Null for a job that was submitted in protected mode. */
  readonly clientId: number | null;
  readonly state: JobState;
  readonly operation: OperationName;
  readonly records: number;
  readonly recordsDone: number;
  readonly recordsFailed: number;
  readonly users: number;
  /** Number of users of the records that have an outcome, failed records included. */
  readonly usersDone: number;
  readonly usersApplied: number;
  /** Number of users applied until `recentAt`, each weighted by `weightAfter` its age then. */
  readonly recentUsers: number;
  /** The end of the last chunk; null before that. */
  readonly recentAt: Date | null;
  readonly submittedAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  /** The effects of an upsert; null before it has ended, and for other operations. */
  readonly counts: EffectCounts | null;
}

/** Selects the jobs that a caller sees. */
export interface JobOwner {
  /** Selects those of one client (null: those submitted in protected mode). */
  readonly clientId: number | null | 'any';
  readonly callerTags: CallerTags;
}

export function jobsSeenBy(caller: Caller): JobOwner {
  const clientId = caller.permissions.has('admin.read') ? 'any' : caller.clientId;
  return { clientId, callerTags: caller.tags };
}

/** Time constant in seconds of the exponentially weighted speed of a job. */
export const paceSeconds = 60;

/**
 * Computes the speed of a job and its estimated end. Null means that it cannot be computed. The speed of an open job is
 * that of about the last minute, so that an interruption does not affect it for long. Before the end of the first chunk,
 * and after the end of the job, it is the average.
 */
export function paceOf(job: Job, now: Date): { usersPerSecond: number | null; estimatedEnd: Date | null } {
  if (!job.startedAt) return { usersPerSecond: null, estimatedEnd: null };
  const rate =
    job.endedAt || job.recentAt === null
      ? averageRate(job, job.startedAt, job.endedAt ?? now)
      : recentRate(job, job.startedAt, job.recentAt, now);
  const usersPerSecond = Math.round(rate * 10) / 10;
  const left = job.users - job.usersDone;
  const known = job.state === 'running' && rate > 0;
  return { usersPerSecond, estimatedEnd: known ? new Date(now.getTime() + (left / rate) * 1000) : null };
}

function averageRate({ usersApplied }: Job, startedAt: Date, endedAt: Date): number {
  const seconds = secondsBetween(startedAt, endedAt);
  return seconds > 0 ? usersApplied / seconds : 0;
}

/** The weights of all moments since the start add up to `paceSeconds * (1 - weightAfter(seconds since the start))`. */
function recentRate({ recentUsers }: Job, startedAt: Date, recentAt: Date, now: Date): number {
  const seconds = secondsBetween(startedAt, now);
  if (seconds <= 0) return 0;
  const users = recentUsers * weightAfter(secondsBetween(recentAt, now));
  return users / paceSeconds / (1 - weightAfter(seconds));
}

function weightAfter(seconds: number): number {
  return Math.exp(-Math.max(seconds, 0) / paceSeconds);
}

function secondsBetween(start: Date, end: Date): number {
  return (end.getTime() - start.getTime()) / 1000;
}
