import pg from 'pg';
import { CommitUnknown, failureKind, NotConnected, ReadOnlyServer, readOnlyTransaction } from './failures.ts';
import type { OutageMonitor } from './outage.ts';

/** IDs fit into a double (the core refuses larger ones), so they are numbers everywhere in the service. */
const types: pg.CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (format === 'binary') return pg.types.getTypeParser(oid, format);
    if (oid === int8Array) return numbersOf;
    return oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format);
  },
};

/** The type `bigint[]`. */
const int8Array: number = 1016;

function numbersOf(text: string): number[] {
  return text === '{}' ? [] : text.slice(1, -1).split(',').map(Number);
}

/** A statement that is run so often that it is worth being planned once for each connection. */
export interface Prepared {
  readonly name: string;
  readonly text: string;
}

export interface Connection {
  query<Row extends pg.QueryResultRow>(
    statement: string | Prepared,
    values?: readonly unknown[],
  ): Promise<Row[]>;
}

/** What the statements of this folder run on. Each `query` is a transaction of its own. */
export interface Database extends Connection {
  /** Runs statements on one connection inside one transaction; a `patient` one may take its time. */
  transaction<Result>(
    work: (connection: Connection) => Promise<Result>,
    options?: { patient?: boolean },
  ): Promise<Result>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly connection: pg.PoolConfig;
  readonly poolSize: number;
  /** How long a statement may take, and then how long its answer may. */
  readonly statementMs?: number;
  /** How long to wait for a connection. */
  readonly connectMs?: number;
  /** Refuses connections to a server that takes no writes, as a proxy may give them during a failover. */
  readonly writable?: boolean;
  /** Counts failures while the database is away. */
  readonly outages?: OutageMonitor;
  /** Takes the failure of an idle connection that `outages` has not counted. */
  onLostConnection(error: Error): void;
}

/** The answer to a statement that was given up by the server should come before the client gives up waiting. */
const answerSlackMs = 5000;
const idleMs = 10_000;
const rollbackMs = 5000;
/** How long one statement of a patient transaction may take: a large record is written in minutes at worst. */
const patientMs = 600_000;

export function openDatabase(options: DatabaseOptions): Database {
  const statementMs = options.statementMs ?? 25_000;
  const pool = new pg.Pool({
    ...options.connection,
    types,
    max: options.poolSize,
    application_name: 'anagrafe',
    // Covers the wait for a free connection too, which a burst of calls may need.
    connectionTimeoutMillis: options.connectMs ?? 30_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // Not as startup parameters, which PgBouncer refuses or ignores.
    onConnect: async (client) => {
      const [session] = await run<{ readOnly: string }>(
        client,
        sessionSettings(statementMs),
        [],
        statementMs + answerSlackMs,
      );
      if (options.writable && session?.readOnly === 'on') throw new ReadOnlyServer();
    },
  });
  const { outages } = options;
  pool.on('error', (error) => {
    if (!outages?.failed(error)) options.onLostConnection(error);
  });
  // A new connection can break in the very chunk that says it is ready, before anyone who waits for it can listen.
  pool.on('connect', (client) => client.on('error', () => undefined));

  async function withClient<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const askedAt = performance.now();
    const client = await pool.connect().catch((error) => {
      const failure = error instanceof ReadOnlyServer ? error : new NotConnected(error);
      outages?.failed(failure);
      throw failure;
    });
    let broken: Error | undefined;
    // Without a listener, a connection that breaks between two statements would end the process.
    const onError = (error: Error) => {
      broken = error;
    };
    client.on('error', onError);
    try {
      const result = await work(client);
      outages?.answered(askedAt);
      return result;
    } catch (error) {
      outages?.failed(error as Error);
      // A connection to a server that has become a standby would never take a write again.
      const answered = error instanceof pg.DatabaseError && error.code !== readOnlyTransaction;
      if (!answered || failureKind(error) === 'unknown') broken ??= error as Error;
      throw error;
    } finally {
      client.removeListener('error', onError);
      client.release(broken);
    }
  }

  return {
    query: (statement, values = []) =>
      withClient(async (client) => {
        try {
          return await run(client, statement, values, statementMs + answerSlackMs);
        } catch (error) {
          // Several statements in one text may have begun a transaction, in which the next to come would be caught.
          const answered = error instanceof pg.DatabaseError;
          if (answered && values.length === 0) await rollback(client);
          throw error;
        }
      }),
    transaction: (work, { patient = false } = {}) =>
      withClient(async (client) => {
        const answerMs = (patient ? patientMs : statementMs) + answerSlackMs;
        // One limit for all statements together, unless each may take minutes.
        const endsAt = performance.now() + answerMs;
        const leftMs = () => (patient ? answerMs : Math.max(endsAt - performance.now(), 1));
        const plain = (text: string) => run(client, text, [], leftMs());
        // A machine that is gone without a word must not hold its locks until the connection is found dead.
        await plain(`begin; set local idle_in_transaction_session_timeout = ${patient ? patientMs : idleMs}`);
        try {
          if (patient) await plain(`set local statement_timeout = ${patientMs}`);
          const result = await work({
            query: (statement, values) => run(client, statement, values, leftMs()),
          });
          await plain('commit').catch((error) => {
            throw failureKind(error) === 'unknown' ? new CommitUnknown(error) : error;
          });
          return result;
        } catch (error) {
          await rollback(client);
          throw error;
        }
      }),
    close: () => pool.end(),
  };
}

/**
 * Sequential scans are off: a plan that was made while a table is small is still run when it is large, and every
 * statement of ours has an index.
 */
function sessionSettings(statementMs: number): string {
  return `select set_config('statement_timeout', '${statementMs}', false), set_config('enable_seqscan', 'off', false),
                 current_setting('transaction_read_only') as "readOnly"`;
}

/** A server that does not even answer this in time has its connection closed, which rolls back too. */
async function rollback(client: pg.PoolClient): Promise<void> {
  await run(client, 'rollback', [], rollbackMs).catch((error) => client.emit('error', error));
}

async function run<Row extends pg.QueryResultRow>(
  client: pg.ClientBase,
  statement: string | Prepared,
  values: readonly unknown[] = [],
  answerMs: number,
): Promise<Row[]> {
  const what = typeof statement === 'string' ? { text: statement } : statement;
  const query = { ...what, values: [...values], query_timeout: answerMs };
  // Several statements in one text give a result each.
  const result: pg.QueryResult<Row> | pg.QueryResult<Row>[] = await client.query<Row>(query);
  return Array.isArray(result) ? result.flatMap(({ rows }) => rows) : result.rows;
}
