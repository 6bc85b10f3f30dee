import type { FieldErrors } from '../lib/field-errors.ts';
import { type Fields, refuseUnknownFields } from '../lib/request-fields.ts';
import { TimeSlice } from '../lib/yield-to-event-loop.ts';
import { numberTerms, searchTerms } from '../usernames/username.ts';
import { type IdStore, registrationsOf, reserveIds } from './id-reservation.ts';
import type { Operation, WriteInput } from './operation.ts';
import type { WriteContext, Written } from './outcome.ts';
import { ignoredFields, newUser, type ParsedRecord, readUsers, required } from './parsed-record.ts';
import { type PrincipalDetails, principalFields, readPrincipal } from './principal.ts';
import { type NewUser, type Registration, readRegistration, type UserRules } from './user-item.ts';
import { type UsernameStore, Usernames } from './usernames.ts';

export interface NewPrincipal {
  readonly id: number;
  readonly details: PrincipalDetails;
  readonly searchTerms: readonly string[];
  readonly users: readonly NewUser[];
}

export interface InsertStore extends UsernameStore, IdStore {
  findExternalKeys(keys: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /**
   * Inserts a principal with all of its users or nothing, and stores the outcome if the reference says so. Throws a
   * `WriteFailure`.
   */
  insertPrincipal(principal: NewPrincipal, context: WriteContext): Promise<Written>;
}

interface ParsedInsert extends ParsedRecord {
  readonly principal: PrincipalDetails;
  readonly users: readonly Registration[];
}

/** Creates principals, with or without users. */
export function insertOperation(store: InsertStore, rules: UserRules): Operation<ParsedInsert> {
  return {
    name: 'insert',
    read: (fields, faults, timeSlice) => readRecord(fields, faults, rules, timeSlice),
    newCheck() {
      const usernames = new Usernames(store);
      const claimedKeys = new Set<string>();
      return { run: (parsedRecords) => checkAgainstStore(parsedRecords, usernames, claimedKeys, store) };
    },
    order: () => null,
    need: (parsed) => ({ principals: 1, users: registrationsOf(parsed) }),
    number: (needs) => reserveIds(needs, store),
    idOf: (_parsed, numbers) => numbers.principal,
    write: (parsed, input) => store.insertPrincipal(newPrincipal(parsed, input), input.context),
  };
}

function newPrincipal(parsed: ParsedInsert, { hashes, numbers }: WriteInput): NewPrincipal {
  return {
    id: required(numbers.principal),
    details: parsed.principal,
    searchTerms: termsOf(parsed.principal),
    users: parsed.users.map((item, position) => newUser(item, numbers.users[position], hashes[position])),
  };
}

function termsOf(principal: PrincipalDetails): string[] {
  const { vatnumber, taxcode } = principal;
  return [
    ...new Set([
      ...searchTerms(Object.values(principal)),
      ...numberTerms(vatnumber),
      ...numberTerms(taxcode),
    ]),
  ];
}

async function readRecord(
  fields: Fields,
  faults: FieldErrors,
  rules: UserRules,
  timeSlice: TimeSlice,
): Promise<ParsedInsert> {
  refuseUnknownFields(fields, [...principalFields, 'Users', ...ignoredFields], '', faults);
  const principal = readPrincipal(fields, faults);
  const readItem = (value: unknown, place: string) => readRegistration(value, place, rules, faults);
  const users = await readUsers(fields.Users, readItem, faults, timeSlice);
  return { sentId: null, principal, users, faults };
}

/** Stored usernames and external keys take precedence, then those of the first valid record of the call. */
async function checkAgainstStore(
  parsedRecords: readonly ParsedInsert[],
  usernames: Usernames,
  claimedKeys: Set<string>,
  store: InsertStore,
): Promise<void> {
  const wanted = parsedRecords.map((parsed) => parsed.principal.externalKey).filter((key) => key !== null);
  const [stored] = await Promise.all([
    wanted.length > 0 ? store.findExternalKeys(wanted) : new Map<string, number>(),
    usernames.lookUp(parsedRecords),
  ]);
  const timeSlice = new TimeSlice();
  for (const parsed of parsedRecords) {
    const { faults } = parsed;
    const { externalKey } = parsed.principal;
    if (externalKey !== null) refuseTakenKey(externalKey, stored, claimedKeys, faults);
    await usernames.refuseTaken(parsed, timeSlice);
    if (!faults.none) continue;
    await usernames.claim(parsed, timeSlice);
    if (externalKey !== null) claimedKeys.add(externalKey);
  }
}

function refuseTakenKey(
  key: string,
  stored: ReadonlyMap<string, number>,
  claimed: ReadonlySet<string>,
  faults: FieldErrors,
): void {
  const owner = stored.get(key);
  if (owner !== undefined) faults.add('ExternalKey', 'EXTERNAL_KEY_TAKEN', { id: owner }, 'stored');
  else if (claimed.has(key)) faults.add('ExternalKey', 'EXTERNAL_KEY_TAKEN', undefined, 'call');
}
