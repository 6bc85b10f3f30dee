import type { UserOfPrincipal } from '@anagrafe/client';
import { foldedUsername, type Line, type RowFaults, resetIn } from '@anagrafe/client/import';
import type { SheetItem, UserItem } from '@anagrafe/client/sheet';
import { generatedPassword } from './passwords.ts';
import type { ImportTask } from './task.ts';

/** Those that were made up, by the numbers of their rows. */
export type Passwords = ReadonlyMap<number, string>;

/** Rows with all that they need to be sent. */
export interface Ready {
  /** As they came. */
  readonly items: readonly SheetItem[];
  /** As they are sent: those without a fault, with their passwords and IDs. */
  readonly complete: readonly SheetItem[];
  readonly passwords: Passwords;
  /** Rows of which something could not be found. */
  readonly faults: RowFaults;
}

/** As many usernames as the service looks up at once. */
const namesAtOnce = 100;

/** Gives rows what they lack: a password that is made up, and, for a reset, the ID of a user that is named. */
export async function readyRows(
  items: readonly SheetItem[],
  { purpose, passwordsPath }: ImportTask,
  seed: Buffer,
  line: Line,
): Promise<Ready> {
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

/** Whoever registers users does not mean to change the passwords of others. */
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

/** Under the principal that the row names, if it names one: whether the user belongs to it, the service says. */
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
  const different = [...new Set(names)];
  for (let at = 0; at < different.length; at += namesAtOnce) {
    const Usernames = different.slice(at, at + namesAtOnce);
    for await (const user of anagrafe.users({ Usernames, PageSize: namesAtOnce }, { signal }))
      users.set(foldedUsername(user.Username), user);
  }
  return users;
}
