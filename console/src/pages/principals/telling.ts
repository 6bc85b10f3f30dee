import type { JournalRow, State } from '@anagrafe/client';
import type { Words } from './english.ts';

type HistoryWords = Words['history'];

export interface Names {
  readonly users: ReadonlyMap<number, string>;
  readonly clients: ReadonlyMap<number, string>;
}

/** So many are named; the others are counted. */
const namedUsers = 5;

/** What was done, as a sentence or two. */
export function tellDeed(row: JournalRow, words: HistoryWords, names: Names): string {
  const { Action, Registered, Reset } = row;
  const users = (ids: readonly number[]) => tellUsers(ids, words, names);
  const registered = Registered ? [words.registered(users(Registered))] : [];
  const reset = Reset ? [words.reset(users(Reset))] : [];
  switch (Action) {
    case 'insert':
      return [words.inserted, ...registered].join(' ');
    case 'update':
      return [...registered, ...reset].join(' ');
    case 'state':
      return tellStates(row, words, names);
    case 'login':
    case 'login.failed':
    case 'login.refreshed':
      return words.logins[Action](users(userOf(row)));
    case 'records.read':
      return words.read;
    default:
      return Action;
  }
}

/** Who did it. */
export function tellWho({ Actor, ClientID, UserID }: JournalRow, words: HistoryWords, names: Names): string {
  const client = ClientID === null ? '' : (names.clients.get(ClientID) ?? words.client(ClientID));
  if (Actor === 'client') return client;
  if (Actor === 'console') return words.atConsole(client);
  if (Actor === 'user' && UserID !== null) return nameOfUser(UserID, words, names);
  return words.actors[Actor];
}

function tellStates({ Details }: JournalRow, words: HistoryWords, names: Names): string {
  const state = Details?.state as State | undefined;
  const changes = (Details?.users ?? []) as readonly (readonly [number, State])[];
  const usersOf = (wanted: State) => changes.filter(([, next]) => next === wanted).map(([id]) => id);
  const sentences = [
    ...(state ? [words.principalState[state]] : []),
    ...(['disabled', 'active'] as const)
      .filter((next) => usersOf(next).length > 0)
      .map((next) => words.userState[next](tellUsers(usersOf(next), words, names))),
  ];
  return sentences.length > 0 ? sentences.join(' ') : words.sameState;
}

function tellUsers(ids: readonly number[], words: HistoryWords, names: Names): string {
  const named = ids.slice(0, namedUsers).map((id) => nameOfUser(id, words, names));
  const others = ids.length - named.length;
  return others > 0 ? words.andMore(named.join(', '), others) : named.join(', ');
}

function userOf({ Details, UserID }: JournalRow): number[] {
  const id = Details?.user ?? UserID;
  return typeof id === 'number' ? [id] : [];
}

function nameOfUser(id: number, words: HistoryWords, names: Names): string {
  return names.users.get(id) ?? words.user(id);
}
