import type { Faults } from '../faults.ts';
import { type Fields, isAbsent, isId, readText, refuseUnknownFields, within } from '../fields/fields.ts';
import { refuseOwnNames } from '../fields/password.ts';
import { Turns } from '../turns.ts';
import {
  type Draft,
  isRegistration,
  newPassword,
  newUser,
  passedOver,
  readUsers,
  required,
  sentIdOf,
} from './draft.ts';
import { type NumberingStore, registrationsOf, setAside } from './numbering.ts';
import type { Ingredients, Operation } from './operation.ts';
import { externalKeyMax } from './principal.ts';
import type { State } from './state.ts';
import {
  type NewPassword,
  type NewUser,
  type Reset,
  readUserItem,
  type UserItem,
  type UserRules,
} from './user-item.ts';
import { type UsernameStore, Usernames } from './usernames.ts';
import type { Occasion, Written } from './writing.ts';

export interface KnownUser {
  readonly principalId: number;
  readonly usernameKey: string;
  readonly email: string | null;
}

/** What one record changes, in the order sent. */
export interface RecordChange {
  readonly principalId: number;
  readonly users: readonly (NewUser | NewPassword)[];
}

export interface UpdateStore extends UsernameStore, NumberingStore {
  findPrincipals(ids: readonly number[]): Promise<ReadonlyMap<number, State>>;
  findUsers(ids: readonly number[]): Promise<ReadonlyMap<number, KnownUser>>;
  findExternalKeys(keys: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Applies all of a record or nothing; with a receipt, its outcome too. Throws a `WriteFailure`. */
  applyRecord(change: RecordChange, occasion: Occasion): Promise<Written>;
}

interface UpdateDraft extends Draft {
  /** By which the principal is named in place of its ID. */
  readonly externalKey: string | null;
  /** As sent, or as found under the external key. */
  principalId: number | null;
}

/** Registers users and resets passwords under principals that exist. */
export function updateOperation(store: UpdateStore, rules: UserRules): Operation<UpdateDraft> {
  return {
    name: 'update',
    read: (fields, faults, turns) => readRecord(fields, faults, rules, turns),
    newCheck() {
      const usernames = new Usernames(store);
      return { run: (drafts) => checkAgainstStore(drafts, usernames, store) };
    },
    order: (draft) => draft.principalId,
    need: (draft) => ({ principals: 0, users: registrationsOf(draft) }),
    number: (needs) => setAside(needs, store),
    idOf: (draft) => draft.principalId,
    write: (draft, ingredients) => store.applyRecord(change(draft, ingredients), ingredients.occasion),
  };
}

async function readRecord(
  fields: Fields,
  faults: Faults,
  rules: UserRules,
  turns: Turns,
): Promise<UpdateDraft> {
  const principalId = isId(fields.ID) ? fields.ID : null;
  const externalKey = readText(fields.ExternalKey, externalKeyMax, 'ExternalKey', faults);
  if (isAbsent(fields.ID) && isAbsent(fields.ExternalKey)) faults.add('ID', 'REQUIRED');
  else if (!isAbsent(fields.ID) && !isAbsent(fields.ExternalKey)) faults.add('ID', 'AMBIGUOUS_PRINCIPAL');
  else if (!isAbsent(fields.ID) && principalId === null) faults.add('ID', 'INVALID_ID');
  refuseUnknownFields(fields, ['ID', 'ExternalKey', 'Users', ...passedOver], '', faults);
  if (isAbsent(fields.Users)) faults.add('Users', 'REQUIRED');
  else if (Array.isArray(fields.Users) && fields.Users.length === 0) faults.add('Users', 'NO_USERS');
  const readItem = (value: unknown, place: string) => readUserItem(value, place, rules, faults);
  const users = await readUsers(fields.Users, readItem, faults, turns);
  return { sentId: sentIdOf(fields), externalKey, principalId, users, faults };
}

async function checkAgainstStore(
  drafts: readonly UpdateDraft[],
  usernames: Usernames,
  store: UpdateStore,
): Promise<void> {
  await findByKey(drafts, store);
  const principalIds = new Set(drafts.map((draft) => draft.principalId).filter((id) => id !== null));
  const userIds = new Set(
    drafts.flatMap((draft) => resets(draft).map((item) => item.id)).filter((id) => id !== null),
  );
  const [principals, users] = await Promise.all([
    store.findPrincipals([...principalIds]),
    userIds.size > 0 ? store.findUsers([...userIds]) : new Map<number, KnownUser>(),
    usernames.lookUp(drafts),
  ]);
  const turns = new Turns();
  for (const draft of drafts) {
    if (draft.principalId !== null && !principals.has(draft.principalId))
      draft.faults.add('ID', 'PRINCIPAL_NOT_FOUND', undefined, 'id');
    refuseDisabled(draft, principals);
    await checkResets(draft, users, turns);
    await usernames.refuseTaken(draft, turns);
    if (draft.faults.none) await usernames.claim(draft, turns);
  }
}

/** Gives drafts that name their principal by its external key the ID that is under it. */
async function findByKey(drafts: readonly UpdateDraft[], store: UpdateStore): Promise<void> {
  const keyed = drafts.filter((draft) => draft.externalKey !== null && draft.sentId === null);
  if (keyed.length === 0) return;
  const ids = await store.findExternalKeys([...new Set(keyed.map((draft) => required(draft.externalKey)))]);
  for (const draft of keyed) {
    draft.principalId = ids.get(required(draft.externalKey)) ?? null;
    if (draft.principalId === null) draft.faults.add('ExternalKey', 'PRINCIPAL_NOT_FOUND', undefined, 'key');
  }
}

/** Who is disabled may have passwords reset, but gets no new users. */
function refuseDisabled(draft: UpdateDraft, principals: ReadonlyMap<number, State>): void {
  const disabled = principals.get(draft.principalId ?? 0) === 'disabled';
  if (disabled && draft.users.some(isRegistration)) draft.faults.add('ID', 'PRINCIPAL_DISABLED');
}

async function checkResets(
  draft: UpdateDraft,
  users: ReadonlyMap<number, KnownUser>,
  turns: Turns,
): Promise<void> {
  const seen = new Set<number>();
  for (const item of resets(draft)) {
    if (turns.over) await turns.next();
    if (item.id === null) continue;
    const place = within(item.place, 'ID');
    const user = users.get(item.id);
    if (seen.has(item.id)) draft.faults.add(place, 'DUPLICATE_USER');
    seen.add(item.id);
    if (draft.principalId === null) continue;
    // A user of another principal gets the same answer as one that exists nowhere.
    if (!user || user.principalId !== draft.principalId) draft.faults.add(place, 'USER_NOT_FOUND');
    else if (item.password !== null)
      refuseOwnNames(item.password, user, within(item.place, 'Password'), draft.faults);
  }
}

function resets(draft: UpdateDraft): Reset[] {
  return draft.users.filter((item: UserItem): item is Reset => !isRegistration(item));
}

function change(draft: UpdateDraft, { hashes, numbers }: Ingredients): RecordChange {
  const ids = numbers.users.values();
  const users = draft.users.map((item, position) =>
    isRegistration(item)
      ? newUser(item, ids.next().value, hashes[position])
      : newPassword(item, hashes[position]),
  );
  return { principalId: required(draft.principalId), users };
}
