import { within } from '../lib/request-fields.ts';
import { refuseOwnNames } from '../passwords/policy.ts';
import { changedOfUser, clearedField, editPrincipal, editUser } from './compare.ts';
import { principalFieldNames } from './fields.ts';
import { type IdStore, reserveIds } from './id-reservation.ts';
import type { CheckTools, Operation, ReadyRecord } from './operation.ts';
import type { AppliedUser } from './outcome.ts';
import { isRegistration, newUser, required } from './parsed-record.ts';
import { isEdit, isPlain, type ParsedUpdate, readUpdate } from './parsed-update.ts';
import { findReferences, type ReferenceStore } from './references.ts';
import { type AttributeStore, type SentAttributes, setStoredAttributes } from './stored-attributes.ts';
import {
  type Deletion,
  type Edit,
  isNamedByUsername,
  type NewPassword,
  type NewUser,
  type Reset,
  type UpdateItem,
  type UserRules,
} from './user-item.ts';
import { ExternalKeys, type UsernameStore, Usernames } from './usernames.ts';
import type { ChangeStore, PrincipalChange, UserEdit } from './write/change.ts';

export interface UpdateStore extends ReferenceStore, AttributeStore, UsernameStore, IdStore, ChangeStore {}

/** Registers, edits and deletes users under existing principals, resets passwords, and edits the principals. */
export function updateOperation(store: UpdateStore, rules: UserRules): Operation<ParsedUpdate> {
  return {
    name: 'update',
    read: (fields, errors, timeSlice) => readUpdate(fields, errors, rules, timeSlice),
    newCheck(tools) {
      const taken = { usernames: new Usernames(store), keys: new ExternalKeys(store) };
      return { run: (parsedRecords) => checkAgainstStore(parsedRecords, taken, store, tools) };
    },
    order: (parsed) => parsed.principalId,
    size: (parsed) => parsed.items.length,
    need: (parsed) => ({ principals: 0, users: parsed.users.filter(isRegistration).length }),
    reserveIds: (needs) => reserveIds(needs, store),
    idOf: (parsed) => parsed.principalId,
    write: (records) => store.writeChanges(records.map(principalChange)),
  };
}

async function checkAgainstStore(
  parsedRecords: readonly ParsedUpdate[],
  { usernames, keys }: { usernames: Usernames; keys: ExternalKeys },
  store: UpdateStore,
  tools: CheckTools | undefined,
): Promise<void> {
  await findReferences(parsedRecords, store, {
    usersOf: ({ items }) => items.filter(namesUser),
    comparesValues: parsedRecords.some((parsed) => !isPlain(parsed)),
    tools,
    alsoRead: async () => {
      await Promise.all([
        usernames.lookUp(parsedRecords),
        keys.lookUp(parsedRecords.map(newExternalKey).filter((key) => key !== null)),
      ]);
    },
  });
  await setStoredAttributes(parsedRecords.flatMap(sentAttributes), store, null);
  for (const parsed of parsedRecords) {
    const key = newExternalKey(parsed);
    refuseDisabled(parsed);
    refuseEmpty(parsed);
    if (key !== null) keys.refuseTaken(key, 'NewExternalKey', parsed.principalId, parsed.errors);
    refuseOwnNamesOf(parsed);
    usernames.refuseTaken(parsed);
    if (!parsed.errors.none) continue;
    usernames.claim(parsed);
    if (key !== null) keys.claim(key);
  }
}

function sentAttributes({ items }: ParsedUpdate): SentAttributes[] {
  return items.filter(isEdit).flatMap(({ stored: user, fields: { Attributes: attributes } }) => {
    return user && attributes !== undefined ? [{ user, attributes }] : [];
  });
}

function newExternalKey({ principal }: ParsedUpdate): string | null {
  return principal?.fields.ExternalKey ?? null;
}

/** Rejects registrations under a principal that is disabled when the record is applied. Other changes are allowed. */
function refuseDisabled({ stored, principal, sentId, users, errors }: ParsedUpdate): void {
  const state = principal?.state ?? stored?.state;
  if (state === 'disabled' && users.some(isRegistration))
    errors.add(sentId === null ? 'ExternalKey' : 'ID', 'PRINCIPAL_DISABLED');
}

function refuseEmpty({ stored, principal, errors }: ParsedUpdate): void {
  if (!stored || !principal || !errors.none) return;
  const cleared = clearedField(stored, principal);
  if (cleared === null) return;
  const place = cleared === 'ExternalKey' ? 'NewExternalKey' : cleared;
  errors.add(place, 'EMPTY_PRINCIPAL', { figures: { fields: principalFieldNames.join(', ') } });
}

function refuseOwnNamesOf({ users, errors }: ParsedUpdate): void {
  for (const item of users) {
    if (isRegistration(item) || item.password === null || !item.stored) continue;
    const { usernameKey, fields } = item.stored;
    refuseOwnNames(
      item.password,
      { usernameKey, email: fields.Email },
      within(item.place, 'Password'),
      errors,
    );
  }
}

function namesUser(item: UpdateItem): item is Reset | Edit | Deletion {
  return item.operation !== 'register';
}

function newPassword(item: Reset, passwordHash: string | undefined): NewPassword {
  return {
    operation: 'reset',
    id: required(item.stored?.id ?? item.id),
    passwordHash: required(passwordHash),
  };
}

function principalChange({ parsed, ids, hashes, context }: ReadyRecord<ParsedUpdate>): PrincipalChange {
  const stored = required(parsed.stored);
  const userIds = ids.users.values();
  const registrations: NewUser[] = [];
  const resets: NewPassword[] = [];
  const edits: UserEdit[] = [];
  const deletes: number[] = [];
  const applyItem = (item: UpdateItem): AppliedUser => {
    if (item.operation === 'register') {
      const user = newUser(item, userIds.next().value, hashes.get(item));
      registrations.push(user);
      return { id: user.id, username: user.username, email: user.fields.Email, operation: 'register' };
    }
    const { id, username, fields } = required(item.stored);
    if (item.operation === 'reset') {
      resets.push(newPassword(item, hashes.get(item)));
      return { id, username, email: fields.Email, operation: 'reset' };
    }
    if (item.operation === 'delete') {
      deletes.push(id);
      return { id, username: '', email: null, operation: 'delete' };
    }
    const changed = changedOfUser(required(item.stored), item, item.newUsername);
    if (changed.length === 0) return { id, username, email: fields.Email, operation: 'none' };
    edits.push(editUser(required(item.stored), item, changed, item.newUsername));
    const email = item.fields.Email === undefined ? fields.Email : item.fields.Email;
    return { id, username: item.newUsername?.asSent ?? username, email, operation: 'edit', changed };
  };
  const applied = parsed.items.map(applyItem);
  // A user that is named by its username may have been renamed since the check.
  const comparesValues =
    parsed.principal !== null || parsed.items.some((item) => isEdit(item) || isNamedByUsername(item));
  return {
    principalId: stored.id,
    action: 'update',
    principal: parsed.principal ? editPrincipal(stored, parsed.principal) : { kind: 'keep' },
    reportsPrincipal: parsed.principal !== null,
    expectedVersion: comparesValues ? stored.version : null,
    registrations,
    resets,
    edits,
    deletes,
    applied,
    context,
  };
}
