import type { FieldErrors } from '../lib/field-errors.ts';
import { type Fields, isAbsent, refuseUnknownFields } from '../lib/request-fields.ts';
import type { TimeSlice } from '../lib/yield-to-event-loop.ts';
import { termsOf } from './compare.ts';
import { type PrincipalFields, principalFieldNames, principalFields, readFields } from './fields.ts';
import { type IdStore, reserveIds } from './id-reservation.ts';
import type { Operation, ReadyRecord } from './operation.ts';
import { registeredUser } from './outcome.ts';
import { ignoredFields, newUser, type ParsedRecord, readUsers, required } from './parsed-record.ts';
import { type Registration, readRegistration, type UserRules } from './user-item.ts';
import { type ExternalKeyStore, ExternalKeys, type UsernameStore, Usernames } from './usernames.ts';
import type { ChangeStore, PrincipalChange } from './write/change.ts';

export interface InsertStore extends UsernameStore, ExternalKeyStore, IdStore, ChangeStore {}

interface ParsedInsert extends ParsedRecord {
  readonly externalKey: string | null;
  readonly principal: PrincipalFields;
  readonly users: readonly Registration[];
}

/** Creates principals, with or without users. */
export function insertOperation(store: InsertStore, rules: UserRules): Operation<ParsedInsert> {
  return {
    name: 'insert',
    read: (fields, errors, timeSlice) => readRecord(fields, errors, rules, timeSlice),
    newCheck() {
      const usernames = new Usernames(store);
      const keys = new ExternalKeys(store);
      return { run: (parsedRecords) => checkAgainstStore(parsedRecords, usernames, keys) };
    },
    order: () => null,
    size: (parsed) => parsed.users.length,
    need: (parsed) => ({ principals: 1, users: parsed.users.length }),
    reserveIds: (needs) => reserveIds(needs, store),
    idOf: (_parsed, ids) => ids.principal,
    write: (records) => store.writeChanges(records.map(insertion)),
  };
}

function insertion({ parsed, ids, hashes, context }: ReadyRecord<ParsedInsert>): PrincipalChange {
  const { principal: fields, users } = parsed;
  const registrations = users.map((item, at) => newUser(item, ids.users[at], hashes.get(item)));
  return {
    principalId: required(ids.principal),
    action: 'insert',
    principal: { kind: 'insert', values: { fields, state: 'active', searchTerms: termsOf(fields) } },
    reportsPrincipal: false,
    expectedVersion: null,
    registrations,
    resets: [],
    edits: [],
    deletes: [],
    applied: registrations.map(registeredUser),
    context,
  };
}

async function readRecord(
  fields: Fields,
  errors: FieldErrors,
  rules: UserRules,
  timeSlice: TimeSlice,
): Promise<ParsedInsert> {
  refuseUnknownFields(fields, [...principalFieldNames, 'Users', ...ignoredFields], '', errors);
  const principal = readPrincipal(fields, errors);
  const users = await readUsers(
    fields.Users,
    (user, place) => readRegistration(user, place, rules, errors),
    errors,
    timeSlice,
  );
  return { sentId: null, externalKey: principal.ExternalKey, principal, users, errors };
}

/** Reads the fields of a new principal, which needs at least one of them. */
function readPrincipal(fields: Fields, errors: FieldErrors): PrincipalFields {
  if (principalFieldNames.every((name) => isAbsent(fields[name])))
    errors.add('Denomination', 'EMPTY_PRINCIPAL', { figures: { fields: principalFieldNames.join(', ') } });
  return readFields(fields, principalFields, '', errors);
}

/** Stored usernames and external keys take precedence, then those of the first valid record of the call. */
async function checkAgainstStore(
  parsedRecords: readonly ParsedInsert[],
  usernames: Usernames,
  keys: ExternalKeys,
): Promise<void> {
  const wanted = parsedRecords.map((parsed) => parsed.externalKey).filter((key) => key !== null);
  await Promise.all([keys.lookUp(wanted), usernames.lookUp(parsedRecords)]);
  for (const parsed of parsedRecords) {
    const { errors, externalKey } = parsed;
    if (externalKey !== null) keys.refuseTaken(externalKey, 'ExternalKey', null, errors);
    usernames.refuseTaken(parsed);
    if (!errors.none) continue;
    usernames.claim(parsed);
    if (externalKey !== null) keys.claim(externalKey);
  }
}
