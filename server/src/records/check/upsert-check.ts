import type { FieldErrors } from '../../lib/field-errors.ts';
import { clip, within } from '../../lib/request-fields.ts';
import { required } from '../../lib/required.ts';
import { TimeSlice } from '../../lib/yield-to-event-loop.ts';
import type { StoredPrincipal, StoredUser } from '../fields/compared-values.ts';
import { columnText, type FieldValue, principalFieldNames } from '../fields/fields.ts';
import { type ParsedRecord, usersWith } from '../parse/parsed-record.ts';
import { readNewPassword, refuseOwnNamesIn, type Upsert, type UserRules } from '../parse/parsed-user.ts';
import type { PrincipalChange } from '../write/change.ts';
import { changedOfPrincipal, changedOfUser, clearedField, fieldChanges } from './compare.ts';
import { type LookAlikeStore, LookAlikes } from './look-alikes.ts';
import type { CallOptions, CheckTools } from './operation.ts';
import type { ReferenceStore } from './references.ts';
import { type AttributeStore, type SentAttributes, setStoredAttributes } from './stored-attributes.ts';
import { type ComparedRecord, type ComparedUser, upsertChange } from './upsert-change.ts';
import { type MissingUserStore, MissingUsers, type RemovalLimits } from './upsert-missing.ts';

/** Maximum number of attempts to read principals and users that other clients insert meanwhile. */
const readsMax = 3;

/** Maximum number of characters of a value in an error. */
const shownLength = 100;

export interface UpsertStore extends ReferenceStore, AttributeStore, MissingUserStore, LookAlikeStore {
  findPasswordHashes(userIds: readonly number[]): Promise<ReadonlyMap<number, string>>;
}

export interface UpsertRules extends UserRules, RemovalLimits {}

interface StoredValues {
  readonly principals: ReadonlyMap<ParsedRecord, StoredPrincipal>;
  /** By mapped username. */
  readonly users: ReadonlyMap<string, StoredUser>;
  /** The hashes of users for whom a hash was sent, by their IDs: an equal one changes nothing. */
  readonly hashes: ReadonlyMap<number, string>;
}

/** Compares the records of one call with the store, and refuses those that contradict it or each other. */
export class UpsertCheck {
  readonly #store: UpsertStore;
  readonly #rules: UpsertRules;
  readonly #options: CallOptions;
  readonly #tools: CheckTools;
  readonly #claimedPrincipals = new Set<number | string>();
  readonly #claimedUsernames = new Set<string>();
  readonly #missing: MissingUsers;
  readonly #lookAlikes: LookAlikes;

  constructor(store: UpsertStore, rules: UpsertRules, options: CallOptions, tools: CheckTools = {}) {
    this.#store = store;
    this.#rules = rules;
    this.#options = options;
    this.#tools = tools;
    this.#missing = new MissingUsers(store, options, rules, tools);
    this.#lookAlikes = new LookAlikes(store, options, tools);
  }

  async run(parsedRecords: readonly ParsedRecord[]): Promise<(PrincipalChange | null)[]> {
    const timeSlice = new TimeSlice();
    const stored = await this.#readStored(parsedRecords);
    const inserted = parsedRecords.filter(
      (parsed) => parsed.externalKey !== null && !stored.principals.has(parsed),
    );
    const forms = await this.#lookAlikes.find(inserted);
    const compared: ComparedRecord[] = [];
    for (const parsed of parsedRecords) {
      if (timeSlice.isOver) await timeSlice.yield();
      this.#lookAlikes.refuse(parsed, forms.get(parsed));
      compared.push(this.#compare(parsed, stored));
      this.#lookAlikes.claim(parsed, forms.get(parsed));
    }
    const removed = await this.#missing.find(compared);
    const { showsChanges = false } = this.#tools;
    const changes: (PrincipalChange | null)[] = [];
    for (const record of compared) {
      if (timeSlice.isOver) await timeSlice.yield();
      const own = { users: removed.get(record) ?? [], action: this.#options.missing };
      changes.push(record.parsed.errors.none ? upsertChange(record, own, { showsChanges }) : null);
    }
    if (timeSlice.isOver) await timeSlice.yield();
    return changes;
  }

  /**
   * Reads principals and users. The versions are read before the users, so that a later change of a user changes the
   * version that is written to. If another client inserts a principal between the two reads, both are repeated:
   * its users would otherwise seem to belong to another principal.
   */
  async #readStored(parsedRecords: readonly ParsedRecord[]): Promise<StoredValues> {
    for (let attempt = 1; ; attempt++) {
      const principals = await this.#findPrincipals(parsedRecords);
      const users = await this.#findUsers(parsedRecords);
      const suspects = parsedRecords.filter(
        (parsed) =>
          parsed.externalKey !== null &&
          !principals.has(parsed) &&
          parsed.users?.some(({ username }) => username && users.has(username.key)),
      );
      const isComplete =
        suspects.length === 0 || attempt === readsMax || (await this.#findPrincipals(suspects)).size === 0;
      if (!isComplete) continue;
      const existing = existingUsers(parsedRecords, users);
      await this.#setAttributes(existing);
      return { principals, users, hashes: await this.#findHashes(existing) };
    }
  }

  async #findPrincipals(
    parsedRecords: readonly ParsedRecord[],
  ): Promise<ReadonlyMap<ParsedRecord, StoredPrincipal>> {
    const ids = parsedRecords.map(({ principalId }) => principalId).filter((id) => id !== null);
    const keys = new Set(parsedRecords.map(({ externalKey }) => externalKey).filter((key) => key !== null));
    const idsByKey = await this.#store.findExternalKeys([...keys]);
    const byId = await this.#store.findPrincipals([...new Set([...ids, ...idsByKey.values()])]);
    // By the key that the principal has now: it may have been changed between the two reads.
    const byKey = new Map([...byId.values()].map((principal) => [principal.fields.ExternalKey, principal]));
    return new Map(
      parsedRecords.flatMap((parsed): [ParsedRecord, StoredPrincipal][] => {
        const { namedBy, principalId, externalKey } = parsed;
        const stored = namedBy === 'ID' ? byId.get(principalId ?? 0) : byKey.get(externalKey ?? '');
        return stored ? [[parsed, stored]] : [];
      }),
    );
  }

  async #findUsers(parsedRecords: readonly ParsedRecord[]): Promise<Map<string, StoredUser>> {
    const keys = new Set(
      parsedRecords.flatMap(({ users }) => (users ?? []).flatMap(({ username }) => username?.key ?? [])),
    );
    const wanted = { ids: [], usernameKeys: [...keys] };
    const found = await this.#store.findUsers(wanted);
    return new Map(found.map((user) => [user.usernameKey, user]));
  }

  async #setAttributes(existing: readonly ExistingUser[]): Promise<void> {
    const sent = existing.flatMap(({ sent: { fields }, stored: user }): SentAttributes[] =>
      fields.Attributes === undefined ? [] : [{ user, attributes: fields.Attributes }],
    );
    await setStoredAttributes(sent, this.#store, this.#tools);
  }

  async #findHashes(existing: readonly ExistingUser[]): Promise<ReadonlyMap<number, string>> {
    const hashed = existing.filter(({ sent }) => sent.password?.value.text === null);
    if (this.#options.passwords === 'keep' || hashed.length === 0) return new Map();
    return this.#store.findPasswordHashes(hashed.map(({ stored }) => stored.id));
  }

  #compare(parsed: ParsedRecord, stored: StoredValues): ComparedRecord {
    const principal = stored.principals.get(parsed) ?? null;
    const sent = required(parsed.principal);
    const changed = principal ? changedOfPrincipal(principal, sent) : [];
    this.#checkPrincipal(parsed, principal, changed);
    return { parsed, sent, stored: principal, changed, users: this.#compareUsers(parsed, principal, stored) };
  }

  #checkPrincipal(parsed: ParsedRecord, stored: StoredPrincipal | null, changed: readonly string[]): void {
    const { errors, namedBy, principalId, externalKey } = parsed;
    if (principalId !== null && !stored) errors.add('ID', 'PRINCIPAL_NOT_FOUND', { variant: 'id' });
    const names = [stored?.id ?? null, externalKey ?? stored?.fields.ExternalKey ?? null];
    const claimed = names.filter((name) => name !== null);
    // Also after an invalid record: two records of one principal contradict each other.
    if (claimed.some((name) => this.#claimedPrincipals.has(name))) errors.add(namedBy, 'DUPLICATE_PRINCIPAL');
    for (const name of claimed) this.#claimedPrincipals.add(name);
    if (!stored) return;
    const sent = required(parsed.principal);
    if (this.#options.existing === 'refuse') {
      for (const { field, from, to } of fieldChanges(changed, stored, sent))
        this.#refuseDifference(field, { stored: shownValue(from), sent: shownValue(to) }, errors);
    }
    const cleared = clearedField(stored, sent);
    if (cleared)
      errors.add(cleared, 'EMPTY_PRINCIPAL', { figures: { fields: principalFieldNames.join(', ') } });
  }

  #refuseDifference(field: string, values: { stored: string; sent: string }, errors: FieldErrors): void {
    if (this.#options.showsStored)
      errors.add(field, 'DIFFERS_FROM_STORED', { variant: 'both', figures: values });
    else errors.add(field, 'DIFFERS_FROM_STORED', { variant: 'sent', figures: { sent: values.sent } });
  }

  #compareUsers(
    parsed: ParsedRecord,
    principal: StoredPrincipal | null,
    { users, hashes }: StoredValues,
  ): ComparedUser[] {
    const compared: ComparedUser[] = [];
    const { errors, namedBy } = parsed;
    // It is unknown which users a principal has that does not exist.
    if (namedBy === 'ID' && !principal) return compared;
    const own = new Set<string>();
    const registered: string[] = [];
    for (const sent of usersWith(parsed, 'upsert')) {
      const key = sent.username?.key;
      if (key === undefined) continue;
      const stored = users.get(key) ?? null;
      const isForeign = stored !== null && stored.principalId !== principal?.id;
      const place = within(sent.place, 'Username');
      if (own.has(key)) errors.add(place, 'DUPLICATE_USER');
      else if (isForeign || (stored && this.#options.existing === 'refuse'))
        errors.add(place, 'USERNAME_TAKEN', { variant: 'stored' });
      else if (this.#claimedUsernames.has(key)) errors.add(place, 'USERNAME_TAKEN', { variant: 'call' });
      own.add(key);
      if (!stored) registered.push(key);
      if (!isForeign) compared.push(this.#compareUser(sent, stored, hashes, errors));
    }
    // A record that states the principal as disabled is meant so, such as an export that is imported again.
    if (registered.length > 0 && principal?.state === 'disabled' && parsed.principal?.state === null)
      errors.add(namedBy, 'PRINCIPAL_DISABLED');
    if (errors.none) for (const key of registered) this.#claimedUsernames.add(key);
    return compared;
  }

  #compareUser(
    sent: Upsert,
    stored: StoredUser | null,
    hashes: ReadonlyMap<number, string>,
    errors: FieldErrors,
  ): ComparedUser {
    const { fields, place } = sent;
    if (this.#rules.requireEmail && (stored ? fields.Email === null : !fields.Email))
      errors.addMissing(within(place, 'Email'));
    if (!stored) return { sent, stored, changed: [], password: this.#newPassword(sent, null, errors) };
    const changed = changedOfUser(stored, sent);
    const isSame = sent.password?.errors.none && sent.password.value.hash === hashes.get(stored.id);
    if (this.#options.passwords === 'keep' || !sent.password || isSame)
      return { sent, stored, changed, password: null };
    const password = this.#newPassword(sent, stored, errors);
    return { sent, stored, changed: [...changed, 'Password'], password };
  }

  /** Returns the password of a user to register, or that of an existing user whose password is overwritten. */
  #newPassword(
    { place, username, fields, password }: Upsert,
    stored: StoredUser | null,
    errors: FieldErrors,
  ) {
    if (!password) return readNewPassword({}, place, this.#rules, errors);
    for (const [at, found] of password.errors.byPlace) for (const error of found) errors.put(at, error);
    const email = fields.Email === undefined ? (stored?.fields.Email ?? null) : fields.Email;
    refuseOwnNamesIn(password.value, { usernameKey: username?.key ?? null, email }, place, errors);
    return password.value;
  }
}

interface ExistingUser {
  readonly sent: Upsert;
  readonly stored: StoredUser;
}

function existingUsers(
  parsedRecords: readonly ParsedRecord[],
  users: ReadonlyMap<string, StoredUser>,
): ExistingUser[] {
  return parsedRecords.flatMap((parsed) =>
    usersWith(parsed, 'upsert').flatMap((sent) => {
      const stored = users.get(sent.username?.key ?? '');
      return stored ? [{ sent, stored }] : [];
    }),
  );
}

function shownValue(value: FieldValue | null): string {
  return clip(columnText(value) ?? '', shownLength);
}
