import type { JobBook, NewJob, SealedChunk, SubmissionStore } from '../core/jobs/submit.ts';
import { announceWork } from './announcements.ts';
import type { ChunkQueue, QueuedChunk } from './chunk-queue.ts';
import { endJobWithoutChunks } from './chunks.ts';
import type { Connection, Database } from './database.ts';
import { reading } from './failures.ts';
import { openJournal } from './journal.ts';
import { keepRefusals } from './outcomes.ts';

/** So many users are worth one turn. */
const usersInTurn = 100;

export function openSubmissions(database: Database, queue: ChunkQueue): SubmissionStore {
  return { submit: (job, fill) => reading(() => submit(database, queue, job, fill)) };
}

async function submit(
  database: Database,
  queue: ChunkQueue,
  job: NewJob,
  fill: (book: JobBook) => Promise<void>,
): Promise<boolean> {
  return database.transaction(
    async (connection) => {
      const chunks: { number: number; users: number }[] = [];
      if (!(await putJob(connection, job))) return false;
      const { operation, records, users } = job;
      const details = { operation, records, users };
      await openJournal(connection).note(job.author, { action: 'job.submitted', callId: job.id, details });
      await fill({
        refuse: (refusals) => keepRefusals(connection, job.id, refusals),
        async add(chunk) {
          await putChunk(connection, job.id, chunk);
          chunks.push({ number: chunk.number, users: chunk.users });
        },
      });
      const turns = await giveTurns(connection, job, chunks);
      await queue.enqueue(connection, turns);
      await announceWork(connection);
      if (chunks.length === 0) await endJobWithoutChunks(connection, job.id);
      return true;
    },
    { patient: true },
  );
}

/** A call that was sent with a key stands there already, and can be taken as long as nobody has done so. */
async function putJob(connection: Connection, job: NewJob): Promise<boolean> {
  const rows = await connection.query(
    `insert into anagrafe.calls as call (id, client_id, operation, state, is_job, records, users, wrapped_key)
     values ($1, $2, $3, 'queued', true, $4, $5, $6)
     on conflict (id) do update
        set state = 'queued', is_job = true, records = $4, users = $5, wrapped_key = $6, in_hand_at = null,
            submitted_at = now()
      where call.state = 'open'
     returning id`,
    [job.id, job.clientId, job.operation, job.records, job.users, job.wrappedKey],
  );
  return rows.length > 0;
}

async function putChunk(connection: Connection, callId: string, chunk: SealedChunk): Promise<void> {
  await connection.query(
    'insert into anagrafe.chunks (call_id, number, positions, turn, sealed) values ($1, $2, $3, 0, $4)',
    [callId, chunk.number, chunk.positions, chunk.sealed],
  );
}

/**
 * Start-time fair queueing: a client's chunks stand one after the other from the turn that is being served now, or
 * from the client's own last one, so that clients with work are served by turns however much each of them has.
 */
async function giveTurns(
  connection: Connection,
  job: NewJob,
  chunks: readonly { number: number; users: number }[],
): Promise<QueuedChunk[]> {
  const [found] = await connection.query<{ served: number | null; own: number | null }>(
    `select coalesce(max(turn) filter (where attempts > 0), min(turn)) as served,
            max(turn) filter (where coalesce(client_id, 0) = coalesce($2::bigint, 0)) as own
       from anagrafe.chunks join anagrafe.calls on calls.id = call_id where call_id <> $1`,
    [job.id, job.clientId],
  );
  let turn = Math.max(found?.served ?? 0, found?.own ?? 0);
  const queued = chunks.map(({ number, users }) => {
    turn += Math.ceil(users / usersInTurn);
    return { callId: job.id, number, turn };
  });
  await connection.query(
    `update anagrafe.chunks set turn = given.turn from unnest($2::int[], $3::int[]) as given (number, turn)
      where call_id = $1 and chunks.number = given.number`,
    [job.id, queued.map(({ number }) => number), queued.map((chunk) => chunk.turn)],
  );
  return queued;
}
