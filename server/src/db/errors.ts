import pg from 'pg';
import { ApiError } from '../lib/field-errors.ts';
import { OperatorError } from '../lib/operator-error.ts';

/**
 * The effect of a failed write on the data.
 * `conflict`: nothing was written, because of a concurrent write; read the data again and retry.
 * `notWritten`: nothing was written; a retry may succeed later.
 * `timeLimit`: nothing was written, because PostgreSQL ended a statement that took or waited for a lock too long.
 * `refused`: nothing was written, and a retry would fail too.
 * `unknown`: there was no valid answer to the write, which may or may not be stored.
 * `hasOutcome`: nothing was written, because the record already has an outcome.
 */
export type WriteFailureKind = 'conflict' | 'notWritten' | 'timeLimit' | 'refused' | 'unknown' | 'hasOutcome';

export class WriteFailure extends Error {
  readonly kind: WriteFailureKind;

  constructor(kind: WriteFailureKind, cause?: unknown) {
    super(`the write ended as ${kind}`, { cause });
    this.name = 'WriteFailure';
    this.kind = kind;
  }
}

/**
 * `database`: the database could not be reached, or has refused; nothing was changed.
 * `conflict`: concurrent writes of the same data went first; nothing was changed.
 * `noAnswer`: a statement was sent, and there was no answer, so the text does not say that nothing was changed.
 */
export type UnavailableReason = 'database' | 'conflict' | 'noAnswer';

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

/**
 * The server has neither confirmed nor refused a statement: it may or may not be executed. The connection is closed,
 * because the answer may still arrive.
 */
export class NoAnswer extends Error {
  readonly timedOut: boolean;

  constructor(cause: unknown, { timedOut = false } = {}) {
    super('the connection to the database gave no valid answer', { cause });
    this.name = 'NoAnswer';
    this.timedOut = timedOut;
  }
}

/** There was no answer to a commit, so the transaction may or may not be stored. */
export class CommitUnknown extends NoAnswer {
  override name = 'CommitUnknown';
}

/**
 * Runs statements whose failure is the failure of the request. Throws an `ApiError` UNAVAILABLE with Retry-After if the
 * database cannot be reached or does not answer, and OUTCOME_UNKNOWN if there was no answer to a commit. A write without
 * a transaction is thus one that the caller may simply repeat. The statements that write records throw a `WriteFailure`
 * instead.
 */
export async function withApiErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CommitUnknown) throw new ApiError('OUTCOME_UNKNOWN', { cause: error });
    if (error instanceof NoAnswer) throw unavailable(error, 'noAnswer');
    throw ['notWritten', 'timeLimit'].includes(failureKind(error)) ? unavailable(error) : error;
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

/**
 * Returns the failure of a transaction. `isSent` is true if its last statements and its commit were sent: without an
 * answer from PostgreSQL it is then unknown whether they were executed. Before that, nothing was written: a lost
 * connection can be tried again, and an error of the service itself would occur again.
 */
export function writeFailure(error: unknown, isSent: boolean): WriteFailure {
  const kind = failureKind(error);
  if (kind !== 'unknown' || isSent) return new WriteFailure(kind, error);
  return new WriteFailure(error instanceof NoAnswer ? 'notWritten' : 'refused', error);
}

/**
 * SQLSTATEs that do not say that nothing was written: connection exceptions, timeouts of the session, an unknown
 * completion, a shutdown or crash, and errors of the system, which the server can also send after the commit.
 */
const unconfirmedStates = /^(08...|25P03|25P04|40003|57P01|57P02|57P05|58...|F0...|XX...)$/;

/**
 * Returns the error with which a statement has failed: the `DatabaseError` of the server if it says that nothing was
 * written, otherwise a `NoAnswer`. The server localizes the severity, so it is not compared with `ERROR`; the SQLSTATEs
 * of errors that end the session are in `unconfirmedStates`.
 */
export function statementError(error: unknown): pg.DatabaseError | NoAnswer {
  if (error instanceof NoAnswer) return error;
  if (!(error instanceof pg.DatabaseError)) return new NoAnswer(error);
  const { code = '', severity } = error;
  const isRefusal = /^[0-9A-Z]{5}$/.test(code) && !unconfirmedStates.test(code);
  return isRefusal && severity !== 'FATAL' && severity !== 'PANIC' ? error : new NoAnswer(error);
}

const kindsBySqlState: readonly (readonly [RegExp, WriteFailureKind])[] = [
  // Unique violation, serialization failure, deadlock.
  [/^(23505|40001|40P01)$/, 'conflict'],
  // Insufficient resources, server starting, standby.
  [/^(53...|57P03|25006)$/, 'notWritten'],
  // Statement timeout or cancellation, lock timeout.
  [/^(57014|55P03)$/, 'timeLimit'],
];

/**
 * Classifies the error of a write by its effect on the data. Everything but the word of the server is `unknown`, also
 * an error of the service itself, which may have occurred after the commit.
 */
export function failureKind(error: unknown): WriteFailureKind {
  if (error instanceof NotConnected || error instanceof ReadOnlyServer) return 'notWritten';
  if (!(error instanceof pg.DatabaseError) || statementError(error) !== error) return 'unknown';
  if (error.constraint === 'outcomes_pkey') return 'hasOutcome';
  const state = error.code ?? '';
  return kindsBySqlState.find(([pattern]) => pattern.test(state))?.[1] ?? 'refused';
}

/** SQLSTATEs of a broken connection, and of a server that is stopping, crashed, starting or a standby. */
const connectionFailureStates = /^(08(?!P01)...|57P01|57P02|57P03|25006)$/;

/** Returns true if the server could not be reached, closed the connection, or is read-only. */
export function isConnectionFailure(error: unknown): boolean {
  if (error instanceof ReadOnlyServer) return true;
  if (error instanceof pg.DatabaseError) return connectionFailureStates.test(error.code ?? '');
  if (error instanceof CommitUnknown) return isConnectionFailure(error.cause);
  if (error instanceof NoAnswer && error.cause instanceof pg.DatabaseError)
    return isConnectionFailure(error.cause);
  return (error instanceof NotConnected || error instanceof NoAnswer) && !isTimeout(error);
}

/** The error of the pool if no connection was free in time. It has no code. */
const noFreeConnection = 'timeout exceeded when trying to connect';

/** Returns true if no connection of the pool was free in time, or the server did not answer a statement in time. */
export function isTimeout(error: unknown): boolean {
  if (error instanceof NotConnected) return (error.cause as Error).message === noFreeConnection;
  return error instanceof NoAnswer && error.timedOut;
}

/** Returns true if a call failed because there was no answer to one of its statements. */
export function isAnswerLost(error: unknown): boolean {
  return error instanceof ApiError && error.cause instanceof NoAnswer;
}
