import type { Caller } from '../access/access.ts';
import { Refusal } from '../faults.ts';
import { isUuid } from '../fields/fields.ts';
import type { Author } from '../journal/journal.ts';
import type { OperationName } from '../records/operation.ts';
import type { PlacedOutcome } from '../records/outcome.ts';
import type { FailedRecord } from './retry-kit.ts';

export type JobState = 'queued' | 'running' | 'completed' | 'cancelled';

export interface Job {
  readonly id: string;
  /** Null for one that was sent in protected mode. */
  readonly clientId: number | null;
  readonly state: JobState;
  readonly operation: OperationName;
  readonly records: number;
  readonly recordsDone: number;
  readonly recordsFailed: number;
  readonly users: number;
  /** The users of the records that are done, failed ones included. */
  readonly usersDone: number;
  readonly usersApplied: number;
  readonly submittedAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
}

export interface Page {
  readonly page: number;
  readonly pageSize: number;
}

/** Which jobs, and what page of them. */
export interface JobListing extends Page {
  /** Only those that have not ended: the running ones first, then in the order in which they wait. */
  readonly openOnly?: boolean;
  /** Only those of which at least one record was not applied so far. */
  readonly failedOnly?: boolean;
}

export interface OutcomePage extends Page {
  readonly failedOnly: boolean;
  /** Whether the users of applied records are asked for; there may be a great many. */
  readonly withUsers: boolean;
}

export interface JobPage {
  readonly job: Job;
  readonly outcomes: readonly PlacedOutcome[];
}

/** What is read of jobs, and the one thing that can be done to them. */
export interface JobStore {
  find(id: string): Promise<Job | null>;
  /** The newest first, unless only open ones are asked for; of all clients where none is named. */
  list(owner: JobOwner, listing: JobListing): Promise<{ jobs: Job[]; totalCount: number }>;
  /** A job with a page of its outcomes, both as they were at one moment. */
  read(id: string, page: OutcomePage): Promise<JobPage | null>;
  failed(id: string): AsyncIterable<FailedRecord>;
  /** Has what has not begun left undone. */
  cancel(id: string, author: Author): Promise<void>;
}

/** Whose jobs: those of one client (null: of protected mode), or of everyone. */
export type JobOwner = { readonly clientId: number | null } | 'everyone';

export function jobsSeenBy(caller: Caller): JobOwner {
  return caller.scopes.has('admin') ? 'everyone' : { clientId: caller.clientId };
}

/** A job that the caller may see; another's is answered as one that does not exist. */
export async function findJob(id: string, caller: Caller, store: JobStore): Promise<Job> {
  const job = isUuid(id) ? await store.find(id) : null;
  if (!job || !sees(caller, job)) throw new Refusal('JOB_NOT_FOUND');
  return job;
}

/** The same with a page of its outcomes. */
export async function readJob(
  id: string,
  page: OutcomePage,
  caller: Caller,
  store: JobStore,
): Promise<JobPage> {
  const found = isUuid(id) ? await store.read(id, page) : null;
  if (!found || !sees(caller, found.job)) throw new Refusal('JOB_NOT_FOUND');
  return found;
}

function sees(caller: Caller, job: Job): boolean {
  const owner = jobsSeenBy(caller);
  return owner === 'everyone' || owner.clientId === job.clientId;
}

/** How fast a job goes, and when it should be done; null where that cannot be said. */
export function paceOf(job: Job, now: Date): { usersPerSecond: number | null; estimatedEnd: Date | null } {
  if (!job.startedAt) return { usersPerSecond: null, estimatedEnd: null };
  const seconds = ((job.endedAt ?? now).getTime() - job.startedAt.getTime()) / 1000;
  const rate = seconds > 0 ? job.usersApplied / seconds : 0;
  const usersPerSecond = Math.round(rate * 10) / 10;
  const left = job.users - job.usersDone;
  const known = job.state === 'running' && rate > 0;
  return { usersPerSecond, estimatedEnd: known ? new Date(now.getTime() + (left / rate) * 1000) : null };
}
