import type { FieldErrors } from '../../lib/field-errors.ts';
import {
  type Fields,
  isAbsent,
  isObject,
  refuseUnknownFields,
  usersOf,
  within,
} from '../../lib/request-fields.ts';
import type { SentPrincipal } from '../fields/compared-values.ts';
import {
  editablePrincipalFields,
  externalKeyField,
  principalFieldNames,
  principalFields,
  readFieldEdits,
  readFields,
  readState,
} from '../fields/fields.ts';
import type { UserRules } from './new-password.ts';
import {
  ignoredFields,
  type ParsedRecord,
  readPrincipalReference,
  readUsers,
  similarAllowed,
} from './parsed-record.ts';
import {
  type ParsedUser,
  readDeletion,
  readRegistration,
  readUserItem,
  readUserState,
  type Undo,
  type UserEffect,
} from './parsed-user.ts';
import { readUpsertUser } from './upsert-user.ts';

const updateNames = [...Object.keys(editablePrincipalFields), 'NewExternalKey', 'State'];

/** Parses a record of `irs/update`. */
export async function parseUpdate(
  fields: Fields,
  errors: FieldErrors,
  rules: UserRules,
): Promise<ParsedRecord> {
  const reference = readPrincipalReference(fields, errors);
  refuseUnknownFields(fields, ['ID', 'ExternalKey', ...updateNames, 'Users', ...ignoredFields], '', errors);
  const principal = readPrincipalEdits(fields, errors);
  if (isAbsent(fields.Users) && principal === null) errors.addMissing('Users');
  refuseNoUsers(fields, errors);
  const readUser = (user: unknown, place: string) => readUserItem(user, place, rules, errors);
  const users = await readUsers(fields.Users, readUser, errors);
  await refuseLeakedPasswords(users, rules, errors);
  return { ...reference, principal, users, allowsSimilar: true, errors };
}

/** Adds an error to each password that was leaked, unless it has another one or no further error is listed. */
async function refuseLeakedPasswords(
  users: readonly ParsedUser[],
  { isLeaked }: UserRules,
  errors: FieldErrors,
): Promise<void> {
  for (const user of users) {
    if (errors.isFull) return;
    if (!('password' in user) || !user.password) continue;
    const sent = user.operation === 'upsert' ? user.password : { password: user.password, errors };
    const text = sent.password?.text ?? null;
    const place = within(user.place, 'Password');
    if (text !== null && !sent.errors.has(place) && (await isLeaked(text)))
      sent.errors.add(place, 'PASSWORD_COMMON');
  }
}

function readPrincipalEdits(fields: Fields, errors: FieldErrors): SentPrincipal | null {
  if (updateNames.every((name) => isAbsent(fields[name]))) return null;
  const key = readFieldEdits(fields, { NewExternalKey: externalKeyField }, '', errors).NewExternalKey;
  return {
    fields: {
      ...readFieldEdits(fields, editablePrincipalFields, '', errors),
      ...(key !== undefined && { ExternalKey: key }),
    },
    state: readState(fields.State, 'State', errors),
  };
}

function refuseNoUsers({ Users }: Fields, errors: FieldErrors): void {
  if (Array.isArray(Users) && Users.length === 0) errors.add('Users', 'NO_USERS');
}

/** Parses a record of `irs/insert`. A new principal needs at least one field. */
export async function parseInsert(
  fields: Fields,
  errors: FieldErrors,
  rules: UserRules,
): Promise<ParsedRecord> {
  refuseUnknownFields(fields, [...principalFieldNames, 'Users', 'Similar', ...ignoredFields], '', errors);
  if (principalFieldNames.every((name) => isAbsent(fields[name])))
    errors.add('Denomination', 'EMPTY_PRINCIPAL', { figures: { fields: principalFieldNames.join(', ') } });
  const principal = { fields: readFields(fields, principalFields, '', errors), state: null };
  const { ExternalKey: externalKey } = principal.fields;
  const readUser = (user: unknown, place: string) => readRegistration(user, place, rules, errors);
  const users = await readUsers(fields.Users, readUser, errors);
  await refuseLeakedPasswords(users, rules, errors);
  return {
    sentId: null,
    principalId: null,
    externalKey,
    namedBy: 'ExternalKey',
    principal,
    users,
    allowsSimilar: readSimilar(fields, errors),
    errors,
  };
}

/** Returns true if the record accepts that its principal looks like another one. */
function readSimilar({ Similar }: Fields, errors: FieldErrors): boolean {
  if (!isAbsent(Similar) && Similar !== similarAllowed) errors.add('Similar', 'INVALID_SIMILAR');
  return Similar === similarAllowed;
}

const upsertNames = ['ID', ...principalFieldNames, 'State', 'Users', 'Similar', ...ignoredFields];

/** Parses a record of `irs/upsert`. */
export async function parseUpsert(
  fields: Fields,
  errors: FieldErrors,
  rules: UserRules,
): Promise<ParsedRecord> {
  const reference = readPrincipalReference(fields, errors, { usual: 'ExternalKey' });
  refuseUnknownFields(fields, upsertNames, '', errors);
  const edits = readFieldEdits(fields, editablePrincipalFields, '', errors);
  const { externalKey } = reference;
  const state = readState(fields.State, 'State', errors);
  const readUser = (user: unknown, place: string) => readUpsertUser(user, place, rules, errors);
  const users = isAbsent(fields.Users) ? null : await readUsers(fields.Users, readUser, errors);
  await refuseLeakedPasswords(users ?? [], rules, errors);
  return {
    ...reference,
    // A record that sends both names no principal.
    principalId: isAbsent(fields.ExternalKey) ? reference.principalId : null,
    principal: { fields: externalKey === null ? edits : { ...edits, ExternalKey: externalKey }, state },
    users,
    allowsSimilar: readSimilar(fields, errors),
    errors,
  };
}

/** Parses a record of `irs/state`. */
export async function parseState(fields: Fields, errors: FieldErrors): Promise<ParsedRecord> {
  const reference = readPrincipalReference(fields, errors);
  refuseUnknownFields(fields, ['ID', 'ExternalKey', 'State', 'Users', ...ignoredFields], '', errors);
  if (isAbsent(fields.State) && usersOf(fields).length === 0) errors.addMissing('State');
  const principal = { fields: {}, state: readState(fields.State, 'State', errors) };
  const readUser = (user: unknown, place: string) => readUserState(user, place, errors);
  const users = await readUsers(fields.Users, readUser, errors);
  return { ...reference, principal, users, allowsSimilar: true, errors };
}

/**
 * Parses a record of an undo, which the service has made: a principal that the run has inserted, which is deleted, or some
 * of the users that it has written. `Fields` is true if the fields of the principal are restored.
 */
export async function parseUndo(fields: Fields, errors: FieldErrors): Promise<ParsedRecord> {
  const reference = readPrincipalReference(fields, errors);
  const principal = fields.Fields === true ? { fields: {}, state: null } : null;
  const readUser = (user: unknown, place: string): Undo => {
    const { ID, Effects, MovedTo = null } = user as { ID: number; Effects: UserEffect[]; MovedTo?: number };
    return { operation: 'undo', place, id: ID, username: null, effects: Effects, movedTo: MovedTo };
  };
  const users = isAbsent(fields.Users) ? null : await readUsers(fields.Users, readUser, errors);
  const leaving = (fields.Leaving ?? []) as number[];
  return { ...reference, principal, users, allowsSimilar: true, leaving, errors };
}

/** Parses a record of `irs/delete`. */
export async function parseDelete(fields: Fields, errors: FieldErrors): Promise<ParsedRecord> {
  const reference = readPrincipalReference(fields, errors);
  refuseUnknownFields(fields, ['ID', 'ExternalKey', 'Users', ...ignoredFields], '', errors);
  // An empty list must not delete the principal: it may be the result of a filter that found no user.
  refuseNoUsers(fields, errors);
  const readUser = (user: unknown, place: string) => readDeletion(user, place, errors);
  const users = isAbsent(fields.Users) ? null : await readUsers(fields.Users, readUser, errors);
  return { ...reference, principal: null, users, allowsSimilar: true, errors };
}

/** Parses a record of `irs/merge`. */
export async function parseMerge(fields: Fields, errors: FieldErrors): Promise<ParsedRecord> {
  const reference = readPrincipalReference(fields, errors);
  refuseUnknownFields(fields, ['ID', 'ExternalKey', 'From', ...ignoredFields], '', errors);
  const parsed = { ...reference, principal: null, users: null, allowsSimilar: true, errors };
  if (isAbsent(fields.From)) errors.addMissing('From');
  else if (!isObject(fields.From)) errors.add('From', 'WRONG_TYPE', { variant: 'object' });
  else {
    refuseUnknownFields(fields.From, ['ID', 'ExternalKey'], 'From', errors);
    return { ...parsed, source: readPrincipalReference(fields.From, errors, { place: 'From' }) };
  }
  return parsed;
}
