import type { IssuedCode } from '../passwords/password-code.ts';
import { csvLine, type ExportFormat, withoutFormula } from '../records/read/export-format.ts';

/** A user that a job has invited, with its new code. */
export interface JobInvitation {
  /** Zero-based index of the record in the job. */
  readonly position: number;
  readonly userId: number;
  /** True if the job has registered the user. */
  readonly isNew: boolean;
  /** Null if the user was deleted. */
  readonly user: InvitedUser | null;
  /** Null if the user gets no code. */
  readonly code: IssuedCode | null;
  /** Why the user gets no code; null if it gets one. */
  readonly skipped: 'deleted' | 'disabled' | 'password_set' | null;
}

export interface InvitedUser {
  readonly principalId: number;
  readonly externalKey: string | null;
  readonly denomination: string | null;
  readonly username: string;
  readonly email: string | null;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly language: string | null;
}

/** `withNames` is false for a caller that may not read the names of existing users. */
function invitationFields(
  { position, userId, isNew, user, code, skipped }: JobInvitation,
  withNames: boolean,
) {
  const names = withNames || isNew ? user : null;
  return {
    Position: position,
    IRID: user?.principalId ?? null,
    ExternalKey: names?.externalKey ?? null,
    Denomination: names?.denomination ?? null,
    ID: userId,
    Username: names?.username ?? null,
    Email: names?.email ?? null,
    FirstName: names?.firstName ?? null,
    LastName: names?.lastName ?? null,
    Language: names?.language ?? null,
    Code: code?.text ?? null,
    URL: code?.url ?? null,
    ExpiresAt: code?.expiresAt.toISOString() ?? null,
    Skipped: skipped,
  };
}

type Fields = ReturnType<typeof invitationFields>;

const noFields = { position: 0, userId: 0, isNew: false, user: null, code: null, skipped: null };
const columns = Object.keys(invitationFields(noFields, false)) as (keyof Fields)[];

/** Yields the text of each group, after the heading of a CSV file. */
export async function* invitationTexts(
  groups: AsyncIterable<readonly JobInvitation[]>,
  { format, withNames }: { readonly format: ExportFormat; readonly withNames: boolean },
): AsyncGenerator<string> {
  if (format !== 'ndjson') yield `\ufeff${csvLine(columns)}`;
  const shown = format === 'spreadsheet' ? withoutFormula : (cell: string) => cell;
  const lineOf = (fields: Fields) =>
    format === 'ndjson'
      ? `${JSON.stringify(fields)}\n`
      : csvLine(columns.map((column) => shown(String(fields[column] ?? ''))));
  for await (const group of groups)
    yield group.map((invitation) => lineOf(invitationFields(invitation, withNames))).join('');
}
