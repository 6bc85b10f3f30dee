import type { UserOfPrincipal } from '@anagrafe/client';
import type { ImportConnection } from './calls.ts';
import { foldUsername } from './records.ts';

/** The most usernames that the service looks up in one request. */
const usernamesPerCall = 100;

/** Returns the stored users with these usernames, by the result of `foldUsername`. */
export async function findUsers(
  usernames: readonly string[],
  { anagrafe, signal }: ImportConnection,
): Promise<Map<string, UserOfPrincipal>> {
  const users = new Map<string, UserOfPrincipal>();
  const distinct = [...new Set(usernames)];
  for (let at = 0; at < distinct.length; at += usernamesPerCall) {
    const Usernames = distinct.slice(at, at + usernamesPerCall);
    for await (const user of anagrafe.users({ Usernames, PageSize: usernamesPerCall }, { signal }))
      users.set(foldUsername(user.Username), user);
  }
  return users;
}
