import { openAuditLog } from '../audit/audit.store.ts';
import type { Actor } from '../audit/audit-log.ts';
import type { Connection, Database } from '../db/database.ts';
import { storeWithApiErrors } from '../db/errors.ts';
import { ApiError } from '../lib/field-errors.ts';
import type { Queue } from '../queue/queue.ts';
import type { CallOptions } from '../records/check/operation.ts';
import type { OperationName } from '../records/parse/parsed-record.ts';
import { storeFailures, storeUnchanged, type UnchangedRecord } from '../records/write/call-outcomes.store.ts';
import type { StoredFailure } from '../records/write/failed-records.ts';
import { enqueueChunks, type QueuedChunk } from './chunk-queue.ts';
import { countOtherOutcomes, endJobWithoutChunks } from './chunks.store.ts';

/** Weight of chunks by which the turn advances by one. */
const turnWeight = 100;

/** Value of `Retry-After` for a client with too many open jobs. */
const retryAfterSeconds = 10;

/** Limits of the open jobs of a client. */
interface OpenJobLimits {
  readonly jobs: number;
  readonly bytes: number;
}

interface NewJob {
  readonly id: string;
  readonly clientId: number | null;
  readonly operation: OperationName;
  readonly options: CallOptions;
  readonly records: number;
  readonly users: number;
  /** The size of the body. */
  readonly bytes: number;
  /** Encrypts the key of the job, and locks the master key until the end of the transaction. */
  wrapKey(connection: Connection): Promise<Buffer>;
  readonly actor: Actor;
}

interface EncryptedChunk {
  readonly number: number;
  /** See `PlannedChunk.weight`. */
  readonly weight: number;
  readonly positions: readonly number[];
  readonly encrypted: Buffer;
}

/** Adds the records of a new job that are done, and its chunks, in the transaction that stores the job. */
interface JobWriter {
  storeFailures(failures: readonly StoredFailure[]): Promise<unknown>;
  storeUnchanged(records: readonly UnchangedRecord[]): Promise<void>;
  addChunk(chunk: EncryptedChunk): Promise<void>;
}

export type SubmissionStore = ReturnType<typeof openSubmissions>;

export function openSubmissions(database: Database, queue: Queue, limits: OpenJobLimits) {
  return storeWithApiErrors({
    /** Returns true if a job of any client has not ended. */
    async hasWaitingChunks(): Promise<boolean> {
      const rows = await database.query('select from anagrafe.chunks limit 1');
      return rows.length > 0;
    },
    /**
     * Stores the job and what `fill` adds to it in one transaction; any node may then run it. Returns false and stores
     * nothing if another request has completed or submitted the call with this ID meanwhile. Throws the `ApiError`
     * `RATE_LIMITED` if the client has too many open jobs.
     */
    submit: (job: NewJob, fill: (writer: JobWriter) => Promise<void>): Promise<boolean> =>
      database.transaction(
        async (connection) => {
          const chunks: Pick<EncryptedChunk, 'number' | 'weight'>[] = [];
          if (!(await putJob(connection, job))) return false;
          await limitOpenJobs(connection, job, limits);
          if (job.options.perMinute !== null)
            await connection.query('insert into anagrafe.mail_waves (call_id, per_minute) values ($1, $2)', [
              job.id,
              job.options.perMinute,
            ]);
          const { operation, records, users } = job;
          const details = { operation, records, users };
          await openAuditLog(connection).note(job.actor, {
            action: 'job.submitted',
            callId: job.id,
            details,
          });
          await fill({
            storeFailures: (failures) => storeFailures(connection, job.id, failures),
            storeUnchanged: (unchanged) => storeUnchanged(connection, job.id, unchanged),
            async addChunk({ number, weight, positions, encrypted }) {
              await connection.query(
                `insert into anagrafe.chunks (call_id, number, positions, turn, encrypted_records)
                 values ($1, $2, $3, 0, $4)`,
                [job.id, number, positions, encrypted],
              );
              chunks.push({ number, weight });
            },
          });
          await countOtherOutcomes(connection, job.id);
          await enqueueChunks(queue, connection, await assignTurns(connection, job, chunks));
          if (chunks.length === 0) await endJobWithoutChunks(connection, job.id);
          // Again, now with the jobs that were submitted meanwhile. The lock is held for a moment, until the commit.
          await connection.query(`select pg_advisory_xact_lock(hashtextextended('open jobs of ' || $1, 0))`, [
            String(job.clientId),
          ]);
          await limitOpenJobs(connection, job, limits);
          if (chunks.length > 0) await storeKey(connection, job);
          return true;
        },
        { patient: true },
      ),
  });
}

/**
 * Inserts the job. A call with an idempotency key or a run already has a row, which becomes the job. Returns false and changes
 * nothing if the state of that row is not `open`.
 */
async function putJob(connection: Connection, job: NewJob): Promise<boolean> {
  const rows = await connection.query(
    `insert into anagrafe.calls as call
       (id, client_id, operation, state, is_job, records, users, options, bytes)
     values ($1, $2, $3, 'queued', true, $4, $5, $6, $7)
     on conflict (id) do update
        set state = 'queued', is_job = true, records = $4, users = $5, options = $6, bytes = $7, lease_id = null,
            submitted_at = now()
      where call.state = 'open'
     returning id`,
    [job.id, job.clientId, job.operation, job.records, job.users, job.options, job.bytes],
  );
  return rows.length > 0;
}

/** Runs last: a rotation of the master key waits from here to the commit. */
async function storeKey(connection: Connection, job: NewJob): Promise<void> {
  await connection.query('update anagrafe.calls set wrapped_key = $2 where id = $1', [
    job.id,
    await job.wrapKey(connection),
  ]);
}

/** Throws if the client has too many open jobs, of which the new job is one. */
async function limitOpenJobs(connection: Connection, job: NewJob, limits: OpenJobLimits): Promise<void> {
  const [open] = await connection.query<OpenJobLimits>(
    `select count(*) as jobs, coalesce(sum(bytes), 0)::bigint as bytes from anagrafe.calls
      where is_job and ended_at is null and coalesce(client_id, 0) = $1`,
    [job.clientId ?? 0],
  );
  if (!open || open.jobs <= 1 || (open.jobs <= limits.jobs && open.bytes <= limits.bytes)) return;
  const figures = { ...limits, seconds: retryAfterSeconds };
  throw new ApiError('RATE_LIMITED', { variant: 'jobs', figures, retryAfterSeconds });
}

/**
 * Start-time fair queueing: the turns of a client's chunks ascend from the turn that is served now, or from the last
 * turn of the client if that is higher. Clients are thus served alternately, however many chunks each of them has.
 */
async function assignTurns(
  connection: Connection,
  job: NewJob,
  chunks: readonly Pick<EncryptedChunk, 'number' | 'weight'>[],
): Promise<QueuedChunk[]> {
  const [found] = await connection.query<{ served: number | null; own: number | null }>(
    `select coalesce(max(turn) filter (where attempts > 0), min(turn)) as served,
            max(turn) filter (where coalesce(client_id, 0) = coalesce($2::bigint, 0)) as own
       from anagrafe.chunks join anagrafe.calls on calls.id = call_id where call_id <> $1`,
    [job.id, job.clientId],
  );
  let turn = Math.max(found?.served ?? 0, found?.own ?? 0);
  const queued = chunks.map(({ number, weight }) => {
    turn += Math.ceil(weight / turnWeight);
    return { callId: job.id, number, turn };
  });
  await connection.query(
    `update anagrafe.chunks set turn = given.turn from unnest($2::int[], $3::int[]) as given (number, turn)
      where call_id = $1 and chunks.number = given.number`,
    [job.id, queued.map(({ number }) => number), queued.map((chunk) => chunk.turn)],
  );
  return queued;
}
