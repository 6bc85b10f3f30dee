import type { FieldErrors } from '../../lib/field-errors.ts';
import { clip, within } from '../../lib/request-fields.ts';
import { required } from '../../lib/required.ts';
import { TimeSlice } from '../../lib/yield-to-event-loop.ts';
import { refuseTags } from '../check/caller-tags.ts';
import type { CheckStore } from '../check/check.store.ts';
import { changedOfPrincipal, changedOfUser, clearedField, fieldChanges } from '../check/compare.ts';
import { LookAlikes } from '../check/look-alikes.ts';
import { bytesPerUsername } from '../check/memory-estimates.ts';
import type { CallOptions, CallUsernames, CheckTools, Operation } from '../check/operation.ts';
import { refuseTakenKey, refuseTakenUsername } from '../check/taken-names.ts';
import type { SentPrincipal, StoredPrincipal, StoredUser } from '../fields/compared-values.ts';
import { columnText, type FieldValue, principalFieldNames } from '../fields/fields.ts';
import {
  type FirstPassword,
  readFirstPassword,
  refuseOwnNamesIn,
  type UserRules,
} from '../parse/new-password.ts';
import { parseUpsert } from '../parse/parse-records.ts';
import { type ParsedRecord, usersWith } from '../parse/parsed-record.ts';
import type { Upsert } from '../parse/parsed-user.ts';
import type { PrincipalChange } from '../write/change.ts';
import { type ComparedRecord, type ComparedUser, upsertChange } from './upsert-change.ts';
import { MissingUsers, type RemovalLimits } from './upsert-missing.ts';
import { StoredReader, type StoredValues } from './upsert-stored.ts';

/** Maximum number of characters of a value in an error. */
const shownLength = 100;

interface UpsertRules extends UserRules, RemovalLimits {}

/** Creates missing principals and users, changes those that differ, and leaves equal ones as they are. */
export function upsertOperation(store: CheckStore, rules: UpsertRules, options: CallOptions): Operation {
  return {
    name: 'upsert',
    parse: (fields, errors) => parseUpsert(fields, errors, rules),
    startChecks(tools) {
      const check = new UpsertCheck(store, rules, options, tools);
      return (parsedRecords) => check.check(parsedRecords);
    },
  };
}

/** Compares the records of one call with the store, and refuses those that contradict it or each other. */
class UpsertCheck {
  readonly #stored: StoredReader;
  readonly #rules: UpsertRules;
  readonly #options: CallOptions;
  readonly #tools: CheckTools;
  readonly #namedPrincipals = new Set<number | string>();
  readonly #newUsernames = new Set<string>();
  /** The usernames of the whole call, which are read once, and only if users may be moved. */
  #usernames: CallUsernames | null = null;
  readonly #missing: MissingUsers;
  readonly #lookAlikes: LookAlikes;

  constructor(store: CheckStore, rules: UpsertRules, options: CallOptions, tools: CheckTools = {}) {
    this.#stored = new StoredReader(store, options, tools);
    this.#rules = rules;
    this.#options = options;
    this.#tools = tools;
    this.#missing = new MissingUsers(store, options, rules, tools);
    this.#lookAlikes = new LookAlikes(store, options, tools);
  }

  async check(parsedRecords: readonly ParsedRecord[]): Promise<(PrincipalChange | null)[]> {
    await this.#readUsernames();
    const timeSlice = new TimeSlice();
    const stored = await this.#stored.read(parsedRecords);
    const inserted = parsedRecords.filter(
      (parsed) => parsed.externalKey !== null && !stored.principals.has(parsed),
    );
    const forms = await this.#lookAlikes.find(inserted);
    const compared: ComparedRecord[] = [];
    for (const parsed of parsedRecords) {
      if (timeSlice.isOver) await timeSlice.yield();
      this.#lookAlikes.refuse(parsed, forms.get(parsed));
      compared.push(this.#compare(parsed, stored));
      this.#lookAlikes.add(parsed, forms.get(parsed));
    }
    const missing = await this.#missing.find(compared, (key) => this.#isNamedElsewhere(key));
    const { showsChanges = false } = this.#tools;
    const { callerTags } = this.#options;
    const changes: (PrincipalChange | null)[] = [];
    for (const record of compared) {
      if (timeSlice.isOver) await timeSlice.yield();
      const { removed: users = [], namedElsewhere = [] } = missing.get(record) ?? {};
      const own = { users, namedElsewhere, action: this.#options.missing };
      changes.push(
        record.parsed.errors.none ? upsertChange(record, own, { showsChanges, callerTags }) : null,
      );
    }
    if (timeSlice.isOver) await timeSlice.yield();
    return changes;
  }

  async #readUsernames(): Promise<void> {
    const { usernamesOfCall, holdMemory } = this.#tools;
    if (this.#options.moves === 'refuse' || this.#usernames || !usernamesOfCall) return;
    this.#usernames = await usernamesOfCall();
    holdMemory?.(this.#usernames.size * bytesPerUsername);
  }

  /** Returns true for a missing user that another record contains, whether it moves there or that record fails. */
  #isNamedElsewhere(usernameKey: string): boolean {
    const { namedElsewhere } = this.#tools;
    return (this.#usernames?.has(usernameKey) || namedElsewhere?.has(usernameKey)) ?? false;
  }

  #compare(parsed: ParsedRecord, stored: StoredValues): ComparedRecord {
    const principal = stored.principals.get(parsed) ?? null;
    const sent = sentPrincipal(parsed, principal);
    const changed = principal ? changedOfPrincipal(principal, sent) : [];
    this.#checkPrincipal(parsed, principal, changed);
    refuseTags(parsed, principal, this.#options);
    if (stored.hiddenKeys.has(parsed)) refuseTakenKey('ExternalKey', null, parsed.errors);
    const sourceUsers = new Map<number, number>();
    const users = this.#compareUsers(parsed, principal, { ...stored, sourceUsers });
    return { parsed, sent, stored: principal, changed, users, sourceUsers };
  }

  #checkPrincipal(parsed: ParsedRecord, stored: StoredPrincipal | null, changed: readonly string[]): void {
    const { errors, namedBy, principalId, externalKey } = parsed;
    if (principalId !== null && !stored) errors.add('ID', 'PRINCIPAL_NOT_FOUND', { variant: 'id' });
    const names = [stored?.id ?? null, externalKey ?? stored?.fields.ExternalKey ?? null];
    const all = names.filter((name) => name !== null);
    // Also after an invalid record: two records of one principal contradict each other.
    if (all.some((name) => this.#namedPrincipals.has(name))) errors.add(namedBy, 'DUPLICATE_PRINCIPAL');
    for (const name of all) this.#namedPrincipals.add(name);
    if (!stored) return;
    const sent = sentPrincipal(parsed, stored);
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
    {
      users,
      hiddenUsernames,
      hashes,
      owners,
      sourceUsers,
    }: StoredValues & { readonly sourceUsers: Map<number, number> },
  ): ComparedUser[] {
    const compared: ComparedUser[] = [];
    const { errors, namedBy } = parsed;
    // It is unknown which users a principal has that does not exist.
    if (namedBy === 'ID' && !principal) return compared;
    const own = new Set<string>();
    const registered: string[] = [];
    let moves = 0;
    for (const sent of usersWith(parsed, 'upsert')) {
      const key = sent.username?.key;
      if (key === undefined) continue;
      const stored = users.get(key) ?? null;
      const isForeign = stored !== null && stored.principalId !== principal?.id;
      const place = within(sent.place, 'Username');
      const isMoved = isForeign && this.#options.moves === 'allow';
      if (own.has(key)) errors.add(place, 'DUPLICATE_USER', { variant: 'record' });
      else if (hiddenUsernames.has(key)) refuseTakenUsername(place, undefined, errors);
      // It is unknown which of the records has the principal of the user.
      else if (isMoved && this.#usernames?.get(key))
        errors.add(place, 'USERNAME_TAKEN', { variant: 'several' });
      else if ((isForeign && !isMoved) || (stored && this.#options.existing === 'refuse')) {
        const owner = this.#options.showsStored ? owners.get(stored.principalId) : undefined;
        refuseTakenUsername(place, owner, errors);
      } else if (this.#newUsernames.has(key)) errors.add(place, 'USERNAME_TAKEN', { variant: 'call' });
      own.add(key);
      if (!stored) registered.push(key);
      if (isMoved) moves++;
      if (!isForeign || isMoved) {
        compared.push({ ...this.#compareUser(sent, stored, hashes, errors), isMoved });
        if (isMoved) sourceUsers.set(stored.principalId, owners.get(stored.principalId)?.usersCount ?? 0);
      }
    }
    // A record that states the principal as disabled is meant so, such as an export that is imported again.
    if (registered.length + moves > 0 && principal?.state === 'disabled' && parsed.principal?.state === null)
      errors.add(namedBy, 'PRINCIPAL_DISABLED');
    if (errors.none) for (const key of registered) this.#newUsernames.add(key);
    return compared;
  }

  #compareUser(
    sent: Upsert,
    stored: StoredUser | null,
    hashes: ReadonlyMap<number, string>,
    errors: FieldErrors,
  ): Omit<ComparedUser, 'isMoved'> {
    const { fields, place } = sent;
    if (this.#rules.requireEmail && (stored ? fields.Email === null : !fields.Email))
      errors.addMissing(within(place, 'Email'));
    if (!stored) return { sent, stored, changed: [], ...this.#firstPassword(sent, null, errors) };
    const changed = changedOfUser(stored, sent);
    const { password } = sent;
    const kept = { sent, stored, changed, password: null, invite: null };
    // An existing user is not invited again each time that it is sent.
    if (this.#options.passwords === 'keep' || !password || password.invite !== null) return kept;
    if (password.errors.none && password.password?.hash === hashes.get(stored.id)) return kept;
    return { ...kept, changed: [...changed, 'Password'], ...this.#firstPassword(sent, stored, errors) };
  }

  /** Returns the password of a user to register, or that of an existing user whose password is overwritten. */
  #firstPassword(
    { place, username, fields, password: sent }: Upsert,
    stored: StoredUser | null,
    errors: FieldErrors,
  ): FirstPassword {
    if (!sent) return readFirstPassword({}, place, this.#rules, errors);
    for (const [at, found] of sent.errors.byPlace) for (const error of found) errors.put(at, error);
    const { password, invite } = sent;
    const email = fields.Email === undefined ? (stored?.fields.Email ?? null) : fields.Email;
    refuseOwnNamesIn(password, { usernameKey: username?.key ?? null, email }, place, errors);
    return { password, invite };
  }
}

/** Returns the values of a record. The key that names an existing principal may be an alias, and is no value. */
function sentPrincipal({ principal }: ParsedRecord, stored: StoredPrincipal | null): SentPrincipal {
  const { fields, state } = required(principal);
  const { ExternalKey: _, ...others } = fields;
  return stored ? { fields: others, state } : { fields, state };
}

function shownValue(value: FieldValue | null): string {
  return clip(columnText(value) ?? '', shownLength);
}
