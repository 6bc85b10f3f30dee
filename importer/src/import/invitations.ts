import type { JobInvitation } from '@anagrafe/client';
import { csvLine } from '../file/failed-rows.ts';
import { isObject } from '../file/json-element.ts';
import type { ImportRow } from '../file/rows.ts';
import { hasSecret } from './records.ts';

/** The way in which new users without a password get their codes: by mail, or from the caller. */
export type InviteChannel = 'email' | 'code';

/** Adds `Invite` to users without a password. The service ignores it for users that exist. */
export function fillInvites(rows: readonly ImportRow[], channel: InviteChannel): readonly ImportRow[] {
  const filled = <User>(user: User): User =>
    isObject(user) && !hasSecret(user) && !hasSome(user, 'ConfirmPassword', 'ID', 'Invite')
      ? { ...user, Invite: channel }
      : user;
  return rows.map((row) => {
    if (row.kind === 'user') return { ...row, user: filled(row.user) };
    if (row.kind === 'invalid' || !Array.isArray(row.record.Users)) return row;
    return { ...row, record: { ...row.record, Users: row.record.Users.map(filled) } };
  });
}

function hasSome(user: object, ...names: readonly string[]): boolean {
  return names.some((name) => ((user as Readonly<Record<string, unknown>>)[name] ?? null) !== null);
}

/** Returns true if one of the users is invited if it is new. */
export function invitesUsers(users: readonly unknown[]): boolean {
  return users.some((user) => isObject(user) && hasSome(user, 'Invite'));
}

/** The columns of a CSV file with the codes of invited users, by the names of their fields. */
const columns = {
  PrincipalID: 'IRID',
  ExternalKey: 'ExternalKey',
  Denomination: 'Denomination',
  UserID: 'ID',
  Username: 'Username',
  Email: 'Email',
  FirstName: 'FirstName',
  LastName: 'LastName',
  Language: 'Language',
  Code: 'Code',
  URL: 'URL',
  ExpiresAt: 'ExpiresAt',
} as const satisfies Readonly<Record<string, keyof JobInvitation>>;

export const codeColumns: readonly string[] = Object.keys(columns);

/** Returns the lines of a CSV file with codes, without the line of `codeColumns`. Users without a code are left out. */
export function codeLines(invitations: readonly JobInvitation[], separator: string): string[] {
  return invitations
    .filter(({ Code }) => Code !== null)
    .map((invitation) =>
      csvLine(
        Object.values(columns).map((field) => String(invitation[field] ?? '')),
        separator,
      ),
    );
}
