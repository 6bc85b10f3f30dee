import { byteOrderMark, csvLine, type ImportRow, type RowErrors, type UserRow } from '@anagrafe/importer';
import { generatePassword } from '../users/password-field.tsx';

/** Generated passwords by row number. They are kept in the memory of this page only. */
export type GeneratedPasswords = ReadonlyMap<number, string>;

interface RowsWithPasswords {
  readonly rows: readonly ImportRow[];
  readonly passwords: GeneratedPasswords;
}

/** Generates a password for each row that has neither a password nor a password hash. */
export function fillPasswords(rows: readonly ImportRow[]): RowsWithPasswords {
  const passwords = new Map<number, string>();
  const filled = rows.map((row) => {
    if (row.kind !== 'user' || !lacksPassword(row)) return row;
    const password = generatePassword();
    passwords.set(row.number, password);
    return { ...row, user: { ...row.user, Password: password, ConfirmPassword: password } };
  });
  return { rows: filled, passwords };
}

function lacksPassword({ user }: UserRow): boolean {
  return (
    user.ID === undefined &&
    user.Password === undefined &&
    user.ConfirmPassword === undefined &&
    user.PasswordHash === undefined
  );
}

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
