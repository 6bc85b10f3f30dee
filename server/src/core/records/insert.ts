import { Faults } from '../faults.ts';
import { type Fields, refuseUnknownFields } from '../fields/fields.ts';
import { searchTerms } from '../fields/search.ts';
import type { Turns } from '../turns.ts';
import { readDrafts } from './batch.ts';
import { type Draft, newUser, readUsers, required } from './draft.ts';
import type { Outcome } from './outcome.ts';
import { type PrincipalDetails, principalFields, readPrincipal } from './principal.ts';
import { type NewUser, type Registration, readRegistration, type UserRules } from './user-item.ts';
import { type UsernameStore, Usernames } from './usernames.ts';
import { applyDrafts, type CallContext, type WritingTools, type Written } from './writing.ts';

export interface NewPrincipal {
  readonly id: number;
  readonly details: PrincipalDetails;
  readonly searchTerms: readonly string[];
  readonly users: readonly NewUser[];
}

export interface InsertStore extends UsernameStore {
  findExternalKeys(keys: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** IDs set aside, so that principals are numbered in the order sent although they are written side by side. */
  reservePrincipalIds(count: number): Promise<readonly number[]>;
  insertPrincipal(principal: NewPrincipal): Promise<Written>;
}

interface InsertDraft extends Draft {
  readonly principal: PrincipalDetails;
  readonly users: readonly Registration[];
}

/** Creates principals, with or without users; one outcome per record, in the order sent. */
export async function insert(
  body: unknown,
  context: CallContext,
  tools: WritingTools<InsertStore>,
): Promise<Outcome[]> {
  const { store, hasher, rules, limits } = tools;
  const drafts = await readDrafts(body, limits, (fields, turns) => readRecord(fields, rules, turns));
  const ids = new Map<InsertDraft, number>();
  return applyDrafts(drafts, {
    hasher,
    context,
    order: (draft) => draft,
    async check(some) {
      await claim(some, store);
      const unnumbered = some.filter((draft) => draft.faults.none && !ids.has(draft));
      const reserved = await store.reservePrincipalIds(unnumbered.length);
      for (const [position, draft] of unnumbered.entries()) ids.set(draft, required(reserved[position]));
    },
    // A record whose write was cut off can be looked for under the ID that was set aside for it.
    idOf: (draft) => ids.get(draft) ?? null,
    write: (draft, hashes) =>
      store.insertPrincipal({
        id: required(ids.get(draft)),
        details: draft.principal,
        searchTerms: searchTerms(Object.values(draft.principal)),
        users: draft.users.map((item, position) => newUser(item, hashes[position])),
      }),
  });
}

async function readRecord(fields: Fields, rules: UserRules, turns: Turns): Promise<InsertDraft> {
  const faults = new Faults();
  refuseUnknownFields(fields, [...principalFields, 'Users'], '', faults);
  const principal = readPrincipal(fields, faults);
  const readItem = (value: unknown, place: string) => readRegistration(value, place, rules, faults);
  const users = await readUsers(fields.Users, readItem, faults, turns);
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
