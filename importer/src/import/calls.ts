import {
  type Anagrafe,
  ApiError,
  type UpsertCounts,
  type UpsertResult,
  type UpsertRules,
  type UpsertTuple,
  type UserOfPrincipal,
} from '@anagrafe/client';
import { type CombinedRecord, foldUsername, type WriteRules } from './records.ts';
import type { FieldErrorsByPath } from './row-errors.ts';

export interface ImportConnection {
  readonly anagrafe: Anagrafe;
  readonly signal?: AbortSignal | undefined;
}

/** The result for a part of the items: an answer or, for a single item, the message of the `ApiError`. */
export type Part<Item, Answer> =
  | { readonly items: readonly Item[]; readonly answer: Answer; readonly rejection: null }
  | { readonly items: readonly [Item]; readonly answer: null; readonly rejection: string };

/**
 * Sends all items in one call. If the service rejects the call as too large or invalid (status 413 or 400), bisects the
 * items until the call succeeds or the invalid item is alone. Rethrows every other error.
 */
export async function sendInParts<Item, Answer>(
  items: readonly Item[],
  send: (some: readonly Item[]) => Promise<Answer>,
): Promise<Part<Item, Answer>[]> {
  const [first] = items;
  if (first === undefined) return [];
  try {
    return [{ items, answer: await send(items), rejection: null }];
  } catch (error) {
    if (!(error instanceof ApiError) || (error.status !== 400 && error.status !== 413)) throw error;
    if (items.length === 1) return [{ items: [first], answer: null, rejection: error.message }];
    const half = Math.ceil(items.length / 2);
    return [
      ...(await sendInParts(items.slice(0, half), send)),
      ...(await sendInParts(items.slice(half), send)),
    ];
  }
}

export type ImportOperation = 'insert' | 'update' | 'upsert';

/** Submits records as one job and returns the job ID. The same name must lead to the same job. */
export type SubmitJob = (
  operation: ImportOperation,
  records: readonly never[],
  name: string,
  connection: ImportConnection,
) => Promise<string>;

/**
 * Returns a function that submits a job with an idempotency key of its name, so that a repetition does not apply a
 * record twice.
 *
 * @param prefix Identifies the import.
 */
export function submitWithKey(
  prefix: string,
  { anagrafe }: Pick<ImportConnection, 'anagrafe'>,
  rules: WriteRules,
): SubmitJob {
  return async (operation, records, name, { signal }) => {
    const options = { ...rulesOf(operation, rules), idempotencyKey: `${prefix}-${name}`, signal };
    return (await anagrafe.jobs.submit(operation, records, options)).ID;
  };
}

/** Returns the rules that an operation takes. */
export function rulesOf(operation: ImportOperation, { existing, similar, moves }: WriteRules): UpsertRules {
  if (operation === 'update') return {};
  if (operation === 'insert') return { similar };
  // Users of a call that only inserts cannot be moved.
  return existing === 'update' ? { existing, similar, moves } : { existing, similar };
}

/** Checks records of `irs/upsert` without applying them. `Item6` of each tuple has what the record would do. */
export function dryRunUpsert(
  records: readonly Pick<CombinedRecord, 'record'>[],
  rules: WriteRules,
  { anagrafe, signal }: ImportConnection,
): Promise<UpsertResult<true>> {
  const options = { ...rulesOf('upsert', rules), dryRun: true, representation: true, signal } as const;
  return anagrafe.upsert(bodyOf(records), options);
}

/** Returns the records for a call of the client, whose types they have: the service checks the values. */
export function bodyOf(records: readonly Pick<CombinedRecord, 'record'>[]): never[] {
  return records.map(({ record }) => record) as never[];
}

/** Returns true if a dry run would create the principal. */
export function wouldCreate(effect: UpsertTuple['Item6'] | undefined): boolean {
  return effect?.Principal === 'inserted';
}

/** Returns true if a record was not applied, because its job was cancelled. */
export function isCancelled(fieldErrors: FieldErrorsByPath): boolean {
  return Object.values(fieldErrors).some((found) => found.some(({ code }) => code === 'CANCELLED'));
}

/** The most usernames that the service looks up in one request. */
const usernamesPerCall = 100;

/** Returns the stored users with these usernames, by the result of `foldUsername`. */
export async function findUsers(
  usernames: readonly string[],
  { anagrafe, signal }: ImportConnection,
): Promise<Map<string, UserOfPrincipal>> {
  const users = new Map<string, UserOfPrincipal>();
  const distinct = [...new Set(usernames)];
  for (let at = 0; at < distinct.length; at += usernamesPerCall) {
    const Usernames = distinct.slice(at, at + usernamesPerCall);
    for await (const user of anagrafe.users({ Usernames, PageSize: usernamesPerCall }, { signal }))
      users.set(foldUsername(user.Username), user);
  }
  return users;
}

/** Returns null if the API client lacks the scope for a request. */
export async function unlessForbidden<Answer>(answer: Promise<Answer>): Promise<Answer | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'FORBIDDEN') return null;
    throw error;
  }
}

export const noCounts: UpsertCounts = {
  PrincipalsInserted: 0,
  PrincipalsUpdated: 0,
  UsersRegistered: 0,
  UsersUpdated: 0,
  UsersMoved: 0,
  UsersDisabled: 0,
  UsersDeleted: 0,
  Unchanged: 0,
};

export function addCounts(one: UpsertCounts, other: UpsertCounts): UpsertCounts {
  return sumOf(noCounts, one, other);
}

/** Adds the numbers with the names in `zeros`. */
export function sumOf<Counts extends { readonly [Name in keyof Counts]: number }>(
  zeros: Counts,
  one: Counts,
  other: Counts,
): Counts {
  const names = Object.keys(zeros) as (keyof Counts)[];
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as Counts;
}
