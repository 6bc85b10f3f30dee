import type { Connection } from '../db/database.ts';
import { ApiError } from '../lib/field-errors.ts';
import { leaseMs, type StoredCall } from './idempotency.ts';

/** The condition for a call that no request works on. */
export const unleased = `(lease_id is null or lease_renewed_at < now() - interval '${leaseMs} milliseconds')`;

/**
 * Makes a stored call a part of its run, in the transaction that stores the call. The first call begins the run, which
 * belongs to its client from then on. An undo of any client must find the run. Throws an `ApiError` if the run belongs to
 * another client, or if another undo of the run has not ended.
 */
export async function joinRun(
  connection: Connection,
  callId: string,
  { run, clientId, operation }: Pick<StoredCall, 'run' | 'clientId' | 'operation'>,
): Promise<void> {
  if (run === null) return;
  const isUndo = operation === 'undo';
  if (!isUndo)
    await connection.query(
      'insert into anagrafe.runs (id, client_id) values ($1, $2) on conflict (id) do nothing',
      [run, clientId],
    );
  // An undo waits for calls that are just joining the run, and they for it: the later one sees the row of the earlier one.
  const [owner] = await connection.query<{ clientId: number | null }>(
    `select client_id as "clientId" from anagrafe.runs where id = $1 for ${isUndo ? 'update' : 'key share'}`,
    [run],
  );
  if (!owner) {
    if (isUndo) throw new ApiError('RUN_NOT_FOUND');
    // The run was deleted between the two statements.
    return joinRun(connection, callId, { run, clientId, operation });
  }
  if (!isUndo && owner.clientId !== clientId) throw new ApiError('FORBIDDEN', { variant: 'run' });
  const undos = await connection.query(
    `select from anagrafe.calls
      where run_id = $1 and operation = 'undo' and id <> $2 and state <> 'completed'
        and not (state = 'open' and ${unleased})`,
    [run, callId],
  );
  if (undos.length > 0) throw new ApiError('RUN_NOT_ENDED', { variant: 'undo' });
}

/** Deletes a call that has applied nothing, and its run if it has no other call. `ours` is the condition for the call. */
export async function discardCall(
  connection: Connection,
  ours: string,
  values: readonly string[],
): Promise<void> {
  const [call] = await connection.query<{ run: string | null }>(
    `delete from anagrafe.calls where ${ours} returning run_id as run`,
    values,
  );
  if (!call?.run) return;
  // Calls that join the run wait for this lock, or are seen by the next statement.
  await connection.query('select from anagrafe.runs where id = $1 for update', [call.run]);
  await connection.query(
    'delete from anagrafe.runs where id = $1 and not exists (select from anagrafe.calls where run_id = $1)',
    [call.run],
  );
}
