import { openAuditLog } from '../audit/audit.store.ts';
import { clientActor } from '../audit/audit-log.ts';
import type { Connection, Database } from '../db/database.ts';
import { storeWithApiErrors } from '../db/errors.ts';
import type { CallOptions } from '../records/check/operation.ts';
import type { OperationName } from '../records/parse/parsed-record.ts';
import { storeFailures } from '../records/write/call-outcomes.store.ts';
import type { StoredFailure } from '../records/write/failed-records.ts';
import { type Job, paceSeconds } from './job.ts';

/** Number of bytes of a chunk that are read at a time: the driver decodes them in one step. */
const bytesPerRow = 1_000_000;

/** SQL for the columns of `counted`: the numbers of outcomes and of their users. */
export const outcomeCounts = `count(*)::integer as records, count(error)::integer as failed,
  coalesce(sum(outcomes.users), 0)::integer as users,
  coalesce(sum(outcomes.users) filter (where applied is not null), 0)::integer as applied`;

const addCounts = `records_done = records_done + counted.records, records_failed = records_failed + counted.failed,
  users_done = users_done + counted.users, users_applied = users_applied + counted.applied`;

interface BegunChunk {
  readonly operation: OperationName;
  /** Null for an operation without options, in a job of an older version. */
  readonly options: Partial<CallOptions> | null;
  readonly clientId: number | null;
  /** Number of attempts to run the chunk, including this one. */
  readonly attempts: number;
  readonly cancelled: boolean;
  readonly wrappedKey: Buffer;
  /** Size of the encrypted records. */
  readonly bytes: number;
  readonly positions: readonly number[];
  /** Positions that already have an outcome. */
  readonly done: ReadonlySet<number>;
}

export type ChunkStore = ReturnType<typeof openChunks>;

export function openChunks(database: Database) {
  return storeWithApiErrors({
    /** Starts an attempt. Returns null if another worker has ended the chunk. */
    begin: (callId: string, number: number): Promise<BegunChunk | null> =>
      database.transaction(async (connection) => {
        await connection.query(
          `update anagrafe.calls set state = 'running', started_at = now()
            where id = $1 and state = 'queued' and cancelled_at is null`,
          [callId],
        );
        const [chunk] = await connection.query<Omit<BegunChunk, 'done'>>(
          `update anagrafe.chunks as chunk set attempts = attempts + 1
             from anagrafe.calls as call
            where call.id = $1 and chunk.call_id = $1 and chunk.number = $2
           returning operation, options, client_id as "clientId", attempts, cancelled_at is not null as cancelled,
                     wrapped_key as "wrappedKey", positions, octet_length(encrypted_records) as bytes`,
          [callId, number],
        );
        if (!chunk) return null;
        // The first attempt finds no outcomes, unless another node was still answering the same call. The primary key
        // of `outcomes` then rejects the second write of a record.
        if (chunk.attempts === 1) return { ...chunk, done: new Set() };
        const rows = await connection.query<{ position: number }>(
          'select position from anagrafe.outcomes where call_id = $1 and position = any($2)',
          [callId, chunk.positions],
        );
        return { ...chunk, done: new Set(rows.map(({ position }) => position)) };
      }),
    /** Reads the encrypted records. Returns null if another worker has ended the chunk meanwhile. */
    async readRecords(callId: string, number: number, bytes: number): Promise<Buffer | null> {
      const pieces: Buffer[] = [];
      for (let at = 1; at <= bytes; at += bytesPerRow) {
        const [row] = await database.query<{ piece: Buffer }>(
          `select substring(encrypted_records from $3 for ${bytesPerRow}) as piece
             from anagrafe.chunks where call_id = $1 and number = $2`,
          [callId, number, at],
        );
        if (!row) return null;
        pieces.push(row.piece);
      }
      return Buffer.concat(pieces);
    },
    async isCancelled(callId: string): Promise<boolean> {
      const [found] = await database.query<{ cancelled: boolean }>(
        'select cancelled_at is not null as cancelled from anagrafe.calls where id = $1',
        [callId],
      );
      return found?.cancelled ?? true;
    },
    /** Stores failed records, except those that already have an outcome. Returns the positions that were stored. */
    storeFailures: (callId: string, failures: readonly StoredFailure[]) =>
      storeFailures(database, callId, failures),
    /** Deletes the chunk. The last chunk ends the job and destroys its key. */
    end: (callId: string, number: number): Promise<void> =>
      database.transaction(
        async (connection) => {
          // The deletion makes sure that the outcomes are counted once if two nodes end the chunk.
          const [ended] = await connection.query<{ positions: number[] }>(
            'delete from anagrafe.chunks where call_id = $1 and number = $2 returning positions',
            [callId, number],
          );
          if (!ended) return;
          // The lock of the row serialises the ends of the chunks of a job, so that one of them sees that it is the last.
          await connection.query(
            // Weights that are almost 0 count as 0: `exp` throws an error for a result that is too small.
            `update anagrafe.calls set ${addCounts}, recent_at = clock_timestamp(), recent_users =
                    case when recent_users > 0.001 and recent_at > clock_timestamp() - interval '1 hour'
                      then recent_users * exp(-greatest(extract(epoch from clock_timestamp() - recent_at), 0) / $3::float8)
                      else 0 end + counted.applied
               from (select ${outcomeCounts} from anagrafe.outcomes
                      where call_id = $1 and position = any($2)) as counted
              where id = $1`,
            [callId, ended.positions, paceSeconds],
          );
          const left = await connection.query('select from anagrafe.chunks where call_id = $1 limit 1', [
            callId,
          ]);
          if (left.length === 0) await endJobWithoutChunks(connection, callId);
        },
        { patient: true },
      ),
  });
}

/** SQL for the effects of the applied records of an upsert; see `EffectCounts`. */
const effectCounts = `
  select jsonb_build_object(
           'principalsInserted', count(*) filter (where principal_change = 'inserted'),
           'principalsUpdated', count(*) filter (where principal_change = 'updated'),
           'principalsDeleted', count(*) filter (where principal_change = 'deleted'),
           'usersRegistered', coalesce(sum(registered), 0),
           'usersUpdated', coalesce(sum(edited), 0),
           'usersMoved', coalesce(sum(moved), 0),
           'usersDisabled', coalesce(sum(disabled), 0),
           'usersDeleted', coalesce(sum(deleted), 0),
           'unchanged', count(*) filter (where principal_change = 'unchanged' and others = 0))
    from anagrafe.outcomes
         cross join lateral (
           select count(*) filter (where item ->> 1 = 'register') as registered,
                  count(*) filter (where item ->> 1 = 'edit') as edited,
                  count(*) filter (where item ->> 1 = 'move') as moved,
                  count(*) filter (where item ->> 1 = 'disable') as disabled,
                  count(*) filter (where item ->> 1 = 'delete') as deleted,
                  count(*) filter (where item ->> 1 <> 'none') as others
             from jsonb_array_elements(applied) as item) as users
   where call_id = $1 and applied is not null`;

/** Counts the outcomes of the records that are in no chunk, when a job is submitted. */
export async function countOtherOutcomes(connection: Connection, callId: string): Promise<void> {
  await connection.query(
    `update anagrafe.calls set ${addCounts}
       from (select ${outcomeCounts} from anagrafe.outcomes
              where call_id = $1 and not exists (
                select from (select unnest(positions) as waiting from anagrafe.chunks where call_id = $1) as chunk
                 where waiting = position)) as counted
      where id = $1`,
    [callId],
  );
}

interface EndedJob
  extends Pick<Job, 'clientId' | 'operation' | 'records' | 'recordsFailed' | 'users' | 'usersApplied'> {
  readonly cancelled: boolean;
}

/** Ends a job whose records all have an outcome: stores its effects and destroys the job key. */
export async function endJobWithoutChunks(connection: Connection, callId: string): Promise<void> {
  const [ended] = await connection.query<EndedJob>(
    `update anagrafe.calls
        set state = 'completed', ended_at = clock_timestamp(), wrapped_key = null,
            -- The records of an undo do not list the users that are deleted with their principals.
            users = case when operation = 'undo' then greatest(users, users_done) else users end,
            counts = case when operation in ('upsert', 'merge', 'undo') then (${effectCounts}) end
      where id = $1 and state <> 'completed'
     returning client_id as "clientId", operation, cancelled_at is not null as cancelled, records,
               records_failed as "recordsFailed", users, users_applied as "usersApplied"`,
    [callId],
  );
  if (!ended) return;
  const { clientId, ...details } = ended;
  await openAuditLog(connection).note(clientActor(clientId), { action: 'job.completed', callId, details });
}
