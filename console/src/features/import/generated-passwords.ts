import {
  byteOrderMark,
  csvLine,
  type GeneratedPasswords,
  type ImportRow,
  passwordColumns,
  passwordLines,
  type RowErrors,
} from '@anagrafe/importer';

/**
 * Returns the lines of a CSV file with the generated passwords of the users that were registered, for a mail merge.
 *
 * @param failed The rows that were not applied, whose passwords are of no use.
 */
export function passwordFile(
  rows: readonly ImportRow[],
  passwords: GeneratedPasswords,
  failed: RowErrors,
  separator: string,
): string[] {
  const applied = rows.filter(({ number }) => !failed.has(number));
  return [
    byteOrderMark + csvLine(passwordColumns, separator),
    ...passwordLines(applied, passwords, separator),
  ];
}
