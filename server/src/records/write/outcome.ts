import type { Actor } from '../../audit/audit-log.ts';
import type { CallerTags } from '../../db/visibility.ts';
import { codes, type ErrorDetail } from '../../lib/error-codes.ts';
import type { FieldErrors } from '../../lib/field-errors.ts';
import type { CodeIssuer, IssuedCode } from '../../passwords/password-code.ts';
import type { FieldValue } from '../fields/fields.ts';
import type { InviteChannel } from '../parse/new-password.ts';
import type { OperationName, ParsedRecord } from '../parse/parsed-record.ts';

/** A field whose value differs from the stored one. Null means that the field is not set. */
export interface FieldChange {
  readonly field: string;
  readonly from: FieldValue | null;
  readonly to: FieldValue | null;
}

/** Why an undo or a merge leaves something as it is. */
export const keptReasons = [
  'changed',
  'deleted',
  'moved',
  'password',
  'expired',
  'taken',
  'last',
  'differs',
] as const;

/** A field that an undo or a merge leaves as it is. Null stands for the user or principal as a whole. */
export interface KeptField {
  readonly field: string | null;
  readonly reason: (typeof keptReasons)[number];
  /** The value of a merged principal, which is not kept; only in a dry run. */
  readonly other?: FieldValue | null;
}

/** A user of an applied record or, in a dry run, of a record that would be applied. */
export interface AppliedUser {
  /** Null in a dry run, for a user that would be registered. */
  readonly id: number | null;
  readonly username: string;
  readonly email: string | null;
  readonly operation: UserOperation;
  /** The names of the changed fields; absent unless the user was edited. */
  readonly changed?: readonly string[];
  /** Only for a user that was reset, moved or enabled, and that still cannot sign in. */
  readonly state?: 'disabled' | 'invited';
  /** Only for a user that was invited. */
  readonly invite?: AppliedInvite;
  /** The changed fields with their values; only in a dry run, and without the password. */
  readonly changes?: readonly FieldChange[];
  /** What an undo leaves as it is. */
  readonly keptFields?: readonly KeptField[];
}

export interface AppliedInvite {
  readonly channel: InviteChannel;
  /** Null if none was issued in this call. In the repeated answer of a call it has no text. */
  readonly code: Pick<IssuedCode, 'issuedAt' | 'expiresAt'> | IssuedCode | null;
}

/** The effect on one user of an applied record. `none`: the stored user already had all values. */
type UserOperation =
  | 'register'
  | 'reset'
  | 'state'
  | 'edit'
  | 'move'
  | 'disable'
  | 'delete'
  | 'invite'
  | 'none';

/** The effect on the principal of an applied record. */
export type PrincipalOutcome = 'inserted' | 'updated' | 'unchanged' | 'deleted';

/** Adds the username and email address to a user of an applied record. The username is empty if `names` lacks the ID. */
export function withNames(
  id: number,
  operation: AppliedUser['operation'],
  names: ReadonlyMap<number, Pick<AppliedUser, 'username' | 'email'>>,
  details: Pick<AppliedUser, 'changed' | 'state' | 'invite' | 'keptFields'> = {},
): AppliedUser {
  const { username = '', email = null } = names.get(id) ?? {};
  return { id, username, email, operation, ...details };
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
  /** The effect on the principal; absent if the record failed or its operation does not report it. */
  readonly principal?: PrincipalOutcome;
  /** The external key that a failed record was sent with, if it was sent without an ID. */
  readonly externalKey?: string;
  /** The first username in a failed record, in a list of outcomes. */
  readonly username?: string;
  /** The changed fields of the principal; only in a dry run. */
  readonly changes?: readonly FieldChange[];
  /** What an undo leaves of the principal as it is. */
  readonly keptFields?: readonly KeptField[];
}

export interface IndexedOutcome extends Outcome {
  /** Zero-based index of the record in the call. */
  readonly position: number;
}

export function refused(
  parsed: Pick<ParsedRecord, 'sentId' | 'externalKey' | 'errors'>,
  error: ErrorDetail = mainError(parsed.errors, 'done'),
): Outcome {
  const { sentId: id, errors, externalKey } = parsed;
  const named = id === null && externalKey !== null;
  return { id, error, errors, users: [], ...(named && { externalKey }) };
}

/** Selects the one error that summarises the field errors of a record. The variant is `dry` for a dry run. */
export function mainError(errors: FieldErrors, variant: 'done' | 'dry'): ErrorDetail {
  const { firstOfKind } = errors;
  const outdated = firstOfKind.get('PLAN_OUTDATED');
  if (outdated) return outdated;
  const missing = firstOfKind.get('PRINCIPAL_NOT_FOUND');
  if (missing) return missing;
  const [first] = firstOfKind.values();
  if (first && firstOfKind.size === 1 && codes[first.code] === 'record') return first;
  return { code: errors.onlyInUsers ? 'INVALID_USERS' : 'INVALID_RECORD', variant };
}

/** The row of a call when it is stored. */
export interface CallRow {
  readonly id: string;
  /** Null in protected mode. */
  readonly clientId: number | null;
  readonly operation: OperationName;
  /** The number of records and of their users. */
  readonly records: number;
  readonly users: number;
}

/** The values that all changes of one call or chunk share. */
export interface WriteContext {
  readonly actor: Actor;
  /** The call that the outcomes are stored with, and its row if that is not stored yet; null if they are not stored. */
  readonly call: { readonly id: string; readonly unstoredCall: CallRow | null } | null;
  /** The tags of a limited caller: it must still see the principals. */
  readonly callerTags: CallerTags;
  /** The hash that was verified when a signed-in user changes its own password: it must still be stored. */
  readonly expectedCurrentHash?: string;
  /** The digest, in hexadecimal, of the code with which a user sets its password: it must still be valid. */
  readonly expectedCode?: string;
  /** Issues the codes of invited users; absent if they are issued later. */
  readonly issueCode?: CodeIssuer | null;
}
