import { expect } from 'vitest';
import type { Connection, Database } from '../../server/src/db/database.ts';
import type { Answer } from './service.ts';

export interface Interruption {
  /** Statements that the transaction of the test runs first. Their row locks block the writes of the call. */
  readonly lock: readonly [sql: string, ...values: unknown[]][];
  call(): Promise<Answer>;
  /** The number of blocked writes to wait for before `interrupt` is called. */
  readonly writes: number;
  /** Interrupts the blocked writes. Without it, the transaction of the test commits and the writes continue. */
  interrupt?(connection: Connection): Promise<unknown>;
}

export const blocked = 'from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))';
export const hangUp = (connection: Connection) =>
  connection.query(`select pg_terminate_backend(pid) ${blocked}`);
export const cancel = (connection: Connection) =>
  connection.query(`select pg_cancel_backend(pid) ${blocked}`);

export async function waitFor(connection: Connection, writes: number): Promise<void> {
  const count = async () => (await connection.query(`select distinct pid ${blocked}`)).length;
  await expect.poll(count).toBe(writes);
}

/** Makes a call whose writes are blocked by a lock, interrupts them if asked to, and returns the answer. */
export async function during(
  database: Database,
  { lock, call, writes, interrupt }: Interruption,
): Promise<Answer> {
  let answer: Promise<Answer> | undefined;
  await database.transaction(
    async (connection) => {
      for (const [sql, ...values] of lock) await connection.query(sql, values);
      answer = call();
      await waitFor(connection, writes);
      await interrupt?.(connection);
      if (interrupt) await answer;
    },
    // On a slow machine the answer may take longer than the idle timeout of a transaction.
    { patient: true },
  );
  if (!answer) throw new Error('the call was not made');
  return answer;
}

/** Returns the statements that delete a user and update the user count of its principal and the row counts. */
export function deletion(user: number): [sql: string, ...values: unknown[]][] {
  return [
    [
      `with gone as (delete from anagrafe.users where id = $1 returning id, principal_id), tallied as (
         insert into anagrafe.row_counts as counted (kind, block, slot, amount)
         select 'users', id >> 12, 99, -1 from gone
         on conflict (kind, block, slot) do update set amount = counted.amount + excluded.amount
       )
       update anagrafe.principals set users_count = users_count - 1
         from gone where principals.id = gone.principal_id`,
      user,
    ],
  ];
}
