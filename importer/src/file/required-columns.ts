import { type ColumnNames, type FieldGroup, type ImportColumn, requireFields } from './columns.ts';
import type { InterpretOptions } from './row-user.ts';
import { type ImportField, principalImportFields } from './types.ts';

const secretFields: readonly ImportField[] = ['Password', 'PasswordHash'];

/** A row with UserID is a password reset. Only the error of a file that resets passwords suggests this column. */
function userFields({ resets }: InterpretOptions): FieldGroup {
  const accepted: readonly ImportField[] = ['Username', 'UserID'];
  return { accepted, needed: resets ? accepted : ['Username'] };
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
  requireFields(columns, [
    userFields(options),
    ...(options.withoutPasswords ? [] : [{ accepted: secretFields, needed: secretFields }]),
    ...(options.principal || resetsByName
      ? []
      : [{ accepted: principalImportFields, needed: principalImportFields }]),
  ]);
  return columns;
}

/** Rejects only a first row without any known field, because later rows may have other names. */
export function jsonColumns(
  header: readonly string[],
  names: ColumnNames,
  options: InterpretOptions,
): ImportColumn[] {
  const columns = names.columns(header);
  if (header.length > 0 && columns.every(({ field }) => field === null))
    requireFields(columns, [userFields(options)]);
  return columns;
}
