import type { InsertRecord, UpdateRecord } from '@anagrafe/client';
import type { ImportFile } from '../file/open.ts';
import type { RowPrincipal } from '../file/row-user.ts';
import type { ImportRow, RecordRow, UserRow } from '../file/rows.ts';
import type { RowSource } from '../file/types.ts';
import { codedError, columnOf, fromFileError, type RowErrors } from './row-errors.ts';

export interface RowRecord<Record> {
  readonly row: ImportRow;
  readonly record: Record;
}

/** The distinct descriptions of each principal in the rows of a batch, by external key, in row order. */
export type PrincipalDescriptions = ReadonlyMap<string, readonly InsertRecord[]>;

/**
 * The records of a batch. They depend only on its rows: a batch that is sent again has the same bytes, as its
 * `Idempotency-Key` requires.
 */
export interface BatchRecords {
  readonly errors: RowErrors;
  /** Principals to insert before `update` is sent, whose records refer to them by external key. */
  readonly principals: PrincipalDescriptions;
  readonly update: readonly RowRecord<UpdateRecord>[];
  readonly insert: readonly RowRecord<InsertRecord>[];
}

/** Creates one record per row, so that an error in one row does not affect the others. */
export function buildRecords(rows: readonly ImportRow[]): BatchRecords {
  const errors: RowErrors = new Map();
  const principals = new Map<string, InsertRecord[]>();
  const update: RowRecord<UpdateRecord>[] = [];
  const insert: RowRecord<InsertRecord>[] = [];
  for (const row of rows) {
    if (row.kind === 'invalid') errors.set(row.number, row.errors.map(fromFileError));
    else if (row.kind === 'record') addRecord(row);
    else addUser(row);
  }
  return { errors, principals, update, insert };

  function addRecord(row: RecordRow): void {
    const { ID, ExternalKey, Users, Position, FieldErrors, ...texts } = row.record;
    const isReference = ExternalKey !== undefined && Users !== undefined && Object.keys(texts).length === 0;
    // Sent unchanged: the service reports unknown and invalid fields.
    const record = row.record as unknown;
    if ((ID !== undefined && ID !== null) || isReference)
      update.push({ row, record: record as UpdateRecord });
    else insert.push({ row, record: record as InsertRecord });
  }

  function addUser(row: UserRow): void {
    const { principal, user } = row;
    const { ID, ExternalKey } = principal;
    const isReset = user.ID !== undefined;
    const Users = [user] as unknown as UpdateRecord['Users'];
    if (ID !== undefined) update.push({ row, record: { ID, Users } });
    else if (ExternalKey !== undefined) {
      if (isDescribed(principal) && !isReset) describe(ExternalKey, principal);
      update.push({ row, record: { ExternalKey, Users } });
    } else if (isReset) errors.set(row.number, [codedError('RESET_WITHOUT_PRINCIPAL')]);
    else insert.push({ row, record: { ...principal, Users } as InsertRecord });
  }

  function describe(key: string, principal: RowPrincipal): void {
    const known = principals.get(key) ?? [];
    const isNew = !known.some((other) => JSON.stringify(other) === JSON.stringify(principal));
    if (isNew) principals.set(key, [...known, { ...principal }]);
  }
}

/**
 * Returns true if the row has fields from which a principal can be inserted. An external key alone refers to an
 * existing principal: inserting one for it would hide a misspelt key.
 */
function isDescribed({ ID, ExternalKey, ...texts }: RowPrincipal): boolean {
  return Object.keys(texts).length > 0;
}

/** Returns `Users` of an unchecked record. An element that is not an object becomes `{}`, which keeps the indexes. */
export function usersOf(record: object): readonly Readonly<Record<string, unknown>>[] {
  const { Users } = record as { readonly Users?: unknown };
  if (!Array.isArray(Users)) return [];
  return Users.map((user) => (typeof user === 'object' && user !== null ? user : {}));
}

/** Returns an error for each row that would reset a password: registering users must not change existing ones. */
export function findResets(rows: readonly ImportRow[]): RowErrors {
  const errors: RowErrors = new Map();
  for (const row of rows) {
    if (row.kind === 'invalid') continue;
    const users = row.kind === 'user' ? [row.user] : usersOf(row.record);
    // The API treats null like an absent field.
    const at = users.findIndex(({ ID }) => ID !== undefined && ID !== null);
    if (at >= 0)
      errors.set(row.number, [codedError('RESET_IN_IMPORT', columnOf(`Users[${at}].ID`, row.kind))]);
  }
  return errors;
}

/**
 * Normalises case and width, so that usernames the service treats as equal become equal strings. This approximates the
 * PRECIS profile of the service and serves to compare rows; the service decides.
 */
export function foldUsername(username: string): string {
  return username.normalize('NFKC').toLowerCase();
}

/** Field paths by row number. */
export type RowPaths = ReadonlyMap<number, ReadonlySet<string>>;

/** Returns the field paths of the usernames that an earlier row has too. */
export function findRepeatedUsernames(records: readonly RowRecord<unknown>[]): RowPaths {
  const firstRows = new Map<string, number>();
  const repeated = new Map<number, Set<string>>();
  for (const { row, record } of [...records].sort((one, other) => one.row.number - other.row.number)) {
    for (const [at, { Username }] of usersOf(record as object).entries()) {
      if (typeof Username !== 'string') continue;
      const name = foldUsername(Username);
      const first = firstRows.get(name);
      if (first === undefined) firstRows.set(name, row.number);
      else if (first !== row.number)
        repeated.set(row.number, (repeated.get(row.number) ?? new Set()).add(`Users[${at}].Username`));
    }
  }
  return repeated;
}

export interface Batch {
  readonly rows: readonly ImportRow[];
  /** Bytes of the file that were read when the batch was complete. */
  readonly bytesRead: number;
}

export interface BatchLimits {
  readonly rows: number;
  /** Sum of the lengths of the cells or of the JSON text, in UTF-16 code units. */
  readonly characters: number;
}

/** A job of this size takes seconds, and the memory use does not depend on the size of the file. */
export const batchLimits: BatchLimits = { rows: 2000, characters: 4_000_000 };

/**
 * Splits the rows of a file after the row number `after` into batches. The limits depend on the content of the rows
 * alone, so that the same file always has the same batches if `after` is 0 or the end of a batch.
 */
export async function* inBatches(file: ImportFile, limits: BatchLimits, after = 0): AsyncGenerator<Batch> {
  let rows: ImportRow[] = [];
  let characters = 0;
  for await (const row of file) {
    if (row.number <= after) continue;
    rows.push(row);
    characters += lengthOf(row.source);
    if (rows.length < limits.rows && characters < limits.characters) continue;
    yield { rows, bytesRead: file.bytesRead };
    rows = [];
    characters = 0;
  }
  if (rows.length > 0) yield { rows, bytesRead: file.bytesRead };
}

function lengthOf(source: RowSource): number {
  if (source === null) return 0;
  if (!Array.isArray(source)) return JSON.stringify(source).length;
  return source.reduce((sum, cell) => sum + cell.length, 0);
}
