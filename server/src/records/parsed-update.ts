import type { FieldErrors } from '../lib/field-errors.ts';
import { type Fields, isAbsent, refuseUnknownFields } from '../lib/request-fields.ts';
import type { TimeSlice } from '../lib/yield-to-event-loop.ts';
import type { SentPrincipal } from './compared-values.ts';
import { editablePrincipalFields, externalKeyField, readFieldEdits, readState } from './fields.ts';
import { ignoredFields, readUsers } from './parsed-record.ts';
import { type ReferringRecord, readPrincipalReference } from './references.ts';
import {
  type Edit,
  isNamedByUsername,
  readUserItem,
  type UpdateItem,
  type UserItem,
  type UserRules,
} from './user-item.ts';

export interface ParsedUpdate extends ReferringRecord {
  /** The new values of the principal; null if the record has none. */
  readonly principal: SentPrincipal | null;
  /** All users in the order sent. `users` has those of them whose passwords are written. */
  readonly items: readonly UpdateItem[];
  readonly renames: readonly Edit[];
}

const principalNames = [...Object.keys(editablePrincipalFields), 'NewExternalKey', 'State'];
const knownFields = ['ID', 'ExternalKey', ...principalNames, 'Users', ...ignoredFields];

/** Reads a record of `irs/update`. */
export async function readUpdate(
  fields: Fields,
  errors: FieldErrors,
  rules: UserRules,
  timeSlice: TimeSlice,
): Promise<ParsedUpdate> {
  const reference = readPrincipalReference(fields, errors);
  refuseUnknownFields(fields, knownFields, '', errors);
  const principal = readPrincipal(fields, errors);
  if (isAbsent(fields.Users) && principal === null) errors.addMissing('Users');
  else if (Array.isArray(fields.Users) && fields.Users.length === 0) errors.add('Users', 'NO_USERS');
  const items = await readUsers(
    fields.Users,
    (user, place) => readUserItem(user, place, rules, errors),
    errors,
    timeSlice,
  );
  const renames = items.filter(isEdit).filter(({ newUsername }) => newUsername !== null);
  return { ...reference, principal, items, users: items.filter(hasPassword), renames, errors };
}

function readPrincipal(fields: Fields, errors: FieldErrors): SentPrincipal | null {
  if (principalNames.every((name) => isAbsent(fields[name]))) return null;
  const { NewExternalKey: ExternalKey } = readFieldEdits(
    fields,
    { NewExternalKey: externalKeyField },
    '',
    errors,
  );
  return {
    fields: {
      ...readFieldEdits(fields, editablePrincipalFields, '', errors),
      ...(ExternalKey !== undefined && { ExternalKey }),
    },
    state: readState(fields.State, 'State', errors),
  };
}

/** Returns true for a record that only registers users and resets passwords by ID, which depend on no stored values. */
export function isPlain({ principal, items, users }: ParsedUpdate): boolean {
  return principal === null && items.length === users.length && !items.some(isNamedByUsername);
}

function hasPassword(item: UpdateItem): item is UserItem {
  return item.operation === 'register' || item.operation === 'reset';
}

export function isEdit(item: UpdateItem): item is Edit {
  return item.operation === 'edit';
}
