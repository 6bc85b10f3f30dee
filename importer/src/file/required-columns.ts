import { type ColumnNames, type ImportColumn, requireField } from './columns.ts';
import type { InterpretOptions } from './row-user.ts';
import { type ImportField, principalImportFields } from './types.ts';

const userFields: readonly ImportField[] = ['Username', 'UserID'];

/** A row with UserID is a password reset. Only the error of a file that resets passwords suggests this column. */
function requireUser(columns: readonly ImportColumn[], { resets }: InterpretOptions): void {
  requireField(columns, userFields, resets ? userFields : ['Username']);
}

/** @throws {ImportFileError} If a mapped or required column is missing, or if two columns map to the same field. */
export function csvColumns(
  header: readonly string[],
  names: ColumnNames,
  options: InterpretOptions,
): ImportColumn[] {
  names.requireMapped(header);
  const columns = names.columns(header);
  const resetsByName = options.resets === true && columns.some(({ field }) => field === 'Username');
  requireUser(columns, options);
  if (!options.withoutPasswords) requireField(columns, ['Password', 'PasswordHash']);
  if (!options.principal && !resetsByName) requireField(columns, principalImportFields);
  return columns;
}

/** Rejects only a first row without any known field, because later rows may have other names. */
export function jsonColumns(
  header: readonly string[],
  names: ColumnNames,
  options: InterpretOptions,
): ImportColumn[] {
  const columns = names.columns(header);
  if (header.length > 0 && columns.every(({ field }) => field === null)) requireUser(columns, options);
  return columns;
}
