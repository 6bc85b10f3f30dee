import { openAuditLog } from '../audit/audit.store.ts';
import type { Actor } from '../audit/audit-log.ts';
import type { Database } from '../db/database.ts';
import { storeWithApiErrors } from '../db/errors.ts';
import { type Page, readGroup } from '../db/paging.ts';
import { type CallerTags, seesCaller } from '../db/visibility.ts';
import { ApiError } from '../lib/field-errors.ts';
import type { Queue } from '../queue/queue.ts';
import {
  failedRecords,
  listedOutcomeColumns,
  type OutcomeRow,
  outcomeColumnsWithoutUsers,
  toOutcomes,
} from '../records/write/call-outcomes.store.ts';
import type { IndexedOutcome } from '../records/write/outcome.ts';
import { enqueueChunks, type QueuedChunk } from './chunk-queue.ts';
import { outcomeCounts } from './chunks.store.ts';
import type { Job, JobOwner } from './job.ts';

export type JobStore = ReturnType<typeof openJobStore>;

export interface JobListing extends Page {
  /** Selects jobs that have not ended: running jobs first, then the others in queue order. */
  readonly openOnly?: boolean;
  readonly failedOnly?: boolean;
}

interface OutcomePage extends Page {
  readonly failedOnly: boolean;
  /** True to include the users of applied records, of which there may be very many. */
  readonly withUsers: boolean;
}

/** The stored counts have the records of no chunk and of the chunks that have ended; `chunksInProgress` has the others. */
const jobColumns = `
  id, client_id as "clientId", operation, job.records, job.users,
  case when cancelled_at is null then state else 'cancelled' end as state,
  submitted_at as "submittedAt", started_at as "startedAt", ended_at as "endedAt", counts,
  recent_users as "recentUsers", recent_at as "recentAt",
  records_done + counted.records as "recordsDone", records_failed + counted.failed as "recordsFailed",
  case when ended_at is null then users_done + counted.users else job.users end as "usersDone",
  users_applied + counted.applied as "usersApplied"`;

/** Larger chunks, which have many records of one principal, count when they end: a poll must not read many outcomes. */
const recordsCounted = 5000;

const chunksInProgress = `
  cross join lateral (
    select array(select unnest(positions) from anagrafe.chunks
                  where call_id = job.id and attempts > 0 and cardinality(positions) <= ${recordsCounted}) as positions
  ) as started
  cross join lateral (
    select ${outcomeCounts} from anagrafe.outcomes
     where job.ended_at is null and call_id = job.id and position = any(started.positions)
  ) as counted`;

/** The stored number does not contain the chunks in progress, so the condition searches their outcomes. */
const hasFailed = `and (records_failed > 0 or ended_at is null and exists (
  select from anagrafe.outcomes where call_id = job.id and error is not null))`;

const newestFirst = 'submitted_at desc, id';
/**
 * Queue order. Cancelled jobs precede waiting ones, because `cancel` moves their chunks to the head of the queue. The
 * chunk with the lowest number has the lowest turn of its job.
 */
const nextFirst = `state <> 'running', cancelled_at is null, started_at,
  (select turn from anagrafe.chunks where call_id = job.id order by number limit 1), submitted_at, id`;

/** A job of another client gets the same error as a missing one. */
export function openJobStore(database: Database, queue: Queue) {
  const store = storeWithApiErrors({
    async find(id: string, owner: JobOwner): Promise<Job> {
      const [job] = await database.query<Job>(
        `select ${jobColumns} from anagrafe.calls as job ${chunksInProgress} where is_job and id = $3 and ${ownedBy(owner)}`,
        [...ownerValues(owner), id],
      );
      if (!job) throw new ApiError('JOB_NOT_FOUND');
      return job;
    },
    /** Lists the newest jobs first, unless `openOnly` is set. */
    async list(owner: JobOwner, { page, pageSize, openOnly, failedOnly }: JobListing) {
      const values = ownerValues(owner);
      const which = `from anagrafe.calls as job where is_job and ${ownedBy(owner)}
        ${openOnly ? 'and ended_at is null' : ''} ${failedOnly ? hasFailed : ''}`;
      const order = openOnly ? nextFirst : newestFirst;
      const [counted, jobs] = await Promise.all([
        database.query<{ total: number }>(`select count(*) as total ${which}`, values),
        database.query<Job>(
          `select ${jobColumns}
             from (select * ${which}
                    order by ${order} limit ${pageSize} offset ${pageSize * (page - 1)}) as job
                  ${chunksInProgress}
            order by ${order}`,
          values,
        ),
      ]);
      return { jobs, totalCount: counted[0]?.total ?? 0 };
    },
    /**
     * Returns a job with the positions of a page of its outcomes, in ascending order, and the outcomes, which are read in
     * groups, so that a page is not held in memory as a whole. One statement reads the counts and the positions, so that they
     * agree while the job runs.
     */
    async read(id: string, owner: JobOwner, { page, pageSize, failedOnly, withUsers }: OutcomePage) {
      const [found] = await database.query<Job & ListedRecords>(
        `select ${jobColumns}, listed.*
           from anagrafe.calls as job ${chunksInProgress}
                cross join lateral (
                  select coalesce(array_agg(position order by position), '{}') as positions,
                         array_agg(users order by position) as "usersOfRecords"
                    from (select position, users from anagrafe.outcomes
                           where call_id = job.id ${failedOnly ? 'and error is not null' : ''}
                           order by position limit $4 offset $5) as outcome) as listed
          where is_job and id = $3 and ${ownedBy(owner)}`,
        [...ownerValues(owner), id, pageSize, pageSize * (page - 1)],
      );
      if (!found) throw new ApiError('JOB_NOT_FOUND');
      const { positions, usersOfRecords, ...job } = found;
      const listed = { positions, usersOfRecords };
      const { callerTags } = owner;
      return { job, positions, outcomes: readOutcomes(database, { id, withUsers, callerTags }, listed) };
    },
    /**
     * Cancels the records that are not yet in progress. Does nothing if the job has ended. Enqueues the remaining chunks again
     * with turn 0, so that they end now and not when their turn comes.
     */
    cancel: (id: string, actor: Actor) =>
      database.transaction(async (connection) => {
        const cancelled = await connection.query(
          `update anagrafe.calls set cancelled_at = now()
            where id = $1 and is_job and ended_at is null and cancelled_at is null returning id`,
          [id],
        );
        if (cancelled.length === 0) return;
        await openAuditLog(connection).note(actor, { action: 'job.cancelled', callId: id });
        const waiting = await connection.query<{ number: number }>(
          'select number from anagrafe.chunks where call_id = $1 order by number',
          [id],
        );
        await enqueueChunks(
          queue,
          connection,
          waiting.map(({ number }) => ({ callId: id, number, turn: 0 })),
        );
      }),
  });
  return { ...store, failed: (id: string) => failedRecords(database, id) };
}

/** The condition for the jobs that the caller sees, with the parameters of `ownerValues`. */
function ownedBy({ clientId }: JobOwner): string {
  const isOwn = {
    any: '$1::bigint is null',
    none: '$1::bigint is null and client_id is null',
    one: 'client_id = $1::bigint',
  };
  const whose = clientId === 'any' ? 'any' : clientId === null ? 'none' : 'one';
  return `${isOwn[whose]} and ${seesCaller('client_id', '$2')}`;
}

function ownerValues({ clientId, callerTags }: JobOwner): unknown[] {
  return [clientId === 'any' ? null : clientId, callerTags];
}

/** Maximum number of outcomes that are read at once, and of their users, unless one record has more. */
const atOnce = { outcomes: 500, users: 2000 };

interface ListedRecords {
  readonly positions: readonly number[];
  /** The number of users of each of these records. */
  readonly usersOfRecords: readonly number[];
}

/** Reads outcomes in groups, each when the one before has been sent: an answer that is not read holds one group. */
async function* readOutcomes(
  database: Database,
  {
    id,
    withUsers,
    callerTags,
  }: { readonly id: string; readonly withUsers: boolean; readonly callerTags: CallerTags },
  { positions: listed, usersOfRecords }: ListedRecords,
): AsyncGenerator<IndexedOutcome> {
  const columns = withUsers ? listedOutcomeColumns : outcomeColumnsWithoutUsers;
  for (let at = 0; at < listed.length; ) {
    const first = at;
    for (let users = 0; at < listed.length && at - first < atOnce.outcomes && users < atOnce.users; at++)
      users += withUsers ? (usersOfRecords[at] ?? 0) : 0;
    const positions = listed.slice(first, at);
    const outcomes = await readGroup(async () => {
      const rows = await database.query<OutcomeRow>(
        `select ${columns} from anagrafe.outcomes
          where call_id = $1 and position = any($2) order by position`,
        [id, positions],
      );
      return toOutcomes(database, rows, callerTags);
    });
    yield* outcomes;
  }
}

/** Enqueues the chunks of all jobs that have not ended, in a database that was loaded from a dump. */
export async function enqueueAllChunks(queue: Queue, database: Database): Promise<void> {
  const chunks = await database.query<QueuedChunk>(
    'select call_id as "callId", number, turn from anagrafe.chunks order by turn, call_id, number',
  );
  await enqueueChunks(queue, database, chunks);
}
