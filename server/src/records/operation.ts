import type { FieldErrors } from '../lib/field-errors.ts';
import type { Fields } from '../lib/request-fields.ts';
import type { TimeSlice } from '../lib/yield-to-event-loop.ts';
import type { Outcome, WriteContext, Written } from './outcome.ts';
import type { ParsedRecord } from './parsed-record.ts';
import type { UserItem } from './user-item.ts';

export type OperationName = 'update' | 'insert' | 'state' | 'upsert' | 'delete';

/** The options of `irs/upsert`, which belong to the call: they are the same for all of its records. */
export interface UpsertOptions {
  /** Action for users of a sent principal that the record does not contain. */
  readonly missing: 'keep' | 'disable' | 'delete';
  /** `overwrite`: a password that is sent for an existing user replaces the stored one. */
  readonly passwords: 'keep' | 'overwrite';
  /** `refuse`: a record that would change an existing principal, or that contains an existing user, fails. */
  readonly existing: 'update' | 'refuse';
  /** True if errors may contain stored values, which requires the scope `sync:read`. */
  readonly showsStored: boolean;
}

export interface IdNeed {
  readonly principals: 0 | 1;
  readonly users: number;
}

/** IDs reserved for the rows that a record creates, before the record is written. */
export interface ReservedIds {
  /** Null if the record creates no principal. */
  readonly principal: number | null;
  /** One ID for each registration, in the order sent. */
  readonly users: readonly number[];
}

export interface ReadyRecord<D extends ParsedRecord = ParsedRecord> {
  readonly parsed: D;
  readonly ids: ReservedIds;
  /** The password hash of each of `parsed.users`, except of those that can be parsed again with their hash. */
  readonly hashes: ReadonlyMap<UserItem, string>;
  readonly context: WriteContext;
}

export interface Check<D extends ParsedRecord> {
  /** Checks the next group of records and adds the errors to their `errors`. */
  run(parsedRecords: readonly D[]): Promise<void>;
}

export interface CheckTools {
  /** Reserves memory that the checks need beyond the body of the call; throws an `ApiError` if there is too little. */
  readonly holdMemory?: (bytes: number) => void;
  /** True for a dry run whose answer shows the stored values that would change. */
  readonly showsChanges?: boolean;
}

/** A write operation: defines how its records are parsed, checked and written. */
export interface Operation<D extends ParsedRecord = ParsedRecord> {
  readonly name: OperationName;
  read(fields: Fields, errors: FieldErrors, timeSlice: TimeSlice): Promise<D>;
  /**
   * Starts the checks of one call. A username or external key that a valid record claims is taken for all later
   * records of the call, also for those in later groups.
   */
  newCheck(tools?: CheckTools): Check<D>;
  /** Returns the ordering key: records with the same key are applied in the order sent. Null means any order. */
  order(parsed: D): number | null;
  /** Returns the number of users that the record writes. It limits the size of a group. */
  size(parsed: D): number;
  need(parsed: D): IdNeed;
  reserveIds(needs: readonly IdNeed[]): Promise<readonly ReservedIds[]>;
  /** Returns the principal ID to look up when it is unknown whether the record was written. */
  idOf(parsed: D, ids: ReservedIds): number | null;
  /** Returns the outcome that a valid record would have, for a dry run; absent if the operation computes no effect. */
  expectedOutcome?(parsed: D): Outcome;
  /**
   * Writes a group of records with different ordering keys in one transaction. Each record is written as a whole or,
   * if the store is no longer as the checks found it, not at all; its result is then null. Throws a `WriteFailure` if
   * nothing was written.
   */
  write(records: readonly ReadyRecord<D>[]): Promise<readonly (Written | null)[]>;
}

export interface Operations extends Readonly<Record<Exclude<OperationName, 'upsert'>, Operation>> {
  upsert(options: UpsertOptions): Operation;
}

export const defaultOptions: UpsertOptions = {
  missing: 'keep',
  passwords: 'keep',
  existing: 'update',
  showsStored: false,
};

/** Returns the operation of a call. `options` is null for an operation without options. */
export function operationOf(
  operations: Operations,
  name: OperationName,
  options: UpsertOptions | null,
): Operation {
  return name === 'upsert' ? operations.upsert(options ?? defaultOptions) : operations[name];
}
