import { type Anagrafe, ApiError } from '@anagrafe/client';
import { foldUsername } from '@anagrafe/importer';
import { grouped } from './output/format.ts';
import { tell } from './output/output.ts';
import type { SyncRecord } from './sync-file.ts';

/** The most disabled users of the service that are read, to find those of the file among them. */
const usersMax = 10_000;
/** Maximum number of usernames in the message. */
const namesMax = 5;

/**
 * Returns the usernames of the file whose users are disabled and stay so, because the file has no `State` for them.
 * Returns null if the API client may not read users, or if the service has too many disabled ones.
 */
export async function findDisabled(
  records: readonly SyncRecord[],
  anagrafe: Anagrafe,
): Promise<string[] | null> {
  const kept = new Map<string, string>();
  for (const { record } of records)
    for (const { Username, State } of record.Users ?? [])
      if (typeof Username === 'string' && !State) kept.set(foldUsername(Username), Username);
  const found: string[] = [];
  let read = 0;
  if (kept.size === 0) return found;
  try {
    for await (const user of anagrafe.users({ State: 'disabled', PageSize: 1000 })) {
      if (++read > usersMax) return null;
      const username = kept.get(foldUsername(user.Username));
      if (username !== undefined) found.push(username);
    }
  } catch (error) {
    if (error instanceof ApiError && error.code === 'FORBIDDEN') return null;
    throw error;
  }
  return found;
}

/** Prints that disabled users of the file stay disabled. */
export function printDisabled(usernames: readonly string[] | null): void {
  if (usernames === null) {
    tell('Users that are disabled stay disabled, unless the file has a column State.');
    return;
  }
  if (usernames.length === 0) return;
  const names = `${usernames.slice(0, namesMax).join(', ')}${usernames.length > namesMax ? ', …' : ''}`;
  tell(
    usernames.length === 1
      ? `1 user of the file is disabled and stays disabled (${names}). To enable it, add a column State with the value active.`
      : `${grouped(usernames.length)} users of the file are disabled and stay disabled (${names}). To enable them, add a column State with the value active.`,
  );
}
