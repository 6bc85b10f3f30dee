import type { FieldErrors } from '../lib/field-errors.ts';
import { type Fields, isAbsent, refuseUnknownFields, within } from '../lib/request-fields.ts';
import type { TimeSlice } from '../lib/yield-to-event-loop.ts';
import { readUsername, type Username } from '../usernames/username.ts';
import type { SentPrincipal, SentUser } from './compared-values.ts';
import {
  editablePrincipalFields,
  principalFieldNames,
  readFieldEdits,
  readState,
  userFieldNames,
  userFields,
} from './fields.ts';
import { ignoredFields, type ParsedRecord, type RecordEffect, readUsers } from './parsed-record.ts';
import { readPrincipalReference } from './references.ts';
import type { RecordDiff } from './upsert-diff.ts';
import { readItemObject, type UserItem } from './user-item.ts';

export interface UpsertItem extends SentUser {
  /** Path of the item in the record, such as `Users[0]`. */
  readonly place: string;
  readonly username: Username | null;
  /** `Password`, `ConfirmPassword` and `PasswordHash` as sent. They are read only if the password is written. */
  readonly secrets: Readonly<Record<string, unknown>>;
  /** The password to write. Kept when a record is checked again, because its hash is found by this object. */
  secret: UserItem | null;
}

export interface ParsedUpsert extends ParsedRecord, SentPrincipal {
  /** The field that names the principal. */
  readonly namedBy: 'ID' | 'ExternalKey';
  readonly principalId: number | null;
  readonly externalKey: string | null;
  /** Null if the record has no `Users`: its users stay as they are. */
  readonly items: readonly UpsertItem[] | null;
  /** The users whose passwords are written. Set by the check. */
  users: readonly UserItem[];
  /** Null before the check, and for an invalid record. */
  diff: RecordDiff | null;
  effect: RecordEffect | null;
}

const recordFields = ['ID', ...principalFieldNames, 'State', 'Users', ...ignoredFields];
const itemFields = ['Username', ...userFieldNames, 'State', 'Password', 'ConfirmPassword', 'PasswordHash'];

/** Reads a record of `irs/upsert`. */
export async function readUpsert(
  fields: Fields,
  errors: FieldErrors,
  timeSlice: TimeSlice,
): Promise<ParsedUpsert> {
  const { sentId, principalId, externalKey } = readPrincipalReference(fields, errors, 'ExternalKey');
  refuseUnknownFields(fields, recordFields, '', errors);
  const edits = readFieldEdits(fields, editablePrincipalFields, '', errors);
  const state = readState(fields.State, 'State', errors);
  const items = isAbsent(fields.Users) ? null : await readUsers(fields.Users, readItem, errors, timeSlice);
  return {
    sentId,
    namedBy: isAbsent(fields.ID) ? 'ExternalKey' : 'ID',
    // A record that sends both names no principal.
    principalId: isAbsent(fields.ExternalKey) ? principalId : null,
    externalKey,
    fields: externalKey === null ? edits : { ...edits, ExternalKey: externalKey },
    state,
    items,
    users: [],
    errors,
    diff: null,
    effect: null,
  };
}

function readItem(value: unknown, place: string, errors: FieldErrors): UpsertItem | null {
  const fields = readItemObject(value, place, errors);
  if (!fields) return null;
  const { Password, ConfirmPassword, PasswordHash } = fields;
  refuseUnknownFields(fields, itemFields, place, errors);
  if (isAbsent(fields.Username)) errors.addMissing(within(place, 'Username'));
  return {
    place,
    username: readUsername(fields.Username, within(place, 'Username'), errors),
    fields: readFieldEdits(fields, userFields, place, errors),
    state: readState(fields.State, within(place, 'State'), errors),
    secrets: { Password, ConfirmPassword, PasswordHash },
    secret: null,
  };
}
