import {
  byteOrderMark,
  csvLine,
  type GeneratedPasswords,
  type ImportRow,
  type RowErrors,
} from '@anagrafe/importer';

const columns = ['Line', 'PrincipalID', 'ExternalKey', 'Username', 'Email', 'Password'];

/**
 * Returns the lines of a CSV file with the generated passwords of the users that were registered, for a mail merge.
 *
 * @param failed The rows that were not applied, whose passwords are of no use.
 */
export function passwordLines(
  rows: readonly ImportRow[],
  passwords: GeneratedPasswords,
  failed: RowErrors,
  separator: string,
): string[] {
  const lines = rows.flatMap((row) => {
    const password = passwords.get(row.number);
    if (row.kind !== 'user' || password === undefined || failed.has(row.number)) return [];
    const { principal, user } = row;
    const cells = [
      String(row.line),
      principal.ID === undefined ? '' : String(principal.ID),
      principal.ExternalKey ?? '',
      user.Username ?? '',
      user.Email ?? '',
      password,
    ];
    return [csvLine(cells, separator)];
  });
  return [byteOrderMark + csvLine(columns, separator), ...lines];
}
