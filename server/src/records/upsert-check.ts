import { clip, isAbsent, within } from '../lib/request-fields.ts';
import { TimeSlice } from '../lib/yield-to-event-loop.ts';
import { refuseOwnNames } from '../passwords/policy.ts';
import { changedOfPrincipal, changedOfUser, clearedField } from './compare.ts';
import type { StoredPrincipal, StoredUser } from './compared-values.ts';
import { columnText, type FieldValue, principalFieldNames } from './fields.ts';
import type { Check, CheckTools, UpsertOptions } from './operation.ts';
import type { ParsedUpsert, UpsertItem } from './parsed-upsert.ts';
import { requireApproved } from './plan.ts';
import type { ReferenceStore } from './references.ts';
import { type AttributeStore, type SentAttributes, setStoredAttributes } from './stored-attributes.ts';
import { effectOf, newUserFields, type UserDiff } from './upsert-diff.ts';
import { type MissingUserStore, MissingUsers } from './upsert-missing.ts';
import { readSecrets, type UserItem, type UserRules } from './user-item.ts';

const noIds: ReadonlyMap<string, number> = new Map();

/** Maximum number of attempts to read principals and users that other clients insert meanwhile. */
const readsMax = 3;

/** Maximum number of characters of a value in an error. */
const shownLength = 100;

export interface UpsertLookups extends ReferenceStore, AttributeStore, MissingUserStore {
  findPasswordHashes(userIds: readonly number[]): Promise<ReadonlyMap<number, string>>;
}

export interface UpsertRules extends UserRules {
  /** Maximum number of users that a call may disable or delete, because all of them are kept in memory. */
  readonly maxRemoved: number;
}

/** Compares the records of one call with the store, and refuses those that contradict it or each other. */
export class UpsertCheck implements Check<ParsedUpsert> {
  readonly #store: UpsertLookups;
  readonly #rules: UpsertRules;
  readonly #options: UpsertOptions;
  readonly #tools: CheckTools;
  readonly #claimedPrincipals = new Set<number | string>();
  readonly #claimedUsernames = new Set<string>();
  readonly #missing: MissingUsers;

  constructor(store: UpsertLookups, rules: UpsertRules, options: UpsertOptions, tools: CheckTools = {}) {
    this.#store = store;
    this.#rules = rules;
    this.#options = options;
    this.#tools = tools;
    const { holdMemory } = tools;
    this.#missing = new MissingUsers(store, options, { max: rules.maxRemoved, holdMemory });
  }

  async run(parsedRecords: readonly ParsedUpsert[]): Promise<void> {
    const timeSlice = new TimeSlice();
    const { principals, users } = await this.#readStored(parsedRecords, timeSlice);
    await this.#setAttributes(parsedRecords, users);
    const hashes = await this.#findHashes(parsedRecords, users);
    for (const parsed of parsedRecords) {
      const stored = principals.get(parsed) ?? null;
      this.#checkPrincipal(parsed, stored);
      const diffs = await this.#compareUsers(parsed, stored, users, hashes, timeSlice);
      // The users of a record without `Users` stay as they are.
      const removal = parsed.items === null ? 'keep' : this.#options.missing;
      parsed.diff = parsed.errors.none
        ? {
            sent: parsed,
            stored,
            changed: stored ? changedOfPrincipal(stored, parsed) : [],
            users: diffs,
            removed: [],
            removal,
          }
        : null;
    }
    await this.#missing.addTo(parsedRecords, timeSlice);
    for (const parsed of parsedRecords) {
      const { diff } = parsed;
      parsed.effect = diff && effectOf(diff);
      parsed.users = (diff?.users ?? []).map(({ secret }) => secret).filter((secret) => secret !== null);
      if (parsed.approved) await requireApproved(parsed, parsed.approved, timeSlice);
    }
  }

  /**
   * Reads principals and users. The versions are read before the users, so that a later change of a user changes the
   * version that is written to. If another client inserts a principal between the two reads, both are repeated:
   * its users would otherwise seem to belong to another principal.
   */
  async #readStored(parsedRecords: readonly ParsedUpsert[], timeSlice: TimeSlice) {
    for (let attempt = 1; ; attempt++) {
      const principals = await this.#findPrincipals(parsedRecords);
      const users = await this.#findUsers(parsedRecords, timeSlice);
      const suspects = parsedRecords.filter(
        (parsed) =>
          parsed.externalKey !== null &&
          !principals.has(parsed) &&
          parsed.items?.some(({ username }) => username && users.has(username.key)),
      );
      const isComplete =
        suspects.length === 0 || attempt === readsMax || (await this.#findPrincipals(suspects)).size === 0;
      if (isComplete) return { principals, users };
    }
  }

  async #findPrincipals(
    parsedRecords: readonly ParsedUpsert[],
  ): Promise<ReadonlyMap<ParsedUpsert, StoredPrincipal>> {
    const ids = parsedRecords.map(({ principalId }) => principalId).filter((id) => id !== null);
    const keys = parsedRecords.map(({ externalKey }) => externalKey).filter((key) => key !== null);
    const idsByKey = keys.length > 0 ? await this.#store.findExternalKeys([...new Set(keys)]) : noIds;
    const byId = await this.#store.findPrincipals([...new Set([...ids, ...idsByKey.values()])]);
    // By the key that the principal has now: it may have been changed between the two reads.
    const byKey = new Map([...byId.values()].map((principal) => [principal.fields.ExternalKey, principal]));
    return new Map(
      parsedRecords.flatMap((parsed): [ParsedUpsert, StoredPrincipal][] => {
        const { namedBy, principalId, externalKey } = parsed;
        const stored = namedBy === 'ID' ? byId.get(principalId ?? 0) : byKey.get(externalKey ?? '');
        return stored ? [[parsed, stored]] : [];
      }),
    );
  }

  async #findUsers(parsedRecords: readonly ParsedUpsert[], timeSlice: TimeSlice) {
    const keys = new Set<string>();
    for (const { items } of parsedRecords) {
      for (const { username } of items ?? []) {
        if (username) keys.add(username.key);
        if (timeSlice.isOver) await timeSlice.yield();
      }
    }
    const wanted = { ids: [], usernameKeys: [...keys] };
    const found = keys.size > 0 ? await this.#store.findUsers(wanted, this.#tools.holdMemory) : [];
    return new Map(found.map((user) => [user.usernameKey, user]));
  }

  async #setAttributes(parsedRecords: readonly ParsedUpsert[], users: ReadonlyMap<string, StoredUser>) {
    const sent = parsedRecords.flatMap(({ items }) =>
      (items ?? []).flatMap(({ username, fields: { Attributes: attributes } }): SentAttributes[] => {
        const user = users.get(username?.key ?? '');
        return user && attributes !== undefined ? [{ user, attributes }] : [];
      }),
    );
    const { showsChanges = false, holdMemory = () => undefined } = this.#tools;
    await setStoredAttributes(sent, this.#store, showsChanges ? holdMemory : null);
  }

  /** Returns the stored hashes of users for whom a hash was sent: an equal one changes nothing. */
  async #findHashes(parsedRecords: readonly ParsedUpsert[], users: ReadonlyMap<string, StoredUser>) {
    if (this.#options.passwords === 'keep') return new Map<number, string>();
    const ids = parsedRecords.flatMap(({ items }) =>
      (items ?? []).flatMap(({ username, secrets }) => {
        const stored = username && users.get(username.key);
        return stored && !isAbsent(secrets.PasswordHash) ? [stored.id] : [];
      }),
    );
    return ids.length > 0 ? this.#store.findPasswordHashes(ids) : new Map<number, string>();
  }

  #checkPrincipal(parsed: ParsedUpsert, stored: StoredPrincipal | null): void {
    const { errors, namedBy, principalId, externalKey } = parsed;
    if (principalId !== null && !stored) errors.add('ID', 'PRINCIPAL_NOT_FOUND', { variant: 'id' });
    const names = [stored?.id ?? null, externalKey ?? stored?.fields.ExternalKey ?? null];
    const claimed = names.filter((name) => name !== null);
    // Also after an invalid record: two records of one principal contradict each other.
    if (claimed.some((name) => this.#claimedPrincipals.has(name))) errors.add(namedBy, 'DUPLICATE_PRINCIPAL');
    for (const name of claimed) this.#claimedPrincipals.add(name);
    if (stored && this.#options.existing === 'refuse') this.#refuseDifferences(parsed, stored);
    const cleared = stored && clearedField(stored, parsed);
    if (cleared)
      errors.add(cleared, 'EMPTY_PRINCIPAL', { figures: { fields: principalFieldNames.join(', ') } });
  }

  #refuseDifferences(parsed: ParsedUpsert, stored: StoredPrincipal): void {
    const fields: Readonly<Record<string, FieldValue | null>> = stored.fields;
    const sent: Readonly<Record<string, FieldValue | null | undefined>> = parsed.fields;
    for (const name of changedOfPrincipal(stored, parsed)) {
      const [from, to] = name === 'State' ? [stored.state, parsed.state] : [fields[name], sent[name]];
      if (this.#options.showsStored)
        parsed.errors.add(name, 'DIFFERS_FROM_STORED', {
          variant: 'both',
          figures: { stored: shownValue(from), sent: shownValue(to) },
        });
      else
        parsed.errors.add(name, 'DIFFERS_FROM_STORED', {
          variant: 'sent',
          figures: { sent: shownValue(to) },
        });
    }
  }

  async #compareUsers(
    parsed: ParsedUpsert,
    principal: StoredPrincipal | null,
    users: ReadonlyMap<string, StoredUser>,
    hashes: ReadonlyMap<number, string>,
    timeSlice: TimeSlice,
  ): Promise<UserDiff[]> {
    const diffs: UserDiff[] = [];
    // It is unknown which users a principal has that does not exist.
    if (parsed.namedBy === 'ID' && !principal) return diffs;
    const own = new Set<string>();
    const registered: string[] = [];
    for (const item of parsed.items ?? []) {
      if (timeSlice.isOver) await timeSlice.yield();
      const key = item.username?.key;
      if (key === undefined) continue;
      const stored = users.get(key) ?? null;
      this.#refuseTaken(parsed, item, stored, principal, own);
      own.add(key);
      if (!stored) registered.push(key);
      if (stored?.principalId === principal?.id || !stored)
        diffs.push(this.#compareUser(parsed, item, stored, hashes));
    }
    // A record that states the principal as disabled is meant so, such as an export that is imported again.
    if (registered.length > 0 && principal?.state === 'disabled' && parsed.state === null)
      parsed.errors.add(parsed.namedBy, 'PRINCIPAL_DISABLED');
    if (parsed.errors.none) for (const key of registered) this.#claimedUsernames.add(key);
    return diffs;
  }

  #refuseTaken(
    { errors }: ParsedUpsert,
    { place, username }: UpsertItem,
    stored: StoredUser | null,
    principal: StoredPrincipal | null,
    own: ReadonlySet<string>,
  ): void {
    const at = within(place, 'Username');
    const key = username?.key ?? '';
    if (own.has(key)) errors.add(at, 'DUPLICATE_USER');
    else if (stored && (stored.principalId !== principal?.id || this.#options.existing === 'refuse'))
      errors.add(at, 'USERNAME_TAKEN', { variant: 'stored' });
    else if (this.#claimedUsernames.has(key)) errors.add(at, 'USERNAME_TAKEN', { variant: 'call' });
  }

  #compareUser(
    parsed: ParsedUpsert,
    item: UpsertItem,
    stored: StoredUser | null,
    hashes: ReadonlyMap<number, string>,
  ): UserDiff {
    const { errors } = parsed;
    const { fields, place } = item;
    if (this.#rules.requireEmail && (stored ? fields.Email === null : !fields.Email))
      errors.addMissing(within(place, 'Email'));
    if (!stored) return { sent: item, stored, changed: [], secret: this.#secretOf(parsed, item, null) };
    const changed = changedOfUser(stored, item);
    const overwrites =
      this.#options.passwords === 'overwrite' &&
      Object.values(item.secrets).some((value) => !isAbsent(value));
    const hash = hashes.get(stored.id);
    // A password beside the hash is an error, which `#secretOf` adds.
    const { PasswordHash, ...passwords } = item.secrets;
    const isSame = hash !== undefined && PasswordHash === hash && Object.values(passwords).every(isAbsent);
    if (!overwrites || isSame) return { sent: item, stored, changed, secret: null };
    const secret = this.#secretOf(parsed, item, stored);
    return { sent: item, stored, changed: [...changed, 'Password'], secret };
  }

  /** Reads the password of a user to register, or that of an existing user whose password is overwritten. */
  #secretOf({ errors }: ParsedUpsert, item: UpsertItem, stored: StoredUser | null): UserItem {
    if (item.secret?.operation === (stored ? 'reset' : 'register')) return item.secret;
    const { place, username, fields } = item;
    const secrets = readSecrets(item.secrets, place, this.#rules, errors);
    const email = fields.Email === undefined ? (stored?.fields.Email ?? null) : fields.Email;
    const owner = { usernameKey: username?.key ?? null, email };
    if (secrets.password !== null) refuseOwnNames(secrets.password, owner, within(place, 'Password'), errors);
    item.secret = stored
      ? { operation: 'reset', place, id: stored.id, username, stored, ...secrets }
      : { operation: 'register', place, username, fields: newUserFields(fields), ...secrets };
    return item.secret;
  }
}

function shownValue(value: FieldValue | null | undefined): string {
  return clip(columnText(value ?? null) ?? '', shownLength);
}
