import { Faults } from '../faults.ts';
import { type Fields, refuseUnknownFields } from '../fields/fields.ts';
import { searchTerms } from '../fields/search.ts';
import { type BatchLimits, readBatch } from './batch.ts';
import { type Draft, readUsers, sound } from './draft.ts';
import type { Hasher } from './hashing.ts';
import type { Outcome } from './outcome.ts';
import { Pace } from './pace.ts';
import { type PrincipalDetails, principalFields, readPrincipal } from './principal.ts';
import { registration, type UserChange } from './update.ts';
import { type Registration, readRegistration, type UserRules } from './user-item.ts';
import { type UsernameStore, Usernames } from './usernames.ts';
import { applyDrafts, type CallContext, type Written } from './writing.ts';

export interface NewPrincipal {
  readonly id: number;
  readonly details: PrincipalDetails;
  readonly searchTerms: readonly string[];
  readonly users: readonly (UserChange & { operation: 'register' })[];
}

export interface InsertStore extends UsernameStore {
  findExternalKeys(keys: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** IDs set aside, so that principals are numbered in the order sent although they are written side by side. */
  reservePrincipalIds(count: number): Promise<readonly number[]>;
  insertPrincipal(principal: NewPrincipal): Promise<Written>;
}

export interface InsertTools {
  readonly store: InsertStore;
  readonly hasher: Hasher;
  readonly rules: UserRules;
  readonly limits: BatchLimits;
}

interface InsertDraft extends Draft {
  readonly principal: PrincipalDetails;
  readonly users: readonly Registration[];
}

/** Creates principals, with or without users; one outcome per record, in the order sent. */
export async function insert(body: unknown, context: CallContext, tools: InsertTools): Promise<Outcome[]> {
  const { store, hasher, rules } = tools;
  const pace = new Pace();
  const drafts: InsertDraft[] = [];
  for (const fields of readBatch(body, tools.limits)) drafts.push(await readRecord(fields, rules, pace));
  const ids = new Map<InsertDraft, number>();
  return applyDrafts(drafts, {
    hasher,
    context,
    order: (draft) => draft,
    async check(some) {
      await claim(some, store);
      const unnumbered = some.filter((draft) => draft.faults.none && !ids.has(draft));
      const reserved = await store.reservePrincipalIds(unnumbered.length);
      for (const [position, draft] of unnumbered.entries()) ids.set(draft, sound(reserved[position]));
    },
    write: (draft, hashes) =>
      store.insertPrincipal({
        id: sound(ids.get(draft)),
        details: draft.principal,
        searchTerms: searchTerms(Object.values(draft.principal)),
        users: draft.users.map((item, position) => registration(item, sound(hashes[position]))),
      }),
  });
}

async function readRecord(fields: Fields, rules: UserRules, pace: Pace): Promise<InsertDraft> {
  const faults = new Faults();
  refuseUnknownFields(fields, [...principalFields, 'Users'], '', faults);
  const principal = readPrincipal(fields, faults);
  const readItem = (value: unknown, place: string) => readRegistration(value, place, rules, faults);
  const users = await readUsers(fields.Users, readItem, faults, pace);
  return { sentId: null, principal, users, faults };
}

/** What is stored wins, then the first record of the call that can be applied. */
async function claim(drafts: readonly InsertDraft[], store: InsertStore): Promise<void> {
  const wanted = drafts.map((draft) => draft.principal.externalKey).filter((key) => key !== null);
  const stored = wanted.length > 0 ? await store.findExternalKeys(wanted) : new Map<string, number>();
  const usernames = await Usernames.lookUp(drafts, store);
  const claimed = new Set<string | null>();
  for (const draft of drafts) {
    const { faults } = draft;
    const { externalKey } = draft.principal;
    const owner = stored.get(externalKey ?? '');
    if (owner !== undefined) faults.add('ExternalKey', 'EXTERNAL_KEY_TAKEN', { id: owner }, 'stored');
    else if (claimed.has(externalKey)) faults.add('ExternalKey', 'EXTERNAL_KEY_TAKEN', undefined, 'call');
    usernames.refuseTaken(draft);
    if (!faults.none) continue;
    usernames.claim(draft);
    if (externalKey !== null) claimed.add(externalKey);
  }
}
