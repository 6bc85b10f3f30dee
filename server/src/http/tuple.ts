import type { Code, Fault } from '../core/codes.ts';
import { type Language, say } from '../core/language/say.ts';
import type { Outcome } from '../core/records/outcome.ts';

/** The documented answer to one record: fixed positions instead of names. */
export interface Tuple {
  Item1: number | null;
  Item2: Code | null;
  Item3: boolean;
  Item4: string | null;
  Item5: Record<string, { code: Code; message: string }[]>;
  Item6: { Users?: { ID: number; Username: string; Email: string | null; Operation: string }[] };
}

export function tupleOf(outcome: Outcome, language: Language, representation: boolean): Tuple {
  const { id, refusal } = outcome;
  if (refusal === null) {
    return {
      Item1: id,
      Item2: null,
      Item3: true,
      Item4: null,
      Item5: {},
      Item6: representation ? usersOf(outcome) : {},
    };
  }
  return {
    Item1: id,
    Item2: refusal.code,
    Item3: false,
    Item4: say(refusal, language),
    Item5: faultsByPlace(outcome.faults.byPlace, language),
    Item6: {},
  };
}

export function faultsByPlace(
  byPlace: ReadonlyMap<string, readonly Fault[]>,
  language: Language,
): Tuple['Item5'] {
  const faults = [...byPlace].map(([place, found]) => [
    place,
    found.map((fault) => ({ code: fault.code, message: say(fault, language) })),
  ]);
  return Object.fromEntries(faults);
}

function usersOf(outcome: Outcome): Tuple['Item6'] {
  const Users = outcome.users.map(({ id, username, email, operation }) => ({
    ID: id,
    Username: username,
    Email: email,
    Operation: operation,
  }));
  return { Users };
}
