import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { Client } from './client.ts';
import { NotConnected, StorageError } from './errors.ts';

const setting = 'anagrafe.pooling_check';
/** Number of checks: other clients of a busy pooler may occupy the session that a single check looks for. */
const rounds = 3;
const protocolViolation = '08P01';

/**
 * Throws a `StorageError` if a connection pooler assigns a session of PostgreSQL for one transaction or one statement
 * only: prepared statements, settings and LISTEN would be lost, or leak into the sessions of other clients.
 * `answerMs` limits each connect and each query.
 */
export async function refuseTransactionPooling(
  connection: pg.ClientConfig,
  answerMs = 30_000,
): Promise<void> {
  const clients = [1, 2, 3].map(
    () =>
      new Client({
        ...connection,
        application_name: 'anagrafe',
        connectionTimeoutMillis: answerMs,
        query_timeout: answerMs,
      }),
  );
  // The pending query rejects with the same error.
  for (const client of clients) client.on('error', () => undefined);
  try {
    for (const client of clients)
      await client.connect().catch((error) => {
        throw new NotConnected(error);
      });
    for (let round = 0; round < rounds; round++)
      if (await sharesSessions(clients as [pg.Client, pg.Client, pg.Client])) throw poolingError();
  } catch (error) {
    const known = [StorageError, NotConnected, pg.DatabaseError].some((kind) => error instanceof kind);
    throw known ? error : new NotConnected(error);
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}

/**
 * Sets a random value in the session of the first client. Sessions are shared if another client sees that value, or if
 * the first client no longer does. Open transactions force the pooler to assign the next session each time: with one
 * or two sessions, one of the other clients gets the first session; with more, the first client gets another one.
 */
async function sharesSessions([first, second, third]: [pg.Client, pg.Client, pg.Client]): Promise<boolean> {
  const value = randomUUID();
  await first.query(`select set_config('${setting}', $1, false)`, [value]);
  const sees = async (client: pg.Client) => {
    const { rows } = await client.query(`select current_setting('${setting}', true) = $1 as seen`, [value]);
    return rows[0].seen === true;
  };
  const begun = await second.query('begin').catch((error) => {
    // PgBouncer in statement mode rejects every transaction with this code; PostgreSQL never does.
    if (error.code === protocolViolation) return null;
    throw error;
  });
  if (!begun || (await sees(second))) return true;
  if (!(await sees(first))) return true;
  await third.query('begin');
  if (await sees(third)) return true;
  await Promise.all([second.query('rollback'), third.query('rollback')]);
  return false;
}

function poolingError(): StorageError {
  return new StorageError(
    'the database is behind a connection pooler in transaction or statement mode, which loses prepared ' +
      'statements and session settings',
    {
      code: 'transaction_pooling',
      advice: 'set pool_mode = session in PgBouncer, or connect directly to PostgreSQL.',
    },
  );
}
