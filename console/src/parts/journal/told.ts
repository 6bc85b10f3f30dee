import type { JournalRow, State } from '@anagrafe/client';
import { useClients } from '../../api/clients.ts';
import { useFormats } from '../../language/formats.ts';
import { wordsOf } from '../../language/language.tsx';
import { useWhy } from '../causes/why.ts';
import { english, type Words } from './english.ts';
import { italian } from './italian.ts';

/** What a sentence about a row is made of. */
export interface Told {
  readonly principal: number | null;
  readonly details: Readonly<Record<string, unknown>>;
  /** The name of the user that the row is about; null where that is nobody. */
  readonly user: string | null;
  /** The name of the client that the row is about. */
  readonly client: string;
  /** The URL of a webhook in brackets, after a space; empty where the row has none. */
  readonly url: string;
  /** Why a webhook was disabled. */
  readonly why: string;
  /** A number among the details, as it is written. */
  count(name: string): string;
}

/** The usernames that are known, by the IDs of the users. */
export type Usernames = ReadonlyMap<number, string>;

type TellUsers = (ids: readonly number[]) => string;

const useWords = wordsOf({ en: english, it: italian });
const nobody: Usernames = new Map();
/** So many are named; the others are counted. */
const namedUsers = 5;

/** A row in words; one of an action that is not known by the name of that. */
export function useTold(usernames: Usernames = nobody): (row: JournalRow) => string {
  const words = useWords();
  const { number } = useFormats();
  const clients = useClients().data;
  const whyInWords = useWhy();
  const sentences: Readonly<Record<string, (told: Told) => string>> = words.deeds;
  const nameOf = (id: number) => usernames.get(id) ?? words.user(id);

  const tellUsers: TellUsers = (ids) => {
    const named = ids.slice(0, namedUsers).map(nameOf).join(', ');
    const others = ids.length - namedUsers;
    return others > 0 ? words.andMore(named, others, number(others)) : named;
  };

  return (row) => {
    const { Action, IRID } = row;
    if (Action === 'insert' || Action === 'update') return tellRecord(row, words, tellUsers);
    if (Action === 'state') return tellStates(row, words, tellUsers);
    const details = row.Details ?? {};
    const told: Told = {
      principal: IRID,
      details,
      user: typeof details.user === 'number' ? nameOf(details.user) : null,
      client: clients?.find(({ ID }) => ID === details.client)?.Name ?? String(details.publicKey),
      url: typeof details.url === 'string' ? ` (${details.url})` : '',
      why: whyInWords(String(details.why ?? '')),
      count: (name) => number(Number(details[name] ?? 0)),
    };
    return sentences[Action]?.(told) ?? Action;
  };
}

function tellRecord({ Action, Registered, Reset }: JournalRow, words: Words, users: TellUsers): string {
  const sentences = [
    Action === 'insert' && words.inserted,
    Registered && Registered.length > 0 && words.registered(users(Registered)),
    Reset && Reset.length > 0 && words.reset(users(Reset)),
  ];
  return sentences.filter(Boolean).join(' ');
}

function tellStates({ Details }: JournalRow, words: Words, users: TellUsers): string {
  const state = Details?.state as State | undefined;
  const changes = (Details?.users ?? []) as readonly (readonly [number, State])[];
  const changedTo = (wanted: State) => changes.filter(([, next]) => next === wanted).map(([id]) => id);
  const sentences = [
    state && words.principalState[state],
    ...(['disabled', 'active'] as const).map((next) => {
      const ids = changedTo(next);
      return ids.length > 0 && words.userState[next](users(ids));
    }),
  ];
  return sentences.filter(Boolean).join(' ') || words.sameState;
}
