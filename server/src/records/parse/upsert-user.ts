import { FieldErrors } from '../../lib/field-errors.ts';
import { type Fields, isAbsent, refuseUnknownFields, within } from '../../lib/request-fields.ts';
import { readUsername } from '../../usernames/username.ts';
import { readFieldEdits, readState, userFieldNames, userFields } from '../fields/fields.ts';
import {
  passwordNames,
  readItemObject,
  readNewPassword,
  type Upsert,
  type UserRules,
} from './parsed-user.ts';

const upsertFields = ['Username', ...userFieldNames, 'State', ...passwordNames];

/** Parses a user of `irs/upsert`. */
export function readUpsertUser(
  value: unknown,
  place: string,
  rules: UserRules,
  errors: FieldErrors,
): Upsert | null {
  const sent = readItemObject(value, place, errors);
  if (!sent) return null;
  refuseUnknownFields(sent, upsertFields, place, errors);
  if (isAbsent(sent.Username)) errors.addMissing(within(place, 'Username'));
  return {
    operation: 'upsert',
    place,
    username: readUsername(sent.Username, within(place, 'Username'), errors),
    fields: readFieldEdits(sent, userFields, place, errors),
    state: readState(sent.State, within(place, 'State'), errors),
    password: passwordNames.every((name) => isAbsent(sent[name]))
      ? null
      : readUpsertPassword(sent, place, rules),
  };
}

function readUpsertPassword(sent: Fields, place: string, rules: UserRules): Upsert['password'] {
  const errors = new FieldErrors();
  return { value: readNewPassword(sent, place, rules, errors), errors };
}
