import type { Code, Fault } from '../core/codes.ts';
import { Faults } from '../core/faults.ts';
import { type Language, say } from '../core/language/say.ts';
import type { AppliedUser, Outcome, PlacedOutcome } from '../core/records/outcome.ts';
import type { Representation } from './preferences.ts';

/** The documented answer to one record: fixed positions instead of names. */
export interface Tuple {
  Item1: number | null;
  Item2: Code | null;
  Item3: boolean;
  Item4: string | null;
  Item5: Record<string, { code: Code; message: string }[]>;
  Item6: { Users?: { ID: number; Username: string | null; Email: string | null; Operation: string }[] };
}

/** So many faults or users of a tuple are put into text at once. */
const partsAtOnce = 500;

/** The same as text: of a record with many users bit by bit, as it is asked for. */
export function* tuplePieces(
  outcome: Outcome,
  language: Language,
  representation: Representation,
): Generator<string> {
  const { faults, users } = outcome;
  if (faults.byPlace.size + users.length <= partsAtOnce) {
    yield JSON.stringify(tupleOf(outcome, language, representation));
    return;
  }
  const bare = JSON.stringify(tupleOf({ ...outcome, faults: new Faults(), users: [] }, language, null));
  yield `${bare.slice(0, -emptyParts.length)},"Item5":{`;
  yield* insidePieces(faults.byPlace, (some) => faultsByPlace(some, language));
  yield '},"Item6":{';
  if (representation && outcome.refusal === null) {
    yield '"Users":[';
    yield* insidePieces(users, (some) => some.map((user) => userFields(user, representation)));
    yield ']';
  }
  yield '}}';
}

/** The tuples of outcomes as text, for an answer that is streamed. */
export async function* tupleTexts(
  outcomes: Iterable<Outcome>,
  language: Language,
  representation: Representation,
): AsyncGenerator<Iterable<string>> {
  for (const outcome of outcomes) yield tuplePieces(outcome, language, representation);
}

/** How a tuple ends in which there are neither faults nor users. */
const emptyParts = ',"Item5":{},"Item6":{}}';

/** What stands between the brackets of a long array or object. */
function* insidePieces<Part>(parts: Iterable<Part>, toJson: (some: Part[]) => object): Generator<string> {
  let some: Part[] = [];
  let separator = '';
  for (const part of parts) {
    some.push(part);
    if (some.length < partsAtOnce) continue;
    yield separator + JSON.stringify(toJson(some)).slice(1, -1);
    separator = ',';
    some = [];
  }
  if (some.length > 0) yield separator + JSON.stringify(toJson(some)).slice(1, -1);
}

export function tupleOf(outcome: Outcome, language: Language, representation: Representation): Tuple {
  const { id, refusal } = outcome;
  if (refusal === null) {
    return {
      Item1: id,
      Item2: null,
      Item3: true,
      Item4: null,
      Item5: {},
      Item6: representation ? { Users: outcome.users.map((user) => userFields(user, representation)) } : {},
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

/** Which records of a call its tuples belong to: a tuple itself does not say it. */
export function positionsOf(outcomes: readonly PlacedOutcome[]): number[] {
  return outcomes.map(({ position }) => position);
}

export function faultsByPlace(
  byPlace: Iterable<readonly [string, readonly Fault[]]>,
  language: Language,
): Tuple['Item5'] {
  const faults = [...byPlace].map(([place, found]) => [
    place,
    found.map((fault) => ({ code: fault.code, message: say(fault, language) })),
  ]);
  return Object.fromEntries(faults);
}

function userFields({ id, username, email, operation }: AppliedUser, representation: 'all' | 'registered') {
  const named = representation === 'all' || operation === 'register';
  return {
    ID: id,
    Username: named ? username : null,
    Email: named ? email : null,
    Operation: operation,
  };
}
