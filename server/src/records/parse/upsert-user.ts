import { FieldErrors } from '../../lib/field-errors.ts';
import { type Fields, isAbsent, refuseUnknownFields, within } from '../../lib/request-fields.ts';
import { readUsername } from '../../usernames/username.ts';
import { readFieldEdits, readState, type State, userFieldNames, userFields } from '../fields/fields.ts';
import { firstPasswordNames, readFirstPassword, type UserRules } from './new-password.ts';
import { readItemObject, type Upsert } from './parsed-user.ts';

const upsertFields = ['Username', ...userFieldNames, 'State', ...firstPasswordNames];

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
    state: readUpsertState(sent, place, errors),
    password: firstPasswordNames.every((name) => isAbsent(sent[name]))
      ? null
      : readUpsertPassword(sent, place, rules),
  };
}

/** Reads the state. `invited`, which exports have, means a user that is not disabled. */
function readUpsertState({ State }: Fields, place: string, errors: FieldErrors): State | null {
  return State === 'invited' ? 'active' : readState(State, within(place, 'State'), errors);
}

function readUpsertPassword(sent: Fields, place: string, rules: UserRules): Upsert['password'] {
  const errors = new FieldErrors();
  return { ...readFirstPassword(sent, place, rules, errors), errors };
}
