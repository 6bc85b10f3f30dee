import type { UserOfPrincipal } from '@anagrafe/client';
import type { SheetItem, UserItem } from '@anagrafe/client/sheet';
import { generatedPassword } from './passwords.ts';
import type { Line, RowFaults } from './sending.ts';
import type { ImportTask } from './task.ts';

/** As many usernames as the service looks up at once. */
const namesAtOnce = 100;

/** Gives users that have neither a password nor a hash a password that is made up for their row. */
export function withPasswords(
  items: readonly SheetItem[],
  { passwordsPath }: ImportTask,
  seed: Buffer,
): SheetItem[] {
  return items.map((item) => {
    if (passwordsPath === null || item.kind !== 'user' || !lacksPassword(item)) return item;
    const password = generatedPassword(seed, item.row);
    return { ...item, user: { ...item.user, Password: password, ConfirmPassword: password } };
  });
}

function lacksPassword({ user }: UserItem): boolean {
  return user.Password === undefined && user.ConfirmPassword === undefined && user.PasswordHash === undefined;
}

/** Gives users whose password is to be reset and who are named the ID that a reset takes. */
export async function withIds(
  items: readonly SheetItem[],
  line: Line,
): Promise<{ items: SheetItem[]; faults: RowFaults }> {
  const found = await usersNamed(
    items.flatMap((item) => nameOf(item) ?? []),
    line,
  );
  const faults: RowFaults = new Map();
  const known: SheetItem[] = [];
  for (const item of items) {
    const name = nameOf(item);
    if (item.kind !== 'user' || name === undefined) {
      known.push(item);
      continue;
    }
    const user = found.get(folded(name));
    if (user && (item.principal.ID ?? user.IRID) === user.IRID) known.push(resetOf(item, user));
    else faults.set(item.row, ['Username: there is no such user.']);
  }
  return { items: known, faults };
}

function resetOf(item: UserItem, { ID, IRID }: UserOfPrincipal): UserItem {
  const { Password, ConfirmPassword } = item.user;
  const secrets = { ...(Password && { Password }), ...(ConfirmPassword && { ConfirmPassword }) };
  return { ...item, principal: { ID: IRID }, user: { ID, ...secrets } };
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
      users.set(folded(user.Username), user);
  }
  return users;
}

/** Usernames are the same without regard to case and width; other forms that look alike cannot be in one. */
function folded(username: string): string {
  return username.normalize('NFKC').toLowerCase();
}
