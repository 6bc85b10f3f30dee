import type { Representation } from '../../http/request-options.ts';
import { type Code, type ErrorDetail, hasDetails } from '../../lib/error-codes.ts';
import { type Language, translate } from '../../lib/translate.ts';
import type {
  AppliedInvite,
  AppliedUser,
  FieldChange,
  IndexedOutcome,
  KeptField,
  Outcome,
  PrincipalOutcome,
} from '../write/outcome.ts';

/**
 * The documented answer to one record. Item1: principal ID. Item2: error code, null if the record was applied. Item3:
 * true if it was applied. Item4: error message. Item5: field errors by place. Item6: written users, if requested; for a
 * failed record the external key that it was sent with.
 */
export interface Tuple {
  Item1: number | null;
  Item2: Code | null;
  Item3: boolean;
  Item4: string | null;
  Item5: Record<string, { code: Code; message: string; details?: Details }[]>;
  Item6: {
    Principal?: PrincipalOutcome;
    Changes?: ReturnType<typeof changeFields>;
    Kept?: ReturnType<typeof keptOf>;
    Users?: TupleUser[];
    ExternalKey?: string;
    Username?: string;
  };
}

type Details = Record<string, string | number | null>;

/** A written user. In a dry run of `irs/upsert`, the `ID` of a user that would be registered is null, unlike its type. */
type TupleUser = Omit<ReturnType<typeof userFields>, 'ID'> & { ID: number };

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
  yield JSON.stringify(aboutPrincipal(outcome, representation)).slice(1, -1);
  if (representation && error === null) {
    yield outcome.principal ? ',"Users":[' : '"Users":[';
    yield* insidePieces(users, (some) => some.map((user) => userFields(user, representation)));
    yield ']';
  }
  yield '}}';
}

export async function* tupleTexts(
  outcomes: Iterable<Outcome> | AsyncIterable<Outcome>,
  language: Language,
  representation: Representation,
): AsyncGenerator<Iterable<string>> {
  for await (const outcome of outcomes) yield tuplePieces(outcome, language, representation);
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

export function tupleOf(outcome: Outcome, language: Language, representation: Representation): Tuple {
  const { id, error, errors, users } = outcome;
  const showsUsers = representation && error === null;
  return {
    ...firstItems(id, error, language),
    Item5: fieldErrorsByPlace(errors.byPlace, language),
    Item6: {
      ...aboutPrincipal(outcome, representation),
      ...(showsUsers && { Users: users.map((user) => userFields(user, representation) as TupleUser) }),
    },
  };
}

/** The effect on the principal of an applied record, or the names that a failed record was sent with. */
function aboutPrincipal(
  { error, principal, changes, keptFields, externalKey, username }: Outcome,
  representation: Representation,
): Pick<Tuple['Item6'], 'Principal' | 'Changes' | 'Kept' | 'ExternalKey' | 'Username'> {
  if (error !== null) {
    return {
      ...(externalKey !== undefined && { ExternalKey: externalKey }),
      ...(username !== undefined && { Username: username }),
    };
  }
  if (!representation || !principal) return {};
  return {
    Principal: principal,
    ...(changes && representation === 'all' && { Changes: changeFields(changes) }),
    ...(keptFields && { Kept: keptOf(keptFields, representation) }),
  };
}

function keptOf(kept: readonly KeptField[], representation: Representation) {
  return kept.map(({ field, reason, other }) => ({
    Field: field,
    Reason: reason,
    ...(other !== undefined && representation === 'all' && { Other: other }),
  }));
}

/** The changes of a dry run. They contain stored values, which require the scope `sync:read`. */
function changeFields(changes: readonly FieldChange[]) {
  return changes.map(({ field, from, to }) => ({ Field: field, From: from, To: to }));
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
    found.map((error) => ({
      code: error.code,
      message: translate(error, language),
      ...(hasDetails(error) && { details: detailsOf(error) }),
    })),
  ]);
  return Object.fromEntries(errors);
}

/** Returns the other principal that an error is about. Its values are null if the caller may not read it. */
function detailsOf({ figures = {} }: ErrorDetail): Details {
  const { id, key, name, vatnumber, taxcode, field, operation } = figures;
  return {
    PrincipalID: id ?? null,
    ExternalKey: key ?? null,
    Denomination: name ?? null,
    // Only of a look-alike.
    ...(vatnumber !== undefined && { Vatnumber: vatnumber || null, Taxcode: taxcode || null }),
    ...(field !== undefined && { Field: field }),
    ...(operation !== undefined && { Operation: operation }),
  };
}

function userFields(
  { id, username, email, operation, changed, changes, keptFields, state, invite }: AppliedUser,
  representation: 'all' | 'registered',
) {
  const named = representation === 'all' || operation === 'register';
  return {
    ID: id,
    // A user that was deleted has no username.
    Username: named && username !== '' ? username : null,
    Email: named ? email : null,
    Operation: operation,
    ...(changed && { Changed: changed }),
    ...(state && representation === 'all' && { State: state }),
    ...(invite && inviteFields(invite)),
    ...(changes && representation === 'all' && { Changes: changeFields(changes) }),
    ...(keptFields && { Kept: keptOf(keptFields, representation) }),
  };
}

/** The text of a code is only in the first answer of the call that has issued it. */
function inviteFields({ channel, code }: AppliedInvite) {
  if (channel === 'email') return { Invite: channel };
  return {
    Invite: channel,
    Code: code && 'text' in code ? code.text : null,
    URL: code && 'url' in code ? code.url : null,
    IssuedAt: code?.issuedAt ?? null,
    ExpiresAt: code?.expiresAt ?? null,
  };
}
