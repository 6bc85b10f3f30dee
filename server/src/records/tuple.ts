import type { Representation } from '../http/request-options.ts';
import { type Language, translate } from '../i18n/translate.ts';
import type { Code, ErrorDetail } from '../lib/error-codes.ts';
import type { AppliedUser, IndexedOutcome, Outcome } from './outcome.ts';

/**
 * The documented answer to one record. Item1: principal ID. Item2: error code, null if the record was applied. Item3:
 * true if it was applied. Item4: error message. Item5: field errors by place. Item6: written users, if requested.
 */
export interface Tuple {
  Item1: number | null;
  Item2: Code | null;
  Item3: boolean;
  Item4: string | null;
  Item5: Record<string, { code: Code; message: string }[]>;
  Item6: { Users?: { ID: number; Username: string | null; Email: string | null; Operation: string }[] };
}

/** Maximum number of field errors or users that are serialised in one piece. */
const partsAtOnce = 500;

/** Yields a tuple as JSON text, in several pieces if the record has many field errors or users. */
function* tuplePieces(
  outcome: Outcome,
  language: Language,
  representation: Representation,
): Generator<string> {
  const { id, error, errors, users } = outcome;
  if (errors.byPlace.size + users.length <= partsAtOnce) {
    yield JSON.stringify(tupleOf(outcome, language, representation));
    return;
  }
  yield `${JSON.stringify(firstItems(id, error, language)).slice(0, -1)},"Item5":{`;
  yield* insidePieces(errors.byPlace, (some) => fieldErrorsByPlace(some, language));
  yield '},"Item6":{';
  if (representation && error === null) {
    yield '"Users":[';
    yield* insidePieces(users, (some) => some.map((user) => userFields(user, representation)));
    yield ']';
  }
  yield '}}';
}

export async function* tupleTexts(
  outcomes: Iterable<Outcome>,
  language: Language,
  representation: Representation,
): AsyncGenerator<Iterable<string>> {
  for (const outcome of outcomes) yield tuplePieces(outcome, language, representation);
}

/** Yields the JSON text between the brackets of a long array or object. */
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

export function tupleOf(
  { id, error, errors, users }: Outcome,
  language: Language,
  representation: Representation,
): Tuple {
  const showsUsers = representation && error === null;
  return {
    ...firstItems(id, error, language),
    Item5: fieldErrorsByPlace(errors.byPlace, language),
    Item6: showsUsers ? { Users: users.map((user) => userFields(user, representation)) } : {},
  };
}

function firstItems(id: number | null, error: ErrorDetail | null, language: Language) {
  const Item4 = error && translate(error, language);
  return { Item1: id, Item2: error?.code ?? null, Item3: error === null, Item4 };
}

/** Returns the position of the record for each tuple, because the tuple itself does not contain it. */
export function positionsOf(outcomes: readonly IndexedOutcome[]): number[] {
  return outcomes.map(({ position }) => position);
}

export function fieldErrorsByPlace(
  byPlace: Iterable<readonly [string, readonly ErrorDetail[]]>,
  language: Language,
): Tuple['Item5'] {
  const errors = [...byPlace].map(([place, found]) => [
    place,
    found.map((error) => ({ code: error.code, message: translate(error, language) })),
  ]);
  return Object.fromEntries(errors);
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
