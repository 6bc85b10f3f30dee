import type { FieldErrors } from '../lib/field-errors.ts';
import {
  type Fields,
  isAbsent,
  isId,
  isObject,
  refuseUnknownFields,
  usersOf,
  within,
} from '../lib/request-fields.ts';
import { TimeSlice } from '../lib/yield-to-event-loop.ts';
import { type State, states } from './fields.ts';
import type { Operation, ReadyRecord } from './operation.ts';
import type { WriteContext, Written } from './outcome.ts';
import { ignoredFields, type ParsedRecord, required, sentIdOf } from './parsed-record.ts';
import type { KnownUser, ReferenceStore } from './update.ts';

/** The changes of one record, in the order sent. */
export interface StateChange {
  readonly principalId: number;
  /** Null if only users change. */
  readonly state: State | null;
  readonly users: readonly { readonly id: number; readonly state: State }[];
  readonly context: WriteContext;
}

export interface StateStore extends ReferenceStore {
  /** Writes a group of records as `Operation.write` describes; ends the sessions of users who may not sign in. */
  changeStates(changes: readonly StateChange[]): Promise<readonly (Written | null)[]>;
}

interface Item {
  readonly place: string;
  readonly id: number | null;
  readonly state: State | null;
}

interface ParsedState extends ParsedRecord {
  readonly principalId: number | null;
  readonly state: State | null;
  readonly items: readonly Item[];
}

/** Disables principals and users, and enables them again. */
export function stateOperation(store: StateStore): Operation<ParsedState> {
  return {
    name: 'state',
    read: readRecord,
    newCheck: () => ({ run: (parsedRecords) => checkAgainstStore(parsedRecords, store) }),
    order: (parsed) => parsed.principalId,
    size: (parsed) => parsed.items.length,
    need: () => ({ principals: 0, users: 0 }),
    reserveIds: async (needs) => needs.map(() => ({ principal: null, users: [] })),
    idOf: (parsed) => parsed.sentId,
    write: (records) => store.changeStates(records.map(changeOf)),
  };
}

async function readRecord(fields: Fields, errors: FieldErrors, timeSlice: TimeSlice): Promise<ParsedState> {
  const principalId = readId(fields.ID, 'ID', errors);
  refuseUnknownFields(fields, ['ID', 'State', 'Users', ...ignoredFields], '', errors);
  const sent = usersOf(fields);
  if (!isAbsent(fields.Users) && !Array.isArray(fields.Users))
    errors.add('Users', 'WRONG_TYPE', undefined, 'array');
  const state = isAbsent(fields.State) && sent.length > 0 ? null : readState(fields.State, 'State', errors);
  const items: Item[] = [];
  for (const [position, value] of sent.entries()) {
    items.push(readItem(value, `Users[${position}]`, errors));
    if (timeSlice.isOver) await timeSlice.yield();
  }
  return { sentId: sentIdOf(fields), principalId, state, items, users: [], errors };
}

function readItem(value: unknown, place: string, errors: FieldErrors): Item {
  if (!isObject(value)) {
    errors.add(place, 'WRONG_TYPE', undefined, 'object');
    return { place, id: null, state: null };
  }
  refuseUnknownFields(value, ['ID', 'State'], place, errors);
  const id = readId(value.ID, within(place, 'ID'), errors);
  return { place, id, state: readState(value.State, within(place, 'State'), errors) };
}

function readId(value: unknown, place: string, errors: FieldErrors): number | null {
  if (isAbsent(value)) errors.addMissing(place);
  else if (isId(value)) return value;
  else errors.add(place, 'INVALID_ID');
  return null;
}

function readState(value: unknown, place: string, errors: FieldErrors): State | null {
  const state = states.find((known) => known === value);
  if (state) return state;
  if (isAbsent(value)) errors.addMissing(place);
  else errors.add(place, 'INVALID_STATE');
  return null;
}

async function checkAgainstStore(parsedRecords: readonly ParsedState[], store: StateStore): Promise<void> {
  const ids = parsedRecords.flatMap(({ items }) => items.map(({ id }) => id)).filter((id) => id !== null);
  const principalIds = new Set(parsedRecords.map((parsed) => parsed.principalId).filter((id) => id !== null));
  const [principals, users] = await Promise.all([
    store.findPrincipals([...principalIds]),
    ids.length > 0 ? store.findUsers([...new Set(ids)]) : new Map<number, KnownUser>(),
  ]);
  const timeSlice = new TimeSlice();
  for (const { principalId, items, errors } of parsedRecords) {
    if (principalId !== null && !principals.has(principalId))
      errors.add('ID', 'PRINCIPAL_NOT_FOUND', undefined, 'id');
    const seen = new Set<number>();
    for (const { id, place } of items) {
      if (timeSlice.isOver) await timeSlice.yield();
      if (id === null) continue;
      if (seen.has(id)) errors.add(within(place, 'ID'), 'DUPLICATE_USER');
      seen.add(id);
      // A user of another principal gets the same error as a missing one, which does not reveal that the user exists.
      if (principalId !== null && users.get(id)?.principalId !== principalId)
        errors.add(within(place, 'ID'), 'USER_NOT_FOUND');
    }
  }
}

function changeOf({ parsed, context }: ReadyRecord<ParsedState>): StateChange {
  const { principalId, state, items } = parsed;
  return {
    principalId: required(principalId),
    state,
    users: items.map((item) => ({ id: required(item.id), state: required(item.state) })),
    context,
  };
}
