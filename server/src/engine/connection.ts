import pg from 'pg';
import { ROLE } from './cluster.ts';
import { EngineError } from './error.ts';
import { type Home, PORT } from './home.ts';
import { readLockFile } from './lockfile.ts';

/** What `pg` needs to connect. */
export interface Connection {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** Stated, because `pg` would otherwise follow PGSSLMODE, and a Unix socket speaks no TLS. */
  readonly ssl: false;
}

/** A connection; or silence; or the word of a PostgreSQL that it cannot serve yet, or any more. */
export type Answer = { client: pg.Client; connection: Connection } | 'silence' | 'busy';

const NO_SUCH_DATABASE = '3D000';
const TOO_MANY_CONNECTIONS = '53300';
const COMING_OR_GOING = new Set(['57P01', '57P02', '57P03']);
const DUPLICATE = new Set(['42P04', '23505']);

/** Tries the socket once. Makes the database where a first start was stopped before it could. */
export async function tryConnect(home: Home): Promise<Answer> {
  const answer = await tryConnectAt(home.sockets);
  if (answer !== 'silence') return answer;
  // A PostgreSQL that was started with another TMPDIR may listen elsewhere, and says where.
  const elsewhere = (await readLockFile(home.cluster))?.sockets;
  return elsewhere === undefined || elsewhere === home.sockets ? 'silence' : tryConnectAt(elsewhere);
}

async function tryConnectAt(host: string): Promise<Answer> {
  const connection: Connection = { host, port: PORT, database: ROLE, user: ROLE, ssl: false };
  try {
    return { client: await connect(connection), connection };
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code === NO_SUCH_DATABASE) return makeDatabase(connection);
    if (COMING_OR_GOING.has(code)) return 'busy';
    if (code === 'EACCES') throw error;
    if (!(error instanceof pg.DatabaseError) || code === TOO_MANY_CONNECTIONS) return 'silence';
    throw new EngineError(`The PostgreSQL at ${host} refuses the service: ${message}`, { cause: error });
  }
}

async function connect(connection: Connection): Promise<pg.Client> {
  const client = new pg.Client({
    ...connection,
    connectionTimeoutMillis: 5000,
    application_name: `anagrafe engine ${process.pid}`,
  });
  // A connection that breaks while idle is an event, and without a listener it would end the process.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function makeDatabase(connection: Connection): Promise<'busy'> {
  const client = await connect({ ...connection, database: 'postgres' });
  try {
    await client.query(`create database ${ROLE}`);
  } catch (error) {
    if (!DUPLICATE.has((error as { code?: string }).code ?? '')) throw error;
  } finally {
    await client.end();
  }
  return 'busy';
}
