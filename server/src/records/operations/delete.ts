import { required } from '../../lib/required.ts';
import type { CheckStore } from '../check/check.store.ts';
import type { Operation } from '../check/operation.ts';
import { type Found, findReferences } from '../check/references.ts';
import { parseDelete } from '../parse/parse-records.ts';
import { type ParsedRecord, usersWith } from '../parse/parsed-record.ts';
import { isNamedByUsername } from '../parse/parsed-user.ts';
import { noChange, type PrincipalChange } from '../write/change.ts';

/** Maximum number of users of a deleted principal that the answer lists. */
export const usersListed = 1000;

/** Deletes principals with all of their users, or some users of a principal. */
export function deleteOperation(store: CheckStore): Operation {
  return {
    name: 'delete',
    parse: parseDelete,
    startChecks: () => async (parsedRecords) => {
      const usersOf = (parsed: ParsedRecord) => usersWith(parsed, 'delete');
      const found = await findReferences(parsedRecords, store, { usersOf, comparesValues: true });
      // After the version of the principal: a user that is registered meanwhile changes the version.
      const deleted = found.flatMap(({ principal }, at) => {
        return principal && parsedRecords[at]?.users === null ? [principal.id] : [];
      });
      const firstUsers = await store.findFirstUsers(deleted, usersListed);
      return parsedRecords.map((parsed, at) => deletion(parsed, required(found[at]), firstUsers));
    },
  };
}

function deletion(
  parsed: ParsedRecord,
  { principal, users }: Found,
  firstUsers: ReadonlyMap<number, readonly number[]>,
): PrincipalChange | null {
  if (!principal || !parsed.errors.none) return null;
  const { id: principalId, version, fields, usersCount } = principal;
  const isWhole = parsed.users === null;
  const named = usersWith(parsed, 'delete');
  const ids = named.map((user) => required(users.get(user)).id);
  const listed = isWhole ? (firstUsers.get(principalId) ?? []) : ids;
  return {
    ...noChange,
    principalId,
    ...(isWhole && { action: 'delete', principal: { kind: 'delete', externalKey: fields.ExternalKey } }),
    reportsPrincipal: isWhole,
    // A principal that was changed since it was read is checked again: it, or a user that is named by its username, may
    // have another name now.
    expectedVersion: isWhole || named.some(isNamedByUsername) ? version : null,
    storedUsers: isWhole ? usersCount : 0,
    users: ids.map((id) => ({ kind: 'delete', id })),
    applied: listed.map((id) => ({ id, username: '', email: null, operation: 'delete' })),
  };
}
