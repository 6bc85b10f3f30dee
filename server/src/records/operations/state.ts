import { required } from '../../lib/required.ts';
import type { CheckStore } from '../check/check.store.ts';
import { editPrincipal, stateEdit } from '../check/compare.ts';
import type { Operation } from '../check/operation.ts';
import { type Found, findReferences } from '../check/references.ts';
import { parseState } from '../parse/parse-records.ts';
import { type ParsedRecord, usersWith } from '../parse/parsed-record.ts';
import { noChange, type PrincipalChange } from '../write/change.ts';

/** Disables principals and users, and enables them again. */
export function stateOperation(store: CheckStore): Operation {
  return {
    name: 'state',
    parse: parseState,
    startChecks: () => async (parsedRecords) => {
      const usersOf = (parsed: ParsedRecord) => usersWith(parsed, 'edit');
      const found = await findReferences(parsedRecords, store, { usersOf, comparesValues: true });
      return parsedRecords.map((parsed, at) => stateChange(parsed, required(found[at])));
    },
  };
}

function stateChange(parsed: ParsedRecord, { principal: stored, users }: Found): PrincipalChange | null {
  if (!stored || !parsed.errors.none) return null;
  const states = usersWith(parsed, 'edit').map((sent) => {
    return { user: required(users.get(sent)), state: required(sent.state) };
  });
  return {
    ...noChange,
    principalId: stored.id,
    action: 'state',
    principal: editPrincipal(stored, required(parsed.principal)),
    reportsPrincipal: false,
    expectedVersion: stored.version,
    users: states
      .filter(({ user, state }) => user.state !== state)
      .map(({ user, state }) => stateEdit(user.id, state)),
    applied: states.map(({ user: { id, username, fields, hasPassword }, state }) => {
      // An enabled user still cannot sign in until it has set its password.
      const invited = state === 'active' && !hasPassword ? { state: 'invited' as const } : {};
      return { id, username, email: fields.Email, operation: 'state', ...invited };
    }),
  };
}
