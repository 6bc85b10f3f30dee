import { resolve } from 'node:path';
import type { Anagrafe, Mail, UserOfPrincipal } from '@anagrafe/client';
import { findUsers, foldUsername } from '@anagrafe/importer';
import { openTaskFile } from '@anagrafe/importer/node';
import { findPrincipal, findUser, type PrincipalKey, type UserKey } from './lookup.ts';

/** How a command selects the users that it invites. */
export interface UserSelection {
  /** Usernames, email addresses or IDs. */
  readonly names: readonly string[];
  /** The kind of the names. */
  readonly by?: UserKey | undefined;
  /** A file with a column of usernames. */
  readonly file?: string | undefined;
  /** The ID or external key of a principal: its users that are invited. */
  readonly principal?: string | undefined;
  /** Only users whose last mail has this state, of the newest 10,000 mails with it. */
  readonly state?: Mail['State'] | undefined;
}

export interface Problem {
  /** The user, or the line of the file. */
  readonly of: string;
  readonly message: string;
}

interface SelectedUsers {
  readonly users: readonly UserOfPrincipal[];
  readonly problems: readonly Problem[];
}

/**
 * Returns the users that a command names or, without names and a file, those that were invited and have not set a password
 * yet. A name that no user has is an error on the command line, and a problem in a file.
 */
export async function selectUsers(
  { names, by, file, principal, state }: UserSelection,
  anagrafe: Anagrafe,
): Promise<SelectedUsers> {
  if (file !== undefined) return usersInFile(resolve(file), anagrafe);
  const users = new Map<number, UserOfPrincipal>();
  if (names.length > 0)
    for (const name of names) {
      const user = await findUser(anagrafe, name, by);
      users.set(user.ID, user);
    }
  else {
    const mailed = state === undefined ? null : await usersWithMail(state, anagrafe);
    const of = principal === undefined ? {} : { ID: await principalId(anagrafe, principal) };
    for await (const user of anagrafe.users({ ...of, State: 'invited', PageSize: 1000 }))
      if (mailed?.has(user.ID) ?? true) users.set(user.ID, user);
  }
  return { users: [...users.values()], problems: [] };
}

/** Returns the users whose last invitation has the state. A new mail replaces those that failed or were stopped. */
async function usersWithMail(state: Mail['State'], anagrafe: Anagrafe): Promise<ReadonlySet<number>> {
  const users = new Set<number>();
  for await (const { UserID, Kind } of anagrafe.admin.mails.list({ state, pageSize: 1000 }))
    if (Kind === 'invitation') users.add(UserID);
  return users;
}

async function principalId(anagrafe: Anagrafe, text: string, by?: PrincipalKey): Promise<number> {
  return (await findPrincipal(anagrafe, text, by)).ID;
}

async function usersInFile(path: string, anagrafe: Anagrafe): Promise<SelectedUsers> {
  const file = await openTaskFile({
    path,
    purpose: 'reset',
    existing: 'update',
    columns: {},
    encoding: null,
    separator: null,
    sheet: null,
    keepsTotals: false,
    principal: null,
    passwordsPath: null,
    invite: null,
  });
  const problems: Problem[] = [];
  const lines = new Map<string, number>();
  for await (const row of file) {
    const name = row.kind === 'user' ? row.user.Username : undefined;
    if (name !== undefined) lines.set(name, lines.get(name) ?? row.line);
    else problems.push({ of: `Line ${row.line}`, message: 'has no username.' });
  }
  const found = await findUsers([...lines.keys()], { anagrafe });
  const users = new Map<number, UserOfPrincipal>();
  for (const [name, line] of lines) {
    const user = found.get(foldUsername(name));
    if (user) users.set(user.ID, user);
    else problems.push({ of: `Line ${line}`, message: `There is no user with the username ${name}.` });
  }
  return { users: [...users.values()], problems };
}
