import type { CallerTags } from '../../db/visibility.ts';
import type { FieldErrors } from '../../lib/field-errors.ts';
import type { Fields } from '../../lib/request-fields.ts';
import type { InviteRules } from '../parse/new-password.ts';
import type { OperationName, ParsedRecord } from '../parse/parsed-record.ts';
import type { PrincipalChange } from '../write/change.ts';

/** The options of a call, which are the same for all of its records. An operation ignores those that it does not have. */
export interface CallOptions {
  /** Action for users of a sent principal that the record does not contain. */
  readonly missing: 'keep' | 'disable' | 'delete';
  /** `overwrite`: a password that is sent for an existing user replaces the stored one. */
  readonly passwords: 'keep' | 'overwrite';
  /** `refuse`: a record that would change an existing principal, or that contains an existing user, fails. */
  readonly existing: 'update' | 'refuse';
  /** `refuse`: a record that would insert a principal that looks like another one fails; see look-alikes.ts. */
  readonly similar: 'allow' | 'refuse';
  /** `allow`: a user of another principal moves to the principal of the record. */
  readonly moves: 'refuse' | 'allow';
  /** See `InviteRules`. */
  readonly codes: InviteRules['codes'];
  /** The maximum number of mails per minute to the users that a job invites; null for as many as possible. */
  readonly perMinute: number | null;
  /** The run that an undo is about; null for other operations. */
  readonly run: string | null;
  /** True if errors may contain stored values, which requires the scope `sync:read`. */
  readonly showsStored: boolean;
  /** True if the caller may reset passwords with `irs/update`, and nothing else. */
  readonly resetsOnly: boolean;
  /** See `CallerTags`. They never change, so those of a stored job are still those of its caller. */
  readonly callerTags: CallerTags;
}

/** The mapped usernames of a call. The value is true if several of its records contain the username. */
export type CallUsernames = ReadonlyMap<string, boolean>;

export interface CheckTools {
  /** True for a dry run whose answer shows the stored values that would change. */
  readonly showsChanges?: boolean;
  /** Reads the usernames of all records of the call. Absent if the checks get a part of the call. */
  usernamesOfCall?(): Promise<CallUsernames>;
  /** The mapped usernames of stored users that other records of the call contain, for a check of a part of the call. */
  readonly namedElsewhere?: ReadonlySet<string>;
  /** Reserves memory for the stored users that a record does not contain, before they are read. */
  holdMemory?(bytes: number): void;
}

/** Compares the next group of records with the store. Returns the change of each; null if it got an error. */
export type Check = (parsedRecords: readonly ParsedRecord[]) => Promise<readonly (PrincipalChange | null)[]>;

/** A write operation: defines how its records are parsed, and which change each of them means. */
export interface Operation {
  readonly name: OperationName;
  parse(fields: Fields, errors: FieldErrors): Promise<ParsedRecord>;
  /**
   * Starts the checks of one call, or of one group of a job. A username or external key that a valid record gives is
   * taken for all later records that are checked with it. Between the groups of a job, the check at its submission and the
   * unique indexes see to that.
   */
  startChecks(tools?: CheckTools): Check;
}

export type Operations = Readonly<Record<OperationName, (options: CallOptions) => Operation>>;

export const defaultOptions: CallOptions = {
  missing: 'keep',
  passwords: 'keep',
  existing: 'update',
  similar: 'allow',
  moves: 'refuse',
  codes: 'later',
  perMinute: null,
  run: null,
  showsStored: false,
  resetsOnly: false,
  callerTags: null,
};

/** Returns the operation of a call. A stored job of an older version may lack some of the options. */
export function operationOf(
  operations: Operations,
  name: OperationName,
  options: Partial<CallOptions> | null,
): Operation {
  return operations[name]({ ...defaultOptions, ...options });
}
