import { within } from '../../lib/request-fields.ts';
import { required } from '../../lib/required.ts';
import { refuseTags } from '../check/caller-tags.ts';
import type { CheckStore } from '../check/check.store.ts';
import {
  changedOfUser,
  clearedField,
  editPrincipal,
  editUser,
  newUser,
  registeredName,
  registeredUser,
} from '../check/compare.ts';
import { moveOf, UsersOfCall } from '../check/moves.ts';
import { type CallOptions, defaultOptions, type Operation } from '../check/operation.ts';
import { type Found, findReferences } from '../check/references.ts';
import { setStoredAttributes } from '../check/stored-attributes.ts';
import { findStoredNames, NamesOfCall, type NewNames } from '../check/taken-names.ts';
import { principalFieldNames } from '../fields/fields.ts';
import { refuseOwnNamesIn, type UserRules } from '../parse/new-password.ts';
import { parseUpdate } from '../parse/parse-records.ts';
import { type ParsedRecord, usersWith } from '../parse/parsed-record.ts';
import { isNamedByUsername } from '../parse/parsed-user.ts';
import { noChange, type PrincipalChange, type UserChange } from '../write/change.ts';
import type { AppliedUser } from '../write/outcome.ts';

type UpdateOptions = Pick<CallOptions, 'showsStored' | 'resetsOnly' | 'callerTags'>;

/** Registers, edits and deletes users under existing principals, resets passwords, and edits the principals. */
export function updateOperation(
  store: CheckStore,
  rules: UserRules,
  options: UpdateOptions = defaultOptions,
): Operation {
  return {
    name: 'update',
    async parse(fields, errors) {
      const parsed = await parseUpdate(fields, errors, rules);
      if (options.resetsOnly) refuseOtherThanResets(parsed);
      return parsed;
    },
    startChecks() {
      const namesOfCall = new NamesOfCall();
      const usersOfCall = new UsersOfCall();
      return async (parsedRecords) => {
        const [found, storedNames] = await Promise.all([
          findReferences(parsedRecords, store, {
            usersOf: (parsed) => [
              ...usersWith(parsed, 'reset', 'edit', 'delete'),
              ...usersWith(parsed, 'move'),
            ],
            comparesValues: parsedRecords.some(comparesValues),
          }),
          findStoredNames(
            parsedRecords.map((parsed) => newNames(parsed, null)),
            store,
            options,
          ),
        ]);
        const records = parsedRecords.map((parsed, at) => ({ parsed, own: required(found[at]) }));
        await setStoredAttributes(records.flatMap(sentAttributes), store);
        return records.map(({ parsed, own }) => {
          const { principal } = own;
          refuseDisabled(parsed, own);
          if (principal) refuseTags(parsed, principal, options);
          refuseEmpty(parsed, own);
          refuseOwnNames(parsed, own);
          usersOfCall.refuseEarlier(own, parsed.errors);
          namesOfCall.refuseTakenOrAdd(
            newNames(parsed, own),
            storedNames,
            principal?.id ?? null,
            parsed.errors,
          );
          usersOfCall.add(own, parsed.errors);
          return parsed.errors.none ? updateChange(parsed, own) : null;
        });
      };
    },
  };
}

function refuseOtherThanResets({ principal, users, namedBy, errors }: ParsedRecord): void {
  if (principal !== null) errors.add(namedBy, 'NOT_PERMITTED');
  for (const { operation, place } of users ?? [])
    if (operation !== 'reset') errors.add(place, 'NOT_PERMITTED');
}

/**
 * Returns false for a record that only registers users, resets passwords by ID, and moves users, which depend on no stored
 * values. The username of a moved user is compared when it is written.
 */
function comparesValues({ principal, users }: ParsedRecord): boolean {
  // A user that is named by its username may have been renamed since the check.
  return (
    principal !== null ||
    (users ?? []).some(
      (user) => user.operation === 'edit' || (user.operation !== 'move' && isNamedByUsername(user)),
    )
  );
}

/** Returns the names that the record gives, without a username that its user already has. */
function newNames(parsed: ParsedRecord, found: Found | null): NewNames {
  const key = parsed.principal?.fields.ExternalKey ?? null;
  const renames = usersWith(parsed, 'edit').flatMap((user) =>
    // A user may change the spelling of its username, such as capital letters.
    user.newUsername && user.newUsername.key !== found?.users.get(user)?.usernameKey
      ? [{ key: user.newUsername.key, place: within(user.place, 'NewUsername') }]
      : [],
  );
  return {
    usernames: [...usersWith(parsed, 'register').flatMap(registeredName), ...renames],
    externalKey: key === null ? null : { key, place: 'NewExternalKey' },
  };
}

function sentAttributes({ parsed, own }: { parsed: ParsedRecord; own: Found }) {
  return usersWith(parsed, 'edit').flatMap((sent) => {
    const user = own.users.get(sent);
    const { Attributes: attributes } = sent.fields;
    return user && attributes !== undefined ? [{ user, attributes }] : [];
  });
}

/** Rejects registrations and moves to a principal that is disabled when the record is applied. Other changes are allowed. */
function refuseDisabled(parsed: ParsedRecord, { principal: stored }: Found): void {
  const { principal, namedBy, errors } = parsed;
  const state = principal?.state ?? stored?.state;
  if (state === 'disabled' && usersWith(parsed, 'register', 'move').length > 0)
    errors.add(namedBy, 'PRINCIPAL_DISABLED');
}

function refuseEmpty({ principal, errors }: ParsedRecord, { principal: stored }: Found): void {
  if (!stored || !principal || !errors.none) return;
  const cleared = clearedField(stored, principal);
  if (cleared === null) return;
  const place = cleared === 'ExternalKey' ? 'NewExternalKey' : cleared;
  errors.add(place, 'EMPTY_PRINCIPAL', { figures: { fields: principalFieldNames.join(', ') } });
}

function refuseOwnNames(parsed: ParsedRecord, { users }: Found): void {
  for (const user of usersWith(parsed, 'reset')) {
    const stored = users.get(user);
    if (!stored) continue;
    const owner = { usernameKey: stored.usernameKey, email: stored.fields.Email };
    refuseOwnNamesIn(user.password, owner, user.place, parsed.errors);
  }
}

function updateChange(parsed: ParsedRecord, { principal, users }: Found): PrincipalChange {
  const stored = required(principal);
  const changes: UserChange[] = [];
  const operations = ['register', 'reset', 'edit', 'delete', 'move'] as const;
  const applied = usersWith(parsed, ...operations).map((user): AppliedUser => {
    if (user.operation === 'register') {
      changes.push(newUser(user));
      return registeredUser(user);
    }
    const known = required(users.get(user));
    const { id, username } = known;
    const { Email: email } = known.fields;
    const disabled = known.state === 'disabled' ? { state: known.state } : {};
    if (user.operation === 'reset') {
      changes.push({ kind: 'reset', id, password: user.password });
      return { id, username, email, operation: 'reset', ...disabled };
    }
    if (user.operation === 'move') {
      if (known.principalId === stored.id) return { id, username, email, operation: 'none' };
      changes.push(moveOf(known, null));
      return { id, username, email, operation: 'move', ...disabled };
    }
    if (user.operation === 'delete') {
      changes.push({ kind: 'delete', id });
      return { id, username: '', email: null, operation: 'delete' };
    }
    const changed = changedOfUser(known, user, user.newUsername);
    if (changed.length === 0) return { id, username, email, operation: 'none' };
    changes.push(editUser(known, user, changed, user.newUsername));
    const names = {
      username: user.newUsername?.asSent ?? username,
      email: user.fields.Email === undefined ? email : user.fields.Email,
    };
    return { id, ...names, operation: 'edit', changed };
  });
  return {
    ...noChange,
    principalId: stored.id,
    ...(parsed.principal && { principal: editPrincipal(stored, parsed.principal) }),
    reportsPrincipal: parsed.principal !== null,
    expectedVersion: comparesValues(parsed) ? stored.version : null,
    users: changes,
    applied,
  };
}
