import pg from 'pg';
import { Refusal } from '../core/faults.ts';
import { unavailable, WriteFailure, type WriteFailureKind } from '../core/records/writing.ts';
import { StorageError } from './server.ts';

/** No connection could be had, so that nothing was sent. */
export class NotConnected extends Error {
  constructor(cause: unknown) {
    super('no connection to the database', { cause });
    this.name = 'NotConnected';
  }
}

/** The SQLSTATE of a write in a read-only transaction, as on a standby. */
export const readOnlyTransaction = '25006';

/** The server that a connection leads to takes no writes. */
export class ReadOnlyServer extends StorageError {
  constructor() {
    super('the database is a standby or read-only, and takes no writes: name the primary');
    this.name = 'ReadOnlyServer';
  }
}

/** The connection broke while a transaction was being committed: it may be stored, or not. */
export class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super('the connection broke during a commit', { cause });
    this.name = 'CommitUnknown';
  }
}

/**
 * Runs a read, a transaction, or a write that may be done again; a database that cannot be reached becomes a refusal that says when to come back.
 */
export async function reading<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CommitUnknown) throw new Refusal('OUTCOME_UNKNOWN', { cause: error });
    const kind = failureKind(error);
    throw kind === 'away' || kind === 'unknown' ? unavailable(error) : error;
  }
}

/** Runs a write of one statement, and says of its failure what is known about the data. */
export async function writing<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof WriteFailure ? error : new WriteFailure(failureKind(error), error);
  }
}

const byState: readonly (readonly [RegExp, WriteFailureKind])[] = [
  // A unique index, a serialisation failure, a deadlock.
  [/^(23505|40001|40P01)$/, 'conflict'],
  // The connection broke or the backend was told to go, perhaps between the commit and the answer.
  [/^(08...|25P03|25P04|40003|57P01|57P02|57P05)$/, 'unknown'],
  // Out of something, still starting, timed out or cancelled, a lock not had in time, a standby.
  [/^(53...|57P03|57014|55P03|25006)$/, 'away'],
];

/** What a failed statement of its own means for the data. */
export function failureKind(error: unknown): WriteFailureKind {
  if (error instanceof NotConnected || error instanceof ReadOnlyServer) return 'away';
  if (error instanceof CommitUnknown) return 'unknown';
  if (error instanceof pg.DatabaseError) {
    if (error.constraint === 'outcomes_pkey') return 'settled';
    const state = error.code ?? '';
    const known = byState.find(([pattern]) => pattern.test(state))?.[1];
    return known ?? (endsSession(state, error.severity) ? 'unknown' : 'refused');
  }
  return isBrokenConnection(error) ? 'unknown' : 'refused';
}

/** The severity comes in the language of the server, so that only the code of a failure tells for sure. */
function endsSession(state: string, severity: string | undefined): boolean {
  return severity === 'FATAL' || severity === 'PANIC' || (/^(58|F0|XX)/.test(state) && severity !== 'ERROR');
}

/** The server is stopping, has crashed, is starting, or has become a standby. */
const awayStates = /^(08(?!P01)...|57P01|57P02|57P03|25006)$/;

/** Returns true if the server could not be reached, closed the connection, or takes no writes. */
export function isConnectionFailure(error: unknown): boolean {
  if (error instanceof NotConnected) return !isTimeout(error);
  if (error instanceof ReadOnlyServer) return true;
  if (error instanceof CommitUnknown) return isConnectionFailure(error.cause);
  if (error instanceof pg.DatabaseError) return awayStates.test(error.code ?? '');
  return isBrokenConnection(error) && !isTimeout(error);
}

const timeouts = ['timeout exceeded when trying to connect', 'Query read timeout'];

/** Returns true if no connection of the pool was free in time, or the answer to a statement took too long. */
export function isTimeout(error: unknown): boolean {
  const { message } = (error instanceof NotConnected ? error.cause : error) as Error;
  return timeouts.includes(message);
}

const networkCodes = new Set([
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ECONNABORTED',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
/** In the words of the driver, which gives these no code. */
const driverMessages =
  /^(Connection terminated|Query read timeout|Client has encountered a connection error)/;

function isBrokenConnection(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return networkCodes.has(String(code)) || driverMessages.test(String(message));
}
