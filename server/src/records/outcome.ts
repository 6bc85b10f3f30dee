import type { Actor } from '../audit/audit-log.ts';
import { codes, type ErrorDetail } from '../lib/error-codes.ts';
import type { FieldErrors } from '../lib/field-errors.ts';
import type { ParsedRecord } from './parsed-record.ts';

export interface AppliedUser {
  readonly id: number;
  readonly username: string;
  readonly email: string | null;
  readonly operation: 'register' | 'reset' | 'state';
}

/** Adds the username and email address to a user of an applied record. The username is empty if `names` lacks the ID. */
export function withNames(
  id: number,
  operation: AppliedUser['operation'],
  names: ReadonlyMap<number, Pick<AppliedUser, 'username' | 'email'>>,
): AppliedUser {
  const { username = '', email = null } = names.get(id) ?? {};
  return { id, username, email, operation };
}

/** The result of one record: applied or failed. */
export interface Outcome {
  /** Principal ID; null if it is not known. */
  readonly id: number | null;
  /** The error that the record failed with; null if it was applied. */
  readonly error: ErrorDetail | null;
  readonly errors: FieldErrors;
  /** The written users, in the order sent; empty if the record failed. */
  readonly users: readonly AppliedUser[];
}

export interface IndexedOutcome extends Outcome {
  /** Zero-based index of the record in the call. */
  readonly position: number;
}

export function applied(id: number | null, users: readonly AppliedUser[], parsed: ParsedRecord): Outcome {
  return { id, error: null, errors: parsed.errors, users };
}

export function refused(
  parsed: ParsedRecord,
  error: ErrorDetail = mainError(parsed.errors, 'done'),
): Outcome {
  return { id: parsed.sentId, error, errors: parsed.errors, users: [] };
}

/** Selects the one error that summarises the field errors of a record. The variant is `dry` for a dry run. */
export function mainError(errors: FieldErrors, variant: 'done' | 'dry'): ErrorDetail {
  const { firstOfKind } = errors;
  const missing = firstOfKind.get('PRINCIPAL_NOT_FOUND');
  if (missing) return missing;
  const [first] = firstOfKind.values();
  if (first && firstOfKind.size === 1 && codes[first.code] === 'record') return first;
  return { code: errors.onlyInUsers ? 'INVALID_USERS' : 'INVALID_RECORD', variant };
}

/** Identifies one record among all records of all calls. */
export interface RecordReference {
  readonly callId: string;
  /** Zero-based index of the record in the call. */
  readonly position: number;
  /**
   * True if the outcome is stored in the same statement as the record, so that another node can resume the call. If
   * false, only the audit log entry holds the position.
   */
  readonly kept: boolean;
}

export interface WriteContext {
  readonly actor: Actor;
  readonly reference: RecordReference | null;
  /** Condition of a reset: the stored password hash must still be this one. Null means no condition. */
  readonly expectedCurrentHash: string | null;
}

export interface Written {
  readonly id: number;
  readonly users: readonly AppliedUser[];
}
