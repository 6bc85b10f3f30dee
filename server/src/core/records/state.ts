import type { Faults } from '../faults.ts';
import { type Fields, isAbsent, isId, isObject, refuseUnknownFields, within } from '../fields/fields.ts';
import { Turns } from '../turns.ts';
import { type Draft, passedOver, required, sentIdOf } from './draft.ts';
import type { Operation } from './operation.ts';
import type { KnownUser } from './update.ts';
import type { Occasion, Written } from './writing.ts';

export const states = ['active', 'disabled'] as const;
export type State = (typeof states)[number];

/** What one record changes, in the order sent. */
export interface StateChange {
  readonly principalId: number;
  /** Null where only users change. */
  readonly state: State | null;
  readonly users: readonly { readonly id: number; readonly state: State }[];
}

export interface StateStore {
  findPrincipals(ids: readonly number[]): Promise<ReadonlyMap<number, State>>;
  findUsers(ids: readonly number[]): Promise<ReadonlyMap<number, KnownUser>>;
  /** Applies all of a record or nothing, and ends the sessions of whoever may no longer sign in. */
  applyStates(change: StateChange, occasion: Occasion): Promise<Written>;
}

interface Item {
  readonly place: string;
  readonly id: number | null;
  readonly state: State | null;
}

interface StateDraft extends Draft {
  readonly principalId: number | null;
  readonly state: State | null;
  readonly items: readonly Item[];
}

/** Disables principals and users, and enables them again. */
export function stateOperation(store: StateStore): Operation<StateDraft> {
  return {
    name: 'state',
    read: readRecord,
    newCheck: () => ({ run: (drafts) => checkAgainstStore(drafts, store) }),
    order: (draft) => draft.principalId,
    need: () => ({ principals: 0, users: 0 }),
    number: async (needs) => needs.map(() => ({ principal: null, users: [] })),
    idOf: (draft) => draft.sentId,
    write: (draft, { occasion }) => store.applyStates(changeOf(draft), occasion),
  };
}

async function readRecord(fields: Fields, faults: Faults, turns: Turns): Promise<StateDraft> {
  const principalId = readId(fields.ID, 'ID', faults);
  refuseUnknownFields(fields, ['ID', 'State', 'Users', ...passedOver], '', faults);
  const sent = Array.isArray(fields.Users) ? fields.Users : [];
  if (!isAbsent(fields.Users) && !Array.isArray(fields.Users))
    faults.add('Users', 'WRONG_TYPE', undefined, 'array');
  const state = isAbsent(fields.State) && sent.length > 0 ? null : readState(fields.State, 'State', faults);
  const items: Item[] = [];
  for (const [position, value] of sent.entries()) {
    items.push(readItem(value, `Users[${position}]`, faults));
    if (turns.over) await turns.next();
  }
  return { sentId: sentIdOf(fields), principalId, state, items, users: [], faults };
}

function readItem(value: unknown, place: string, faults: Faults): Item {
  if (!isObject(value)) {
    faults.add(place, 'WRONG_TYPE', undefined, 'object');
    return { place, id: null, state: null };
  }
  refuseUnknownFields(value, ['ID', 'State'], place, faults);
  const id = readId(value.ID, within(place, 'ID'), faults);
  return { place, id, state: readState(value.State, within(place, 'State'), faults) };
}

function readId(value: unknown, place: string, faults: Faults): number | null {
  if (isAbsent(value)) faults.add(place, 'REQUIRED');
  else if (isId(value)) return value;
  else faults.add(place, 'INVALID_ID');
  return null;
}

function readState(value: unknown, place: string, faults: Faults): State | null {
  const state = states.find((known) => known === value);
  if (state) return state;
  faults.add(place, isAbsent(value) ? 'REQUIRED' : 'INVALID_STATE');
  return null;
}

async function checkAgainstStore(drafts: readonly StateDraft[], store: StateStore): Promise<void> {
  const ids = drafts.flatMap(({ items }) => items.map(({ id }) => id)).filter((id) => id !== null);
  const principalIds = new Set(drafts.map((draft) => draft.principalId).filter((id) => id !== null));
  const [principals, users] = await Promise.all([
    store.findPrincipals([...principalIds]),
    ids.length > 0 ? store.findUsers([...new Set(ids)]) : new Map<number, KnownUser>(),
  ]);
  const turns = new Turns();
  for (const { principalId, items, faults } of drafts) {
    if (principalId !== null && !principals.has(principalId))
      faults.add('ID', 'PRINCIPAL_NOT_FOUND', undefined, 'id');
    const seen = new Set<number>();
    for (const { id, place } of items) {
      if (turns.over) await turns.next();
      if (id === null) continue;
      if (seen.has(id)) faults.add(within(place, 'ID'), 'DUPLICATE_USER');
      seen.add(id);
      // A user of another principal gets the same answer as one that exists nowhere.
      if (principalId !== null && users.get(id)?.principalId !== principalId)
        faults.add(within(place, 'ID'), 'USER_NOT_FOUND');
    }
  }
}

function changeOf({ principalId, state, items }: StateDraft): StateChange {
  return {
    principalId: required(principalId),
    state,
    users: items.map((item) => ({ id: required(item.id), state: required(item.state) })),
  };
}
