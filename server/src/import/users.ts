import { createHmac } from 'node:crypto';
import type { UserOfPrincipal } from '@anagrafe/client';
import { foldedUsername, type Line, type RowFaults, resetIn } from '@anagrafe/client/import';
import type { SheetItem, UserItem } from '@anagrafe/client/sheet';
import type { ImportTask } from './task.ts';

/** Generated passwords by row number. */
export type Passwords = ReadonlyMap<number, string>;

/** The rows of a batch, prepared for sending. */
export interface PreparedBatch {
  /** All rows as read from the file. */
  readonly items: readonly SheetItem[];
  /** The rows without an error, with generated passwords and user IDs filled in. */
  readonly complete: readonly SheetItem[];
  readonly passwords: Passwords;
  /** Errors of the rows that cannot be sent, by row number. */
  readonly faults: RowFaults;
}

/** The most usernames that the service looks up in one request. */
const namesAtOnce = 100;

/** Fills in what rows lack: generated passwords and, for a reset, the IDs of users that are named by username. */
export async function prepareRows(
  items: readonly SheetItem[],
  { purpose, passwordsPath }: ImportTask,
  seed: Buffer,
  line: Line,
): Promise<PreparedBatch> {
  const passwords = new Map<number, string>();
  const withPasswords = items.map((item) => {
    if (passwordsPath === null || item.kind !== 'user' || !lacksPassword(item)) return item;
    const password = generatedPassword(seed, item.row);
    passwords.set(item.row, password);
    return { ...item, user: { ...item.user, Password: password, ConfirmPassword: password } };
  });
  const faults = purpose === 'register' ? resetsAmong(items) : new Map();
  const all = purpose === 'register' ? withPasswords : await withIds(withPasswords, faults, line);
  return { items, complete: all.filter((item) => !faults.has(item.row)), passwords, faults };
}

/** Returns an error for each row that would reset a password: registering users must not change existing ones. */
function resetsAmong(items: readonly SheetItem[]): RowFaults {
  const message = 'this row would reset a password, which is done by "anagrafe reset".';
  return new Map(
    items.flatMap((item) => {
      const column = resetIn(item);
      return column === null ? [] : [[item.row, [{ column, message }]] as const];
    }),
  );
}

function lacksPassword({ user }: UserItem): boolean {
  return user.Password === undefined && user.ConfirmPassword === undefined && user.PasswordHash === undefined;
}

async function withIds(items: readonly SheetItem[], faults: RowFaults, line: Line): Promise<SheetItem[]> {
  const found = await usersNamed(
    items.flatMap((item) => nameOf(item) ?? []),
    line,
  );
  return items.map((item) => {
    const name = nameOf(item);
    if (item.kind !== 'user' || name === undefined) return item;
    const user = found.get(foldedUsername(name));
    if (!user) faults.set(item.row, [{ column: 'Username', message: 'there is no such user.' }]);
    return user ? resetOf(item, user) : item;
  });
}

/** Keeps the principal if the row names one; the service then checks that the user belongs to it. */
function resetOf(item: UserItem, { ID, IRID }: UserOfPrincipal): UserItem {
  const { Password, ConfirmPassword } = item.user;
  const secrets = { ...(Password && { Password }), ...(ConfirmPassword && { ConfirmPassword }) };
  const named = item.principal.ID !== undefined || item.principal.ExternalKey !== undefined;
  return { ...item, principal: named ? item.principal : { ID: IRID }, user: { ID, ...secrets } };
}

function nameOf(item: SheetItem): string | undefined {
  return item.kind === 'user' && item.user.ID === undefined ? item.user.Username : undefined;
}

async function usersNamed(
  names: readonly string[],
  { anagrafe, signal }: Line,
): Promise<Map<string, UserOfPrincipal>> {
  const users = new Map<string, UserOfPrincipal>();
  const distinct = [...new Set(names)];
  for (let at = 0; at < distinct.length; at += namesAtOnce) {
    const Usernames = distinct.slice(at, at + namesAtOnce);
    for await (const user of anagrafe.users({ Usernames, PageSize: namesAtOnce }, { signal }))
      users.set(foldedUsername(user.Username), user);
  }
  return users;
}

/** Omits letters and digits that look alike. The length of 32 divides 256, so the modulo of a byte has no bias. */
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';
const groups = 4;
const groupLength = 5;

/** Derives a password with 100 bits of entropy. The same seed and row always give the same password. */
export function generatedPassword(seed: Buffer, row: number): string {
  const bytes = createHmac('sha256', seed).update(String(row)).digest();
  return Array.from({ length: groups }, (_, group) =>
    Array.from(
      { length: groupLength },
      (_, at) => alphabet[(bytes[group * groupLength + at] ?? 0) % alphabet.length],
    ).join(''),
  ).join('-');
}
