import type { FieldErrors } from '../lib/field-errors.ts';
import { type Fields, isAbsent, refuseUnknownFields, usersOf, within } from '../lib/request-fields.ts';
import type { TimeSlice } from '../lib/yield-to-event-loop.ts';
import { editPrincipal, stateEdit } from './compare.ts';
import { readState, type State } from './fields.ts';
import type { Operation, ReadyRecord } from './operation.ts';
import { ignoredFields, readUsers, required } from './parsed-record.ts';
import {
  findReferences,
  type ReferenceStore,
  type ReferringRecord,
  readPrincipalReference,
} from './references.ts';
import { type NamedUser, readItemObject, readNamedUser } from './user-item.ts';
import type { ChangeStore, PrincipalChange } from './write/change.ts';

interface Item extends NamedUser {
  readonly state: State | null;
}

interface ParsedState extends ReferringRecord {
  /** Null if only users change. */
  readonly state: State | null;
  readonly items: readonly Item[];
}

/** Disables principals and users, and enables them again. */
export function stateOperation(store: ReferenceStore & ChangeStore): Operation<ParsedState> {
  return {
    name: 'state',
    read: readRecord,
    newCheck: (tools) => ({
      run: (parsedRecords) =>
        findReferences(parsedRecords, store, { usersOf: ({ items }) => items, comparesValues: true, tools }),
    }),
    order: (parsed) => parsed.principalId,
    size: (parsed) => parsed.items.length,
    need: () => ({ principals: 0, users: 0 }),
    reserveIds: async (needs) => needs.map(() => ({ principal: null, users: [] })),
    idOf: (parsed) => parsed.principalId,
    write: (records) => store.writeChanges(records.map(stateChange)),
  };
}

async function readRecord(fields: Fields, errors: FieldErrors, timeSlice: TimeSlice): Promise<ParsedState> {
  const reference = readPrincipalReference(fields, errors);
  refuseUnknownFields(fields, ['ID', 'ExternalKey', 'State', 'Users', ...ignoredFields], '', errors);
  if (isAbsent(fields.State) && usersOf(fields).length === 0) errors.addMissing('State');
  const state = readState(fields.State, 'State', errors);
  const items = await readUsers(fields.Users, readItem, errors, timeSlice);
  return { ...reference, state, items, users: [], errors };
}

function readItem(value: unknown, place: string, errors: FieldErrors): Item | null {
  const fields = readItemObject(value, place, errors);
  if (!fields) return null;
  refuseUnknownFields(fields, ['ID', 'Username', 'State'], place, errors);
  const user = readNamedUser(fields, place, errors);
  if (isAbsent(fields.State)) errors.addMissing(within(place, 'State'));
  return { ...user, state: readState(fields.State, within(place, 'State'), errors) };
}

function stateChange({ parsed, context }: ReadyRecord<ParsedState>): PrincipalChange {
  const stored = required(parsed.stored);
  const users = parsed.items.map((item) => ({ user: required(item.stored), state: required(item.state) }));
  return {
    principalId: stored.id,
    action: 'state',
    principal: editPrincipal(stored, { fields: {}, state: parsed.state }),
    reportsPrincipal: false,
    expectedVersion: stored.version,
    registrations: [],
    resets: [],
    edits: users
      .filter(({ user, state }) => user.state !== state)
      .map(({ user, state }) => stateEdit(user.id, state)),
    deletes: [],
    applied: users.map(({ user: { id, username, fields } }) => {
      return { id, username, email: fields.Email, operation: 'state' };
    }),
    context,
  };
}
