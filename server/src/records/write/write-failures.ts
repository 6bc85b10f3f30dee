import { WriteFailure, type WriteFailureKind } from '../../db/errors.ts';
import type { ErrorDetail } from '../../lib/error-codes.ts';
import { ApiError } from '../../lib/field-errors.ts';
import { ThreadEnded } from '../../passwords/hash-thread.ts';
import type { Outcome } from './outcome.ts';

/** Maximum number of attempts to write a record that conflicts with concurrent writes. */
const attempts = 10;

/** The consequences if a group of records, or a record that is written alone, was not written. */
interface FailureRules {
  /** The records of the group are then written one by one: only one of them may be the cause. */
  readonly isTriedAlone: boolean;
  /** The record is checked and written again, up to this number of attempts: a concurrent write may be undone. */
  readonly attempts: number;
  /** The error of the outcome; null if another node has stored the outcome. */
  readonly error: ErrorDetail | null;
  /** False if a retry of the call or chunk applies the record, so that the outcome is not stored. */
  readonly isFinal: boolean;
}

const conflict: ErrorDetail = { code: 'NOT_APPLIED', variant: 'conflict', figures: { attempts } };
const noDatabase: ErrorDetail = { code: 'NOT_APPLIED', variant: 'database' };

/** The only place that decides what follows a failure. `WriteFailureKind` says what each kind means. */
export const failureRules: Readonly<Record<WriteFailureKind, FailureRules>> = {
  conflict: { isTriedAlone: true, attempts, error: conflict, isFinal: false },
  timeLimit: { isTriedAlone: true, attempts: 1, error: noDatabase, isFinal: false },
  notWritten: { isTriedAlone: false, attempts: 1, error: noDatabase, isFinal: false },
  unknown: { isTriedAlone: false, attempts: 1, error: { code: 'OUTCOME_UNKNOWN' }, isFinal: false },
  refused: { isTriedAlone: true, attempts: 1, error: { code: 'RECORD_FAILED' }, isFinal: true },
  hasOutcome: { isTriedAlone: true, attempts: 1, error: null, isFinal: true },
};

/**
 * Returns the kind of any error with which a record was not applied. An `ApiError` means that a read of the store failed,
 * `ThreadEnded` that a password could not be hashed: nothing was written, and a retry may succeed.
 */
export function kindOfFailure(error: unknown): WriteFailureKind {
  if (error instanceof WriteFailure) return error.kind;
  return error instanceof ApiError || error instanceof ThreadEnded ? 'notWritten' : 'refused';
}

const retriedCodes = new Set(
  Object.values(failureRules).flatMap(({ error, isFinal }) => (error && !isFinal ? [error.code] : [])),
);

/** Returns true if an outcome is final; false if the record may be tried again or its commit is unconfirmed. */
export function isFinal({ error }: Outcome): boolean {
  return error === null || !retriedCodes.has(error.code);
}
