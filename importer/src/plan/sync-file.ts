import { type UpsertTuple, userFields } from '@anagrafe/client';
import { ColumnProfiles, type UnusedColumn } from '../file/column-profile.ts';
import type { ImportFile } from '../file/open.ts';
import type { ImportRow, UserRow } from '../file/rows.ts';
import {
  columnsOfPrincipal,
  type PrincipalField,
  principalColumns,
  rowUnit,
  userFieldNames,
} from '../file/types.ts';
import type { ImportConnection } from '../import/calls.ts';
import { FileComparer } from '../import/file-comparer.ts';
import { fillPasswords, type GeneratedPasswords } from '../import/fill-passwords.ts';
import { fillInvites, type InviteChannel } from '../import/invitations.ts';
import type { CombinedRecord } from '../import/records.ts';
import { codedError, type RowError, type RowErrors, rowError } from '../import/row-errors.ts';
import { combineRows, errorsByRow, type RowGroup } from '../import/row-group.ts';
import type { WarningLog } from '../import/warnings.ts';

/** The content of a file as records of `irs/upsert`, one for each principal, in the order of their first rows. */
export interface SyncFile {
  readonly records: readonly SyncRecord[];
  /** The rows that cannot be used. */
  readonly errors: readonly RowProblem[];
  /** The number of all rows, with those left out as copies. */
  readonly rows: number;
  readonly passwords: GeneratedPasswords;
  readonly warnings: WarningLog;
  readonly unused: readonly UnusedColumn[];
}

export interface SyncRecord extends CombinedRecord {
  /** The ID of the principal in a row that has its ExternalKey too; null if there is none. */
  readonly expectedId: number | null;
}

export interface RowProblem {
  /** The number of the row. */
  readonly number: number;
  readonly line: number;
  readonly errors: readonly RowError[];
}

interface EmptyFields {
  readonly principal: readonly PrincipalField[];
  readonly user: readonly string[];
}

interface ReadOptions {
  /** An empty cell clears the field. Otherwise the field is not sent and stays as it is. */
  readonly clearEmpty: boolean;
  /** Generates the password of a row that has none; null generates none. */
  readonly generate: ((row: UserRow) => string) | null;
  /** Invites new users without a password. */
  readonly invite?: InviteChannel | null;
}

/**
 * Combines the rows of a file into one record for each principal. Rows that contradict each other are errors, and are
 * not merged: a company name that differs from that of an earlier row, or a username that occurs twice. An exact copy of
 * an earlier row is left out, with a warning.
 */
export async function readSyncFile(
  file: Pick<ImportFile, 'columns' | 'layout'> & (AsyncIterable<ImportRow> | Iterable<ImportRow>),
  { clearEmpty, generate, invite = null }: ReadOptions,
  connection: ImportConnection,
): Promise<SyncFile> {
  const rows: ImportRow[] = [];
  const unit = rowUnit(file.layout);
  const profiles = new ColumnProfiles(file.columns);
  for await (const row of file) {
    profiles.add(row.source);
    // The cells of a row are not needed any more, and would double the memory.
    rows.push({ ...row, source: null });
  }
  const comparer = new FileComparer({ existing: 'update', unit, isStrict: true, readAll: null });
  const { consistent, aliases, errors: inFile } = await comparer.compare(rows, connection);
  const filled = generate
    ? fillPasswords(consistent, generate)
    : { rows: consistent, passwords: new Map<number, string>() };
  const completed = invite ? fillInvites(filled.rows, invite) : filled.rows;
  const { groups, tooLarge, insert, errors: invalid } = combineRows(completed, aliases);
  const errors = new Map([...inFile, ...invalid]);
  const unnamed = codedError('PRINCIPAL_UNNAMED');
  for (const { members } of insert) for (const { row } of members) errors.set(row.number, [unnamed]);
  // Reported once: thousands of rows have the same error.
  for (const { members } of tooLarge)
    for (const { row } of members.slice(0, 1)) errors.set(row.number, [codedError('PRINCIPAL_TOO_LARGE')]);
  const empty = clearEmpty ? emptyFields(file) : { principal: [], user: [] };
  for (const { members } of groups) {
    for (const field of empty.principal) {
      const stated = members.find(({ fields }) => fields[field] !== undefined);
      const blank = members.filter(({ fields }) => fields[field] === undefined);
      const column = principalColumns.get(field) ?? field;
      const message = `The cell is empty and would clear the field, but ${unit} ${stated?.row.line} has a value for the same principal.`;
      for (const { row } of stated ? blank : [])
        errors.set(row.number, [
          ...(errors.get(row.number) ?? []),
          codedError('EMPTY_CONTRADICTS_ROW', column, message),
        ]);
    }
  }
  return {
    records: groups.map((group) => syncRecord(group, empty)),
    errors: problemsOf(rows, errors),
    rows: rows.length,
    passwords: filled.passwords,
    warnings: comparer.warnings,
    unused: profiles.unused,
  };
}

function problemsOf(rows: readonly ImportRow[], errors: RowErrors): RowProblem[] {
  return rows.flatMap(({ number, line }) => {
    const found = errors.get(number) ?? [];
    return found.length === 0 ? [] : [{ number, line, errors: found }];
  });
}

/** Returns the errors of a record by row. An error of the principal is reported with one of its rows only. */
export function problemsOfRecord(
  record: SyncRecord,
  { Item4, Item5 }: Pick<UpsertTuple, 'Item4' | 'Item5'>,
): RowProblem[] {
  const reported = new Set<string>();
  const errors: RowErrors = new Map();
  for (const [number, found] of errorsByRow(record, Item5, Item4)) {
    const own = found.filter(({ column, message }) => isOfUser(column) || !reported.has(message));
    for (const { message } of own) reported.add(message);
    errors.set(number, own);
  }
  return problemsOf(
    record.members.map(({ row }) => row),
    errors,
  );
}

/**
 * Returns the problems of all rows that were left out, those of records that were left out as a whole among them.
 *
 * @param message The problem of a row of such a record that has no error of its own.
 */
export function problemsOfAllRows(
  problems: readonly RowProblem[],
  records: readonly SyncRecord[],
  message: string,
): readonly RowProblem[] {
  const numbers = new Set(problems.map(({ number }) => number));
  const others = records.flatMap(({ members }) => members).filter(({ row }) => !numbers.has(row.number));
  const errors = [rowError(message)];
  return [...problems, ...others.map(({ row: { number, line } }) => ({ number, line, errors }))];
}

function isOfUser(column: string | null): boolean {
  return column !== null && !columnsOfPrincipal.includes(column);
}

/** The fields that have a column in the file and that an empty text clears, by their names in a record. */
function emptyFields({ columns }: Pick<ImportFile, 'columns'>): EmptyFields {
  const present = new Set<string | null>(columns.map(({ field }) => field));
  const texts = userFieldNames.filter((field) => userFields[field].format !== 'attributes');
  return {
    principal: [...principalColumns]
      .filter(([field, column]) => field !== 'ExternalKey' && present.has(column))
      .map(([field]) => field),
    user: texts.filter((field) => present.has(field)),
  };
}

function syncRecord({ record, members }: RowGroup, empty: EmptyFields): SyncRecord {
  const cleared = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, '']));
  const { ID, Users, ...others } = record as Readonly<Record<string, unknown>>;
  // A record has one of both. The plan shows which principal has the ExternalKey, which is then compared.
  const stated = members.find(({ fields }) => fields.ID !== undefined)?.fields.ID;
  const hasBoth = ID !== undefined && others.ExternalKey !== undefined;
  const clearsUsers = empty.user.length > 0 && Array.isArray(Users);
  const users = clearsUsers ? Users.map((user) => ({ ...cleared(empty.user), ...user })) : Users;
  return {
    record: {
      ...cleared(empty.principal),
      ...others,
      ...(ID !== undefined && !hasBoth && { ID }),
      ...(users !== undefined && { Users: users }),
    },
    members,
    expectedId: stated === undefined ? null : Number(stated),
  };
}
