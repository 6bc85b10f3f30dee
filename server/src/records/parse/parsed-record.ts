import type { FieldErrors } from '../../lib/field-errors.ts';
import { type Fields, isAbsent, isId, within } from '../../lib/request-fields.ts';
import { TimeSlice } from '../../lib/yield-to-event-loop.ts';
import type { SentPrincipal } from '../fields/compared-values.ts';
import { externalKeyField, readField } from '../fields/fields.ts';
import type { InviteChannel } from './new-password.ts';
import type { ParsedUser } from './parsed-user.ts';

export type OperationName = 'update' | 'insert' | 'state' | 'upsert' | 'delete' | 'merge' | 'undo' | 'invite';

/** The principal that a record names by exactly one of `ID` and `ExternalKey`. */
export interface PrincipalReference {
  /** The ID from the request, for the answer; null if it is absent or no integer. */
  readonly sentId: number | null;
  /** The ID, if it is valid. */
  readonly principalId: number | null;
  readonly externalKey: string | null;
  readonly namedBy: 'ID' | 'ExternalKey';
}

/** A parsed but unapplied record of a call. Values that could not be parsed are null and have an error in `errors`. */
export interface ParsedRecord extends PrincipalReference {
  /** The new values of the principal; null if the record has none. */
  readonly principal: SentPrincipal | null;
  /** Null if the record has no `Users`. */
  readonly users: readonly ParsedUser[] | null;
  /** The channel for the invited users of the principal; absent unless the operation is `invite`. */
  readonly invite?: InviteChannel | null;
  /** True if the record may insert a principal that looks like another one. */
  readonly allowsSimilar: boolean;
  /** In a merge, the principal that is merged into the one that the record names. */
  readonly source?: PrincipalReference;
  /** In an undo, the users that the call moves away before it deletes the principal. */
  readonly leaving?: readonly number[];
  readonly errors: FieldErrors;
}

/** Fields that the API adds to failed records for people to read. They are ignored when a record is sent again. */
export const ignoredFields = ['FieldErrors', 'Position'];

/** The value of `Similar` in a record that accepts that its principal looks like another one. */
export const similarAllowed = 'allow';

/** Reads `ID` and `ExternalKey`. `usual` is the field at which a record without either gets its error, `place` the object that has them. */
export function readPrincipalReference(
  fields: Fields,
  errors: FieldErrors,
  { usual = 'ID', place = '' }: { readonly usual?: 'ID' | 'ExternalKey'; readonly place?: string } = {},
): PrincipalReference {
  const principalId = isId(fields.ID) ? fields.ID : null;
  const externalKey = readField(fields.ExternalKey, externalKeyField, within(place, 'ExternalKey'), errors);
  if (isAbsent(fields.ID) && isAbsent(fields.ExternalKey))
    errors.add(within(place, usual), 'REQUIRED', { variant: 'principal' });
  else if (!isAbsent(fields.ID) && !isAbsent(fields.ExternalKey))
    errors.add(within(place, 'ID'), 'AMBIGUOUS_PRINCIPAL');
  else if (!isAbsent(fields.ID) && principalId === null) errors.add(within(place, 'ID'), 'INVALID_ID');
  const namedBy = isAbsent(fields.ID) ? 'ExternalKey' : 'ID';
  return { sentId: sentIdOf(fields), principalId, externalKey, namedBy };
}

/** Parses the users of a record, with pauses for the event loop. */
export async function readUsers(
  value: unknown,
  readUser: (value: unknown, place: string) => ParsedUser | null,
  errors: FieldErrors,
): Promise<ParsedUser[]> {
  const users: ParsedUser[] = [];
  if (isAbsent(value)) return users;
  if (!Array.isArray(value)) {
    errors.add('Users', 'WRONG_TYPE', { variant: 'array' });
    return users;
  }
  const timeSlice = new TimeSlice();
  for (const [position, sent] of value.entries()) {
    const user = readUser(sent, `Users[${position}]`);
    if (user) users.push(user);
    if (timeSlice.isOver) await timeSlice.yield();
  }
  return users;
}

export function sentIdOf(fields: Fields): number | null {
  return Number.isSafeInteger(fields.ID) ? (fields.ID as number) : null;
}

/** Returns the users of a record with one of the operations. */
export function usersWith<Name extends ParsedUser['operation']>(
  { users }: ParsedRecord,
  ...operations: readonly Name[]
): Extract<ParsedUser, { operation: Name }>[] {
  const isWanted = (user: ParsedUser): user is Extract<ParsedUser, { operation: Name }> =>
    operations.some((operation) => operation === user.operation);
  return (users ?? []).filter(isWanted);
}
