import type { Faults } from '../faults.ts';
import { type Fields, refuseUnknownFields } from '../fields/fields.ts';
import { numberTerms, searchTerms } from '../fields/search.ts';
import { Turns } from '../turns.ts';
import { type Draft, newUser, passedOver, readUsers, required } from './draft.ts';
import { type NumberingStore, registrationsOf, setAside } from './numbering.ts';
import type { Ingredients, Operation } from './operation.ts';
import { type PrincipalDetails, principalFields, readPrincipal } from './principal.ts';
import { type NewUser, type Registration, readRegistration, type UserRules } from './user-item.ts';
import { type UsernameStore, Usernames } from './usernames.ts';
import type { Occasion, Written } from './writing.ts';

export interface NewPrincipal {
  readonly id: number;
  readonly details: PrincipalDetails;
  readonly searchTerms: readonly string[];
  readonly users: readonly NewUser[];
}

export interface InsertStore extends UsernameStore, NumberingStore {
  findExternalKeys(keys: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Inserts a principal with all of its users or nothing; with a receipt, the outcome too. Throws a `WriteFailure`. */
  insertPrincipal(principal: NewPrincipal, occasion: Occasion): Promise<Written>;
}

interface InsertDraft extends Draft {
  readonly principal: PrincipalDetails;
  readonly users: readonly Registration[];
}

/** Creates principals, with or without users. */
export function insertOperation(store: InsertStore, rules: UserRules): Operation<InsertDraft> {
  return {
    name: 'insert',
    read: (fields, faults, turns) => readRecord(fields, faults, rules, turns),
    newCheck() {
      const usernames = new Usernames(store);
      const claimedKeys = new Set<string>();
      return { run: (drafts) => checkAgainstStore(drafts, usernames, claimedKeys, store) };
    },
    order: () => null,
    need: (draft) => ({ principals: 1, users: registrationsOf(draft) }),
    number: (needs) => setAside(needs, store),
    idOf: (_draft, numbers) => numbers.principal,
    write: (draft, ingredients) =>
      store.insertPrincipal(newPrincipal(draft, ingredients), ingredients.occasion),
  };
}

function newPrincipal(draft: InsertDraft, { hashes, numbers }: Ingredients): NewPrincipal {
  return {
    id: required(numbers.principal),
    details: draft.principal,
    searchTerms: termsOf(draft.principal),
    users: draft.users.map((item, position) => newUser(item, numbers.users[position], hashes[position])),
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
  faults: Faults,
  rules: UserRules,
  turns: Turns,
): Promise<InsertDraft> {
  refuseUnknownFields(fields, [...principalFields, 'Users', ...passedOver], '', faults);
  const principal = readPrincipal(fields, faults);
  const readItem = (value: unknown, place: string) => readRegistration(value, place, rules, faults);
  const users = await readUsers(fields.Users, readItem, faults, turns);
  return { sentId: null, principal, users, faults };
}

/** What is stored wins, then the first record of the call that can be applied. */
async function checkAgainstStore(
  drafts: readonly InsertDraft[],
  usernames: Usernames,
  claimedKeys: Set<string>,
  store: InsertStore,
): Promise<void> {
  const wanted = drafts.map((draft) => draft.principal.externalKey).filter((key) => key !== null);
  const [stored] = await Promise.all([
    wanted.length > 0 ? store.findExternalKeys(wanted) : new Map<string, number>(),
    usernames.lookUp(drafts),
  ]);
  const turns = new Turns();
  for (const draft of drafts) {
    const { faults } = draft;
    const { externalKey } = draft.principal;
    if (externalKey !== null) refuseTakenKey(externalKey, stored, claimedKeys, faults);
    await usernames.refuseTaken(draft, turns);
    if (!faults.none) continue;
    await usernames.claim(draft, turns);
    if (externalKey !== null) claimedKeys.add(externalKey);
  }
}

function refuseTakenKey(
  key: string,
  stored: ReadonlyMap<string, number>,
  claimed: ReadonlySet<string>,
  faults: Faults,
): void {
  const owner = stored.get(key);
  if (owner !== undefined) faults.add('ExternalKey', 'EXTERNAL_KEY_TAKEN', { id: owner }, 'stored');
  else if (claimed.has(key)) faults.add('ExternalKey', 'EXTERNAL_KEY_TAKEN', undefined, 'call');
}
