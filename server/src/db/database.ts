import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Client } from './client.ts';
import {
  CommitUnknown,
  NoAnswer,
  NotConnected,
  ReadOnlyServer,
  readOnlyTransaction,
  writeFailure,
} from './errors.ts';
import type { OutageMonitor } from './outage.ts';
import { sendStatements, type TraceStatement } from './send-statements.ts';
import { type BoundStatement, bind, type ParameterValues, type Query, type Statement } from './statement.ts';

/** Parses `bigint` as a number without loss: the validation of requests rejects IDs above `Number.MAX_SAFE_INTEGER`. */
const types: pg.CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (format === 'binary') return pg.types.getTypeParser(oid, format);
    if (oid === int8ArrayOid) return parseInt8Array;
    return oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format);
  },
};

const int8ArrayOid: number = 1016;

function parseInt8Array(text: string): number[] {
  return text === '{}' ? [] : text.slice(1, -1).split(',').map(Number);
}

export interface Connection {
  query<Row extends pg.QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  execute<Row extends pg.QueryResultRow>(statement: Statement, values: ParameterValues): Promise<Row[]>;
}

interface LockedWrite {
  /** Statements that lock and read rows. Their answers are awaited before anything is written. */
  readonly locks: readonly Query[];
  /** Returns the statements that write. `rows` are those of all of `locks`. */
  writes(rows: readonly unknown[]): readonly Query[];
  /** The longest wait for a lock in milliseconds; null for the time limit of a statement. */
  readonly lockMs: number | null;
  /** See `Database.transaction`. */
  readonly patient: boolean;
}

/** A connection pool. Each call of `query` or `execute` runs in its own transaction. */
export interface Database extends Connection {
  /**
   * Runs the statements of `work` on one connection in one transaction. They share one time limit, `statementMs` plus
   * 5 seconds; with `patient`, each statement may take up to 10 minutes. With `snapshot`, all statements read the same
   * state of the database, and cannot write.
   */
  transaction<Result>(
    work: (connection: Connection) => Promise<Result>,
    options?: { patient?: boolean; snapshot?: boolean },
  ): Promise<Result>;
  /**
   * Runs a transaction in two round trips: `begin` with the locks, then the writes with `commit`. Throws a
   * `WriteFailure`: an error before the writes are sent has changed nothing, whatever it is. After that, the answer of
   * PostgreSQL decides, and without an answer the outcome is unknown.
   */
  lockAndWrite(work: LockedWrite): Promise<void>;
  close(): Promise<void>;
}

interface DatabaseOptions {
  readonly connection: pg.PoolConfig;
  readonly poolSize: number;
  /** Time limit of a statement on the server, in milliseconds. Default 25,000. The client waits 5,000 longer. */
  readonly statementMs?: number;
  /** Maximum wait for a connection of the pool, in milliseconds. Default 30,000. */
  readonly connectMs?: number;
  /** Rejects connections to a read-only server, which a proxy may return during a failover. */
  readonly writable?: boolean;
  readonly outages?: OutageMonitor;
  readonly traceStatement?: TraceStatement | null;
  /** Called when an idle connection fails and `outages` does not count the failure. */
  onLostConnection(error: Error): void;
}

/** Additional wait on the client, so that the statement timeout of the server is reported first. */
const answerSlackMs = 5000;
const defaultStatementMs = 25_000;
/** Time after which a statement, or a transaction that is not patient, counts as one without an answer. */
export const answerLimitMs = defaultStatementMs + answerSlackMs;
const idleMs = 10_000;
const rollbackMs = 5000;
/** Time for the server to close the connections of a pool that is closed. A lost server does not close them. */
const disconnectMs = 2000;
/** Time limit of one statement in a patient transaction: writing a large record takes minutes at worst. */
const patientMs = 600_000;

export function openDatabase(options: DatabaseOptions): Database {
  const statementMs = options.statementMs ?? defaultStatementMs;
  const { outages, traceStatement = null } = options;
  const send = <Row extends pg.QueryResultRow>(
    client: pg.ClientBase,
    statements: readonly BoundStatement[],
    answerMs: number,
  ) => sendStatements<Row>(client, statements, answerMs, traceStatement);
  const pool = new pg.Pool({
    ...options.connection,
    Client,
    types,
    pipeline: true,
    max: options.poolSize,
    application_name: 'anagrafe',
    // Includes the wait for a free connection, which grows during a burst of requests.
    connectionTimeoutMillis: options.connectMs ?? 30_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // The settings are sent as a statement, because PgBouncer rejects or ignores startup parameters.
    onConnect: async (client) => {
      const settings = { text: sessionSettings(statementMs), values: [] };
      const [session] = await send<{ readOnly: string }>(client, [settings], statementMs + answerSlackMs);
      if (options.writable && session?.readOnly === 'on') throw new ReadOnlyServer();
    },
  });
  pool.on('error', (error) => {
    if (!outages?.failed(new NoAnswer(error))) options.onLostConnection(error);
  });
  const connected = new Set<pg.PoolClient>();
  pool.on('connect', (client) => {
    // A new connection can break in the same chunk that reports it ready, before its requester can add a listener.
    client.on('error', () => undefined);
    connected.add(client);
    client.once('end', () => connected.delete(client));
  });

  async function withClient<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const requestedAt = performance.now();
    const client = await pool.connect().catch((error) => {
      const failure = error instanceof ReadOnlyServer ? error : new NotConnected(error);
      outages?.failed(failure);
      throw failure;
    });
    let broken: Error | undefined;
    // Without a listener, the error event of a connection that breaks between two statements would end the process.
    const onError = (error: Error) => {
      broken = error;
    };
    client.on('error', onError);
    try {
      const result = await work(client);
      outages?.answered(requestedAt);
      return result;
    } catch (error) {
      outages?.failed(error as Error);
      // The pool discards a connection to a server that became a standby: it would reject every further write.
      const answered = error instanceof pg.DatabaseError && error.code !== readOnlyTransaction;
      if (!answered) broken ??= error as Error;
      throw error;
    } finally {
      client.removeListener('error', onError);
      client.release(broken);
    }
  }

  /** Closes the connection if the server does not answer within `rollbackMs`; closing rolls back too. */
  async function rollback(client: pg.PoolClient): Promise<void> {
    await send(client, [{ text: 'rollback', values: [] }], rollbackMs).catch((error) =>
      client.emit('error', error),
    );
  }

  return {
    query: (text, values = []) =>
      withClient(async (client) => {
        try {
          return await send(client, [{ text, values }], statementMs + answerSlackMs);
        } catch (error) {
          // A text with several statements may leave a transaction open, which the next query would run in.
          const answered = error instanceof pg.DatabaseError;
          if (answered && values.length === 0) await rollback(client);
          throw error;
        }
      }),
    execute: (statement, values) =>
      withClient((client) => send(client, [bind({ statement, values })], statementMs + answerSlackMs)),
    transaction: (work, { patient = false, snapshot = false } = {}) =>
      withClient(async (client) => {
        const answerMs = (patient ? patientMs : statementMs) + answerSlackMs;
        // All statements share one time limit; in a patient transaction each statement has its own.
        const endsAt = performance.now() + answerMs;
        const leftMs = () => (patient ? answerMs : Math.max(endsAt - performance.now(), 1));
        const plain = (text: string) => send(client, [{ text, values: [] }], leftMs());
        await plain(beginText({ patient, snapshot }));
        try {
          const result = await work({
            query: (text, values = []) => send(client, [{ text, values }], leftMs()),
            execute: (statement, values) => send(client, [bind({ statement, values })], leftMs()),
          });
          await plain('commit').catch((error) => {
            throw error instanceof NoAnswer ? new CommitUnknown(error) : error;
          });
          return result;
        } catch (error) {
          // A connection without an answer is closed, which rolls back too.
          if (!(error instanceof NoAnswer)) await rollback(client);
          throw error;
        }
      }),
    lockAndWrite: ({ locks, writes, lockMs, patient }) => {
      let isSent = false;
      const answerMs = (patient ? patientMs : statementMs) + answerSlackMs;
      const begin = { text: beginText({ patient, lockMs }), values: [] };
      return withClient(async (client) => {
        try {
          // Awaited also without locks: if it failed, PostgreSQL would commit each of the writes by itself.
          const rows = await send(client, [begin, ...locks.map(bind)], answerMs);
          const statements = writes(rows).map(bind);
          isSent = true;
          await send(client, [...statements, { text: 'commit', values: [] }], answerMs);
        } catch (error) {
          // A connection without an answer is closed, which rolls back too.
          if (!isSent && !(error instanceof NoAnswer)) await rollback(client);
          throw error;
        }
      }).catch((error) => {
        throw writeFailure(error, isSent);
      });
    },
    async close() {
      await pool.end();
      // `pool.end` does not wait until the server has closed the connections. A PostgreSQL that is stopped before that
      // would end them with an error, which looks like an outage.
      const limit = sleep(disconnectMs, undefined, { ref: false });
      await Promise.race([limit, Promise.allSettled([...connected].map((client) => once(client, 'end')))]);
    },
  };
}

function sessionSettings(statementMs: number): string {
  return `select set_config('statement_timeout', '${statementMs}', false),
                 current_setting('transaction_read_only') as "readOnly"`;
}

function beginText(options: { patient: boolean; snapshot?: boolean; lockMs?: number | null }): string {
  const { patient, snapshot = false, lockMs = null } = options;
  const limits = {
    // Releases the locks of a node that disappeared, before TCP keepalive detects the dead connection.
    idle_in_transaction_session_timeout: patient ? patientMs : idleMs,
    ...(lockMs !== null && { lock_timeout: lockMs }),
    ...(patient && { statement_timeout: patientMs }),
  };
  const settings = Object.entries(limits).map(([name, ms]) => `set local ${name} = ${ms}`);
  return [`begin${snapshot ? ' isolation level repeatable read, read only' : ''}`, ...settings].join('; ');
}
