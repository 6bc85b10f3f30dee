import type { FieldErrors } from '../lib/field-errors.ts';
import { type Fields, isAbsent, refuseUnknownFields } from '../lib/request-fields.ts';
import type { TimeSlice } from '../lib/yield-to-event-loop.ts';
import { termsOf } from './compare.ts';
import {
  type PrincipalFields,
  principalFieldNames,
  principalFields,
  readFields,
  type State,
} from './fields.ts';
import { type IdStore, reserveIds } from './id-reservation.ts';
import type { Operation, ReadyRecord } from './operation.ts';
import type { PrincipalOutcome, WriteContext, Written } from './outcome.ts';
import { ignoredFields, newUser, type ParsedRecord, readUsers, required } from './parsed-record.ts';
import { type NewUser, type Registration, readRegistration, type UserRules } from './user-item.ts';
import { type ExternalKeyStore, ExternalKeys, type UsernameStore, Usernames } from './usernames.ts';

export interface NewPrincipal {
  readonly id: number;
  readonly fields: PrincipalFields;
  readonly searchTerms: readonly string[];
  readonly users: readonly NewUser[];
  /** Default: active. */
  readonly state?: State;
  /** Absent if the operation does not report the effect on the principal. */
  readonly outcome?: PrincipalOutcome;
  readonly context: WriteContext;
}

export interface InsertStore extends UsernameStore, ExternalKeyStore, IdStore {
  /** Writes a group of records as `Operation.write` describes. */
  insertPrincipals(principals: readonly NewPrincipal[]): Promise<readonly Written[]>;
}

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
    write: (records) => store.insertPrincipals(records.map(newPrincipal)),
  };
}

function newPrincipal({ parsed, ids, hashes, context }: ReadyRecord<ParsedInsert>): NewPrincipal {
  return {
    id: required(ids.principal),
    fields: parsed.principal,
    searchTerms: termsOf(parsed.principal),
    users: parsed.users.map((item, position) => newUser(item, ids.users[position], hashes.get(item))),
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
    errors.add('Denomination', 'EMPTY_PRINCIPAL', { fields: principalFieldNames.join(', ') });
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
