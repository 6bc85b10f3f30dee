import pg from 'pg';
import { unavailable, WriteFailure } from '../core/records/writing.ts';

/** IDs fit into a double (the core refuses larger ones), so they are numbers everywhere in the service. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.INT8 && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format),
};

/** What the statements of this folder run on. */
export interface Database {
  query<Row extends pg.QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Runs statements on one connection inside one transaction. */
  transaction<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

export interface Connection {
  query<Row extends pg.QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
}

export interface DatabaseOptions {
  readonly connection: pg.PoolConfig;
  readonly poolSize: number;
  /** Told of a connection that broke while it was idle. */
  onIdleError(error: Error): void;
}

/** A database that is silent for so long is away, as far as a call is concerned. */
const answerMs = 30_000;
/** A migration may take its time. */
const transactionMs = 24 * 3_600_000;

export function openDatabase(options: DatabaseOptions): Database {
  const pool = new pg.Pool({
    ...options.connection,
    types,
    max: options.poolSize,
    application_name: 'anagrafe',
    // Covers the wait for a free connection too, which a burst of calls may need.
    connectionTimeoutMillis: 30_000,
    idleTimeoutMillis: 60_000,
    query_timeout: answerMs,
    keepAlive: true,
  });
  pool.on('error', options.onIdleError);
  return {
    async query(sql, values = []) {
      return (await pool.query(sql, [...values])).rows;
    },
    async transaction(work) {
      const client = await pool.connect();
      let broken: Error | undefined;
      try {
        await client.query('begin');
        const result = await work({
          async query(text, values = []) {
            const patient = { text, values: [...values], query_timeout: transactionMs };
            return (await client.query(patient)).rows;
          },
        });
        await client.query('commit');
        return result;
      } catch (error) {
        await client.query('rollback').catch((failure: Error) => {
          broken = failure;
        });
        throw error;
      } finally {
        client.release(broken);
      }
    },
    close: () => pool.end(),
  };
}

/** Runs a read; a database that cannot be reached becomes a refusal that says when to come back. */
export async function reading<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw isConnectionTrouble(error) ? unavailable(error) : error;
  }
}

/** A unique index, a serialisation failure, a deadlock. */
const conflicts = new Set(['23505', '40001', '40P01']);
/** The backend was told to go, perhaps between the commit and the answer. */
const shutdowns = new Set(['57P01', '57P02']);

/** Runs a write of one statement, and says of its failure what is known about the data. */
export async function writing<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const state = sqlState(error);
    if (state !== undefined && conflicts.has(state)) throw new WriteFailure('conflict', error);
    const cutOff = state === undefined ? !isRefusedConnection(error) : shutdowns.has(state);
    throw new WriteFailure(cutOff ? 'unknown' : 'failed', error);
  }
}

function isConnectionTrouble(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return /^(08|57P|53)/.test(state);
  const { code, message } = error as { code?: unknown; message?: string };
  return typeof code === 'string' || /connection|timeout/i.test(message ?? '');
}

/** The connection was never made, so the statement was never sent. */
function isRefusedConnection(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: string };
  return (
    code === 'ECONNREFUSED' ||
    code === 'ENOENT' ||
    /timeout exceeded when trying to connect/.test(message ?? '')
  );
}

function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}
