import type { FieldErrors } from '../lib/field-errors.ts';
import type { Fields } from '../lib/request-fields.ts';
import type { TimeSlice } from '../lib/yield-to-event-loop.ts';
import type { WriteContext, Written } from './outcome.ts';
import type { ParsedRecord } from './parsed-record.ts';

export type OperationName = 'update' | 'insert' | 'state';

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
  /** One password hash for each user, in the order sent. */
  readonly hashes: readonly string[];
  readonly context: WriteContext;
}

export interface Check<D extends ParsedRecord> {
  /** Checks the next group of records and adds the errors to their `errors`. */
  run(parsedRecords: readonly D[]): Promise<void>;
}

/** A write operation: defines how its records are parsed, checked and written. */
export interface Operation<D extends ParsedRecord = ParsedRecord> {
  readonly name: OperationName;
  read(fields: Fields, errors: FieldErrors, timeSlice: TimeSlice): Promise<D>;
  /**
   * Starts the checks of one call. A username or external key that a valid record claims is taken for all later
   * records of the call, also for those in later groups.
   */
  newCheck(): Check<D>;
  /** Returns the ordering key: records with the same key are applied in the order sent. Null means any order. */
  order(parsed: D): number | null;
  /** Returns the number of users that the record writes. It limits the size of a group. */
  size(parsed: D): number;
  need(parsed: D): IdNeed;
  reserveIds(needs: readonly IdNeed[]): Promise<readonly ReservedIds[]>;
  /** Returns the principal ID to look up when it is unknown whether the record was written. */
  idOf(parsed: D, ids: ReservedIds): number | null;
  /**
   * Writes a group of records with different ordering keys in one transaction. Each record is written as a whole or,
   * if the store is no longer as the checks found it, not at all; its result is then null. Throws a `WriteFailure` if
   * nothing was written.
   */
  write(records: readonly ReadyRecord<D>[]): Promise<readonly (Written | null)[]>;
}

export type Operations = Readonly<Record<OperationName, Operation>>;
