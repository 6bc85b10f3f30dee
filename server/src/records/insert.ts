import type { FieldErrors } from '../lib/field-errors.ts';
import { type Fields, isAbsent, refuseUnknownFields } from '../lib/request-fields.ts';
import { TimeSlice } from '../lib/yield-to-event-loop.ts';
import {
  appliedRegistrations,
  type NewUserList,
  newUserList,
  registrationReader,
  wholeRegistrations,
} from './compact-registration.ts';
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
import type { NewUser, Registration, UserRules } from './user-item.ts';
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

/** A principal with so many users that they are written by several statements. */
export interface LargePrincipal extends Omit<NewPrincipal, 'users' | 'state' | 'outcome'> {
  readonly users: NewUserList;
}

export interface InsertStore extends UsernameStore, ExternalKeyStore, IdStore {
  /** Writes a group of records as `Operation.write` describes. */
  insertPrincipals(principals: readonly NewPrincipal[]): Promise<readonly Written[]>;
  /** Writes one record as `Operation.write` describes, and reads its users in slices. */
  insertLargePrincipal(principal: LargePrincipal): Promise<void>;
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
    write: (records) => write(records, store),
  };
}

/** Writes a group of records. A record with many users is never part of a larger group. */
async function write(
  records: readonly ReadyRecord<ParsedInsert>[],
  store: InsertStore,
): Promise<readonly Written[]> {
  const [first] = records;
  if (!first || first.parsed.users.length <= wholeRegistrations)
    return store.insertPrincipals(records.map(newPrincipal));
  const { parsed, ids, hashes, context } = first;
  const users = newUserList(parsed.users, ids.users, hashes);
  const principal = { id: required(ids.principal), fields: parsed.principal, context };
  const searchTerms = termsOf(parsed.principal);
  await store.insertLargePrincipal({ ...principal, searchTerms, users });
  return [{ id: principal.id, users: appliedRegistrations(parsed.users, ids.users) }];
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
  const users = await readUsers(fields.Users, registrationReader(rules), errors, timeSlice);
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
  const timeSlice = new TimeSlice();
  for (const parsed of parsedRecords) {
    const { errors, externalKey } = parsed;
    if (externalKey !== null) keys.refuseTaken(externalKey, 'ExternalKey', null, errors);
    await usernames.refuseTaken(parsed, timeSlice);
    if (!errors.none) continue;
    await usernames.claim(parsed, timeSlice);
    if (externalKey !== null) keys.claim(externalKey);
  }
}
