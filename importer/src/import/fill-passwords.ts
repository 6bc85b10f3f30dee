import { csvLine } from '../file/failed-rows.ts';
import type { ImportRow, UserRow } from '../file/rows.ts';

/** Generated passwords by row number. */
export type GeneratedPasswords = ReadonlyMap<number, string>;

/** Generates a password for each row that has neither a password nor a password hash. */
export function fillPasswords(
  rows: readonly ImportRow[],
  generate: (row: UserRow) => string,
): { readonly rows: readonly ImportRow[]; readonly passwords: GeneratedPasswords } {
  const passwords = new Map<number, string>();
  const filled = rows.map((row) => {
    if (row.kind !== 'user' || hasPassword(row)) return row;
    const password = generate(row);
    passwords.set(row.number, password);
    return { ...row, user: { ...row.user, Password: password, ConfirmPassword: password } };
  });
  return { rows: filled, passwords };
}

function hasPassword({ user: { Password, ConfirmPassword, PasswordHash } }: UserRow): boolean {
  return Password !== undefined || ConfirmPassword !== undefined || PasswordHash !== undefined;
}

export const passwordColumns = [
  'Line',
  'PrincipalID',
  'ExternalKey',
  'UserID',
  'Username',
  'Email',
  'Password',
];

/**
 * Returns the lines of a CSV file with generated passwords, without the line of `passwordColumns`.
 *
 * @param emails The email addresses of users whose rows have none, by row number.
 */
export function passwordLines(
  rows: readonly ImportRow[],
  passwords: GeneratedPasswords,
  separator: string,
  emails: ReadonlyMap<number, string> = new Map(),
): string[] {
  return rows.flatMap((row) => {
    const password = passwords.get(row.number);
    if (row.kind !== 'user' || password === undefined) return [];
    const { ID, ExternalKey } = row.principal;
    const email = row.user.Email ?? emails.get(row.number);
    const cells = [row.line, ID, ExternalKey, row.user.ID, row.user.Username, email, password];
    const texts = cells.map((cell) => String(cell ?? ''));
    return [csvLine(texts, separator)];
  });
}
