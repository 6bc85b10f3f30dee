import {
  type InsertRecord,
  type NewPassword,
  newIdempotencyKey,
  type Principal,
  principalFields,
  RecordError,
  type Registration,
  type Reset,
  type StateRecord,
  userFields,
  type WriteResult,
} from '@anagrafe/client';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { idOf } from '../../ui/page.tsx';
import { usePaged } from '../../ui/paging.tsx';
import { useAnagrafe, useChange } from '../session/api-client.ts';

/** The fields of a principal in the order of forms and details: the name of the company comes first. */
export const principalFieldNames = (Object.keys(principalFields) as (keyof typeof principalFields)[]).sort(
  (one, other) => Number(other === 'Denomination') - Number(one === 'Denomination'),
);

/** Returns the display name of a principal, whose text fields are all optional. */
export function nameOf({ ID, Denomination, Name, Surname, ExternalKey, Email }: Principal): string {
  const fullName = [Name, Surname].filter((part) => part !== null).join(' ');
  return Denomination ?? (fullName || (ExternalKey ?? Email ?? `#${ID}`));
}

/** Codes of a record that may have been written, or that a retry with the same idempotency key may still write. */
const undecidedCodes: readonly string[] = ['NOT_APPLIED', 'OUTCOME_UNKNOWN'];

/**
 * Sends the same input with the same idempotency key until a response reports its outcome, so that a retry after a lost
 * response applies it once. After a `RecordError` that decides the outcome the same input gets a new key, because the
 * cause of the error may be gone.
 */
function useOnce<Input, Result>(
  send: (input: Input, idempotencyKey: string) => Promise<Result>,
): (input: Input) => Promise<Result> {
  const undecided = useRef<{ readonly content: string; readonly key: string }>(null);

  return async (input) => {
    const content = JSON.stringify(input);
    if (undecided.current?.content !== content) undecided.current = { content, key: newIdempotencyKey() };
    try {
      const result = await send(input, undecided.current.key);
      undecided.current = null;
      return result;
    } catch (error) {
      if (error instanceof RecordError && !undecidedCodes.includes(error.code)) undecided.current = null;
      throw error;
    }
  };
}

/** The query key prefix of all queries that a change to a principal or a user invalidates. */
const principalsKey = ['principals'];

/** Reads the principals that match a search term, or all for an empty term, in the order of their IDs. */
export function usePrincipals(term: string) {
  const anagrafe = useAnagrafe();
  return usePaged([...principalsKey, 'list', term], ({ page, pageSize }, signal) =>
    anagrafe.list({ Search: term || null, PageSize: pageSize, UsersShown: 0 }, { signal }).page(page),
  );
}

/** Reads the principal whose ID is the term, and up to 8 that match the term; none for an empty term. */
export function useFoundPrincipals(term: string) {
  const anagrafe = useAnagrafe();
  return useQuery({
    queryKey: [...principalsKey, 'found', term],
    queryFn: async ({ signal }) => {
      const first = async (filter: { ID: number } | { Search: string }) =>
        (await anagrafe.list({ ...filter, PageSize: 8, UsersShown: 0 }, { signal }).page()).records;
      const ID = idOf(term);
      const [byId, found] = await Promise.all([ID === null ? [] : first({ ID }), first({ Search: term })]);
      return [...byId, ...found.filter((one) => one.ID !== byId[0]?.ID)];
    },
    enabled: term !== '',
    placeholderData: keepPreviousData,
  });
}

/** Reads one principal with its first 1,000 users; null if it does not exist. */
export function usePrincipal(ID: number) {
  const anagrafe = useAnagrafe();
  return useQuery({
    queryKey: [...principalsKey, 'one', ID],
    queryFn: async ({ signal }) => (await anagrafe.list({ ID }, { signal }).page()).records[0] ?? null,
  });
}

/** The mutation returns the ID of the new principal. */
export function useCreatePrincipal() {
  const anagrafe = useAnagrafe();
  return usePrincipalMutation(async (record: InsertRecord, idempotencyKey) =>
    idOfApplied(await anagrafe.insert([record], { idempotencyKey })),
  );
}

export function useSetState() {
  const anagrafe = useAnagrafe();
  return usePrincipalMutation(async (record: StateRecord, idempotencyKey) =>
    idOfApplied(await anagrafe.setStates([record], { idempotencyKey })),
  );
}

/** Creates a mutation with an idempotency key that invalidates all queries of principals and users. */
function usePrincipalMutation<Input, Result>(
  change: (input: Input, idempotencyKey: string) => Promise<Result>,
) {
  return useChange(useOnce(change), principalsKey);
}

/**
 * Returns the principal ID from the result of a single record.
 *
 * @throws {RecordError} The record was not applied.
 */
function idOfApplied({ tuples, requestId, idempotencyKey }: WriteResult): number {
  const [tuple] = tuples;
  if (!tuple) throw new Error('The answer to one record has no tuple.');
  if (!tuple.Item3 || tuple.Item1 === null)
    throw new RecordError(tuple, { requestId, idempotencyKey: idempotencyKey ?? undefined });
  return tuple.Item1;
}

/** The input of the registration form. The request repeats the password as `ConfirmPassword`. */
export interface UserInput extends UserTexts {
  readonly Username: string;
  readonly Password: string;
}

/** The optional fields of a user; an empty text is sent as null. */
export type UserTexts = { readonly [Field in keyof typeof userFields]: string };

const debounceMs = 300;

/** Numbers that identify inputs in query keys, which the cache stores: the input itself contains a password. */
const inputNumbers = new WeakMap<object, number>();
let lastInputNumber = 0;

/** Reads the users whose username begins with a term, or all for an empty term, in the order of their IDs. */
export function useUsers(ID: number, term: string) {
  const anagrafe = useAnagrafe();
  return usePaged(
    [...principalsKey, 'users', ID, term],
    ({ page, pageSize }, signal) =>
      anagrafe.users({ ID, Search: term || null, PageSize: pageSize }, { signal }).page(page),
    { pageSize: 10 },
  );
}

export function useRegister(principalId: number) {
  const anagrafe = useAnagrafe();
  return usePrincipalMutation((user: UserInput, idempotencyKey) =>
    anagrafe.register(principalId, [withNulls(user)], { idempotencyKey }),
  );
}

export function useReset(principalId: number) {
  const anagrafe = useAnagrafe();
  return usePrincipalMutation((user: NewPassword, idempotencyKey) =>
    anagrafe.reset(principalId, [user], { idempotencyKey }),
  );
}

/**
 * Checks the input of a form with a dry run, which writes nothing. `faults` holds the field errors by path; `current`
 * is true if they belong to the latest input. The input must stay the same object until it changes. The query has no
 * cache time, because the input contains a password.
 */
export function useDryRun(ID: number, input: UserInput | NewPassword) {
  const anagrafe = useAnagrafe();
  const [delayed] = useDebouncedValue(input, debounceMs);
  const { data, isPlaceholderData } = useQuery({
    queryKey: ['trial', ID, numberOf(delayed)],
    queryFn: async ({ signal }) => {
      const { tuples } = await anagrafe.update([{ ID, Users: [userOf(delayed)] }], { dryRun: true, signal });
      return tuples[0]?.Item5 ?? {};
    },
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
  return { faults: data ?? {}, current: data !== undefined && !isPlaceholderData && delayed === input };
}

function numberOf(input: UserInput | NewPassword): number {
  const number = inputNumbers.get(input) ?? ++lastInputNumber;
  inputNumbers.set(input, number);
  return number;
}

function userOf(input: UserInput | NewPassword): Registration | Reset {
  const ConfirmPassword = input.Password;
  return 'ID' in input ? { ...input, ConfirmPassword } : { ...withNulls(input), ConfirmPassword };
}

/** Replaces empty texts by null, because the API rejects them. */
function withNulls(input: UserInput) {
  const texts = Object.keys(userFields).map((field) => [field, input[field as keyof UserTexts] || null]);
  return { ...input, ...(Object.fromEntries(texts) as { [Field in keyof UserTexts]: string | null }) };
}
