import { createHmac } from 'node:crypto';
import type { UserOfPrincipal } from '@anagrafe/client';
import type { ImportFile } from '../file/open.ts';
import type { ImportRow, UserRow } from '../file/rows.ts';
import { rowUnit } from '../file/types.ts';
import { findUsers, type ImportConnection } from '../import/calls.ts';
import type { EffectLog } from '../import/effects.ts';
import { FileComparer } from '../import/file-comparer.ts';
import { fillPasswords, type GeneratedPasswords } from '../import/fill-passwords.ts';
import { fillInvites } from '../import/invitations.ts';
import { foldUsername, hasSecret, usersOf } from '../import/records.ts';
import { codedError, type RowErrors } from '../import/row-errors.ts';
import { findStoredRows, type StoredRows } from '../import/stored-rows.ts';
import { type ImportTotals, noTotals } from '../import/totals.ts';
import { type ImportTask, openTaskFile } from './task.ts';

export interface PreparedRows {
  /** The rows without an error, with generated passwords and user IDs filled in. */
  readonly complete: readonly ImportRow[];
  readonly passwords: GeneratedPasswords;
  /** The stored email addresses of users whose passwords are reset, by row number. */
  readonly emails: ReadonlyMap<number, string>;
  readonly errors: RowErrors;
}

export function comparerOf(task: ImportTask, { layout }: Pick<ImportFile, 'layout'>): FileComparer {
  const { existing, purpose, withoutKey } = task;
  return new FileComparer({
    existing,
    unit: rowUnit(layout),
    resets: purpose === 'reset',
    readAll: withoutKey === 'join' ? () => rowsOf(task) : null,
  });
}

async function* rowsOf(task: ImportTask): AsyncGenerator<ImportRow> {
  yield* await openTaskFile(task);
}

/** Removes the errors of rows that failed only because they are stored already. Returns these rows. */
export async function removeStored(
  rows: readonly ImportRow[],
  errors: RowErrors,
  { purpose }: ImportTask,
  connection: ImportConnection,
): Promise<StoredRows> {
  if (purpose === 'reset') return new Map();
  const stored = await findStoredRows(rows, errors, connection);
  for (const number of stored.keys()) errors.delete(number);
  return stored;
}

/** Fills in what rows lack: generated passwords or invitations and, for a reset, the IDs of users that are named by username. */
export async function prepareRows(
  rows: readonly ImportRow[],
  { purpose, passwordsPath, invite }: ImportTask,
  seed: Buffer,
  connection: ImportConnection,
): Promise<PreparedRows> {
  const { rows: withPasswords, passwords } =
    passwordsPath === null
      ? { rows: invite === null ? rows : fillInvites(rows, invite), passwords: new Map() }
      : fillPasswords(rows, ({ number }) => generatePassword(seed, number));
  const errors: RowErrors = new Map();
  const emails = new Map<number, string>();
  const all =
    purpose === 'register' ? withPasswords : await withIds(withPasswords, errors, emails, connection);
  return { complete: all.filter((row) => !errors.has(row.number)), passwords, emails, errors };
}

async function withIds(
  rows: readonly ImportRow[],
  errors: RowErrors,
  emails: Map<number, string>,
  connection: ImportConnection,
): Promise<ImportRow[]> {
  const usernames = rows.flatMap((row) => usernameOf(row) ?? []);
  const found = await findUsers(usernames, connection);
  return rows.map((row) => {
    const username = usernameOf(row);
    if (row.kind !== 'user' || username === undefined) return row;
    const user = found.get(foldUsername(username));
    if (!user) errors.set(row.number, [codedError('USER_NOT_FOUND', 'Username')]);
    if (user?.Email) emails.set(row.number, user.Email);
    return user ? resetOf(row, user) : row;
  });
}

/** Keeps the principal if the row names one; the service then checks that the user belongs to it. */
function resetOf(row: UserRow, { ID, IRID }: UserOfPrincipal): UserRow {
  const { Password, ConfirmPassword } = row.user;
  const secrets = { ...(Password && { Password }), ...(ConfirmPassword && { ConfirmPassword }) };
  const named = row.principal.ID !== undefined || row.principal.ExternalKey !== undefined;
  return { ...row, principal: named ? row.principal : { ID: IRID }, user: { ID, ...secrets } };
}

function usernameOf(row: ImportRow): string | undefined {
  return row.kind === 'user' && row.user.ID === undefined ? row.user.Username : undefined;
}

/** Omits letters and digits that look alike. The length of 32 divides 256, so the modulo of a byte has no bias. */
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';
const groups = 4;
const groupLength = 5;

/** Derives a password with 100 bits of entropy. The same seed and row always give the same password. */
export function generatePassword(seed: Buffer, row: number): string {
  const bytes = createHmac('sha256', seed).update(String(row)).digest();
  return Array.from({ length: groups }, (_, group) =>
    Array.from(
      { length: groupLength },
      (_, at) => alphabet[(bytes[group * groupLength + at] ?? 0) % alphabet.length],
    ).join(''),
  ).join('-');
}

/** Returns the number of passwords of the file that were not used. A generated password is not one of the file. */
export function ownPasswordsNotUsed(
  { passwordsNotUsed }: EffectLog,
  { passwords }: Pick<PreparedRows, 'passwords'>,
): number {
  return passwordsNotUsed.filter((number) => !passwords.has(number)).length;
}

/** Returns the totals of rows that are stored already. A generated password is not one of the file. */
export function totalsOfStored({ complete, passwords }: PreparedRows, stored: StoredRows): ImportTotals {
  let [UsersUnchanged, PasswordsNotUsed] = [0, 0];
  for (const row of complete) {
    if (row.kind === 'invalid' || !stored.has(row.number)) continue;
    const users = row.kind === 'user' ? [row.user] : usersOf(row.record);
    UsersUnchanged += users.length;
    if (!passwords.has(row.number)) PasswordsNotUsed += users.filter(hasSecret).length;
  }
  return { ...noTotals, UsersUnchanged, PasswordsNotUsed };
}
