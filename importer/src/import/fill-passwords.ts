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
