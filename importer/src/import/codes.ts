import type { JobInvitation } from '@anagrafe/client';
import { csvLine } from '../file/failed-rows.ts';

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
