import pg from 'pg';
import { ApiError } from '../lib/field-errors.ts';
import { OperatorError } from '../lib/operator-error.ts';

/**
 * The effect of a failed write on the data.
 * `conflict`: nothing was written, because of a concurrent write; read the data again and retry.
 * `away`: nothing was written; a retry may succeed later.
 * `refused`: nothing was written, and a retry would fail too.
 * `unknown`: the connection broke during the write, which may or may not be stored.
 * `settled`: nothing was written, because the record already has an outcome.
 */
export type WriteFailureKind = 'conflict' | 'away' | 'refused' | 'unknown' | 'settled';

export class WriteFailure extends Error {
  readonly kind: WriteFailureKind;

  constructor(kind: WriteFailureKind, cause?: unknown) {
    super(`the write ended as ${kind}`, { cause });
    this.name = 'WriteFailure';
    this.kind = kind;
  }
}

/** Why nothing could be written: the database did not answer, or concurrent writes of the same data went first. */
export type UnavailableReason = 'database' | 'conflict';

export function unavailable(cause?: unknown, reason: UnavailableReason = 'database'): ApiError {
  const seconds = 5;
  return new ApiError('UNAVAILABLE', {
    variant: reason,
    figures: { seconds },
    retryAfterSeconds: seconds,
    cause,
  });
}

export class StorageError extends OperatorError {
  override name = 'StorageError';
}

/** The pool could not open a connection, so no statement was sent. */
export class NotConnected extends Error {
  constructor(cause: unknown) {
    super('no connection to the database', { cause });
    this.name = 'NotConnected';
  }
}

/** SQLSTATE of a write in a read-only transaction, for example on a standby. */
export const readOnlyTransaction = '25006';

export class ReadOnlyServer extends StorageError {
  constructor() {
    super('the database is a standby or read-only and does not accept writes', {
      code: 'database_read_only',
      advice: 'connect to the primary server',
    });
    this.name = 'ReadOnlyServer';
  }
}

/** The connection broke during a commit, so the transaction may or may not be stored. */
export class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super('the connection broke during a commit', { cause });
    this.name = 'CommitUnknown';
  }
}

/**
 * Runs statements whose failure is the failure of the request. Throws an `ApiError` UNAVAILABLE with Retry-After if the
 * database cannot be reached, and OUTCOME_UNKNOWN if the connection broke during a commit. The statements that write
 * records use `withWriteErrors` instead.
 */
export async function withApiErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CommitUnknown) throw new ApiError('OUTCOME_UNKNOWN', { cause: error });
    const kind = failureKind(error);
    throw kind === 'away' || kind === 'unknown' ? unavailable(error) : error;
  }
}

/** Returns a store whose methods throw the errors of `withApiErrors`. */
export function storeWithApiErrors<
  Store extends { [Name in keyof Store]: (...values: never[]) => Promise<unknown> },
>(store: Store): Store {
  const methods = Object.entries<(...values: never[]) => Promise<unknown>>(store).map(([name, method]) => [
    name,
    (...values: never[]) => withApiErrors(() => method(...values)),
  ]);
  return Object.fromEntries(methods) as Store;
}

/** Runs a write of one statement. Throws a `WriteFailure` whose kind states the effect on the data. */
export async function withWriteErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof WriteFailure ? error : new WriteFailure(failureKind(error), error);
  }
}

/** The same for a write of several statements in one transaction: until its commit is sent, nothing is stored. */
export async function withTransactionErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof WriteFailure) throw error;
    const kind = failureKind(error);
    const isBeforeCommit = kind === 'unknown' && !(error instanceof CommitUnknown);
    throw new WriteFailure(isBeforeCommit ? 'away' : kind, error);
  }
}

const kindsBySqlState: readonly (readonly [RegExp, WriteFailureKind])[] = [
  // Unique violation, serialization failure, deadlock.
  [/^(23505|40001|40P01)$/, 'conflict'],
  // The connection broke or the backend was terminated, possibly between the commit and the answer.
  [/^(08...|25P03|25P04|40003|57P01|57P02|57P05)$/, 'unknown'],
  // Insufficient resources, server starting, statement timeout or cancellation, lock timeout, standby.
  [/^(53...|57P03|57014|55P03|25006)$/, 'away'],
];

/** Returns true if PostgreSQL ended the statement, because it waited too long for a lock or took too long. */
export function isTimeLimit(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '55P03' || error.code === '57014');
}

/** Classifies the error of a single statement by its effect on the data. */
export function failureKind(error: unknown): WriteFailureKind {
  if (error instanceof NotConnected || error instanceof ReadOnlyServer) return 'away';
  if (error instanceof CommitUnknown) return 'unknown';
  if (error instanceof pg.DatabaseError) {
    if (error.constraint === 'outcomes_pkey') return 'settled';
    const state = error.code ?? '';
    const known = kindsBySqlState.find(([pattern]) => pattern.test(state))?.[1];
    return known ?? (endsSession(state, error.severity) ? 'unknown' : 'refused');
  }
  return isBrokenConnection(error) ? 'unknown' : 'refused';
}

/** The server localizes the severity, so the SQLSTATE classes 58, F0 and XX count as fatal unless it is `ERROR`. */
function endsSession(state: string, severity: string | undefined): boolean {
  return severity === 'FATAL' || severity === 'PANIC' || (/^(58|F0|XX)/.test(state) && severity !== 'ERROR');
}

/** SQLSTATEs of a broken connection, and of a server that is stopping, crashed, starting or a standby. */
const awayStates = /^(08(?!P01)...|57P01|57P02|57P03|25006)$/;

/** Returns true if the server could not be reached, closed the connection, or is read-only. */
export function isConnectionFailure(error: unknown): boolean {
  if (error instanceof NotConnected) return !isTimeout(error);
  if (error instanceof ReadOnlyServer) return true;
  if (error instanceof CommitUnknown) return isConnectionFailure(error.cause);
  if (error instanceof pg.DatabaseError) return awayStates.test(error.code ?? '');
  return isBrokenConnection(error) && !isTimeout(error);
}

const timeouts = ['timeout exceeded when trying to connect', 'Query read timeout'];

/** Returns true if no connection of the pool was free in time, or the server did not answer a statement in time. */
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
/** Messages of errors to which the `pg` driver assigns no code. */
const driverMessages =
  /^(Connection terminated|Query read timeout|Client has encountered a connection error)/;

function isBrokenConnection(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return networkCodes.has(String(code)) || driverMessages.test(String(message));
}
