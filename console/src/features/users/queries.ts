import {
  type Attributes,
  type InvitedRegistration,
  type NewPassword,
  type Principal,
  type Registration,
  type Reset,
  type ShownUserState,
  type State,
  type StateRecord,
  type UserOfPrincipal,
  userFields,
} from '@anagrafe/client';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { usePaged } from '../../ui/paging.tsx';
import { type Channel, invitationOf, inviteUser } from '../invitations/queries.ts';
import { idOfApplied, principalsKey, usePrincipalMutation } from '../results/record-mutation.ts';
import { useAnagrafe, useChange } from '../session/api-client.ts';

/** How a new user gets its password. */
export type Access = 'password' | Channel;

/** The input of the registration form. */
export type UserInput = UserTexts & {
  readonly Username: string;
  readonly access: Access;
  /** Only with the access `password`. The request repeats it as `ConfirmPassword`. */
  readonly Password: string;
  readonly MustChangePassword: boolean;
};

/** The fields of a user that are texts, hence all except `Attributes`. */
export type UserTextField = Exclude<keyof typeof userFields, 'Attributes'>;
export const userTextFields = (Object.keys(userFields) as (keyof typeof userFields)[]).filter(
  (field): field is UserTextField => userFields[field].format !== 'attributes',
);

/** The optional texts of a user; an empty text is sent as null. */
export type UserTexts = { readonly [Field in UserTextField]: string };

const debounceMs = 300;

/** Numbers that identify inputs in query keys, which the cache stores: the input itself contains a password. */
const inputNumbers = new WeakMap<object, number>();
let lastInputNumber = 0;

/** Reads the users of a principal that match a term, or all, in the order of their IDs. */
export function useUsersOf(ID: number, term: string) {
  const anagrafe = useAnagrafe();
  return usePaged(
    [...principalsKey, 'users', ID, term],
    ({ page, pageSize }, signal) =>
      anagrafe.users({ ID, Search: term || null, PageSize: pageSize }, { signal }).page(page),
    { pageSize: 10 },
  );
}

/** The orders of the list of users, each of which has an index; `-` is descending. */
export const userSorts = ['ID', '-ID', 'Username', '-Username', 'UpdatedAt', '-UpdatedAt'] as const;
export type UserSort = (typeof userSorts)[number];

export interface UsersFilter {
  /** Empty to list all users. */
  readonly term: string;
  /** The tags of principals, of which one is enough; none to list all users. */
  readonly tags: readonly string[];
  readonly state: ShownUserState | null;
  readonly neverSignedIn: boolean;
  readonly sort: UserSort;
}

/** Reads the users of all principals that match a filter. */
export function useAllUsers(filter: UsersFilter) {
  const anagrafe = useAnagrafe();
  const { term, tags, state, neverSignedIn, sort } = filter;
  return usePaged([...principalsKey, 'users', 'all', filter], ({ page, pageSize }, signal) =>
    anagrafe
      .users(
        {
          Search: term || null,
          ...(tags.length > 0 && { Tags: [...tags] }),
          State: state,
          Sort: sort,
          ...(neverSignedIn && { NeverSignedIn: true }),
          PageSize: pageSize,
        },
        { signal },
      )
      .page(page),
  );
}

/** A user with its principal, which decides with it whether the user can sign in. */
export interface UserPage {
  readonly user: UserOfPrincipal;
  readonly principal: Principal | null;
}

/** Reads one user with its principal; null if it does not exist. */
export function useUser(UserID: number) {
  const anagrafe = useAnagrafe();
  return useQuery({
    queryKey: [...principalsKey, 'user', UserID],
    queryFn: async ({ signal }): Promise<UserPage | null> => {
      const [user] = (await anagrafe.users({ UserID }, { signal }).page()).records;
      if (!user) return null;
      const { records } = await anagrafe.list({ ID: user.IRID, UsersShown: 0 }, { signal }).page();
      return { user, principal: records[0] ?? null };
    },
  });
}

/** Reads the username of a user; its ID while it loads, or if it does not exist. Reads nothing for null. */
export function useUsername(UserID: number | null): string {
  const anagrafe = useAnagrafe();
  const { data } = useQuery({
    queryKey: [...principalsKey, 'username', UserID],
    queryFn: async ({ signal }) => (await anagrafe.users({ UserID }, { signal }).page()).records[0] ?? null,
    enabled: UserID !== null,
  });
  return data?.Username ?? `#${UserID}`;
}

/** Reads the first 5 users that match a term. */
export function useFoundUsers(term: string) {
  const anagrafe = useAnagrafe();
  return useQuery({
    queryKey: [...principalsKey, 'found-users', term],
    queryFn: async ({ signal }) =>
      (await anagrafe.users({ Search: term, PageSize: 5 }, { signal }).page()).records,
    enabled: term !== '',
    placeholderData: keepPreviousData,
  });
}

export function useRegister(principalId: number) {
  const anagrafe = useAnagrafe();
  return usePrincipalMutation(async (user: UserInput, idempotencyKey) => {
    const newUser = newUserOf(user);
    const [applied] = await anagrafe.register(principalId, [newUser], { idempotencyKey });
    if (user.access !== 'code' || !applied) return { invitation: null };
    const names = { ...newUser, ID: applied.ID, IRID: principalId, ExternalKey: null, Denomination: null };
    return { invitation: invitationOf(applied, names) ?? (await inviteUser(anagrafe, names, 'code')) };
  });
}

export function useReset(principalId: number) {
  const anagrafe = useAnagrafe();
  return usePrincipalMutation((user: NewPassword, idempotencyKey) =>
    anagrafe.reset(principalId, [user], { idempotencyKey }),
  );
}

export function useSetState() {
  const anagrafe = useAnagrafe();
  return usePrincipalMutation(async (record: StateRecord, idempotencyKey) =>
    idOfApplied(await anagrafe.setStates([record], { idempotencyKey })),
  );
}

/** The fields of a user to change. An empty text clears its field. */
export type UserChanges = Partial<UserTexts> & {
  readonly NewUsername?: string;
  readonly State?: State;
  readonly MustChangePassword?: boolean;
  readonly Attributes?: Attributes;
};

export function useEditUser({ ID, IRID }: UserOfPrincipal) {
  const anagrafe = useAnagrafe();
  return usePrincipalMutation((changes: UserChanges, idempotencyKey) =>
    anagrafe.edit(IRID, { Users: [{ ID, ...changes }] }, { idempotencyKey }),
  );
}

/** Does not read the page of the user again: its sessions no longer exist. */
export function useDeleteUser() {
  const anagrafe = useAnagrafe();
  return usePrincipalMutation(
    ({ ID, IRID }: UserOfPrincipal, idempotencyKey) => anagrafe.remove(IRID, [{ ID }], { idempotencyKey }),
    ['list', 'one', 'users', 'found-users'].map((part) => [...principalsKey, part]),
  );
}

/**
 * Checks the input of a form with a dry run, which writes nothing. `errors` holds the field errors by path; `isCurrent`
 * is true if they belong to the latest input. The input must stay the same object until it changes. The query has no
 * cache time, because the input contains a password.
 */
export function useDryRun(ID: number, input: UserInput | NewPassword) {
  const anagrafe = useAnagrafe();
  const [delayed] = useDebouncedValue(input, debounceMs);
  const { data, isPlaceholderData } = useQuery({
    queryKey: ['dryRun', ID, numberOf(delayed)],
    queryFn: async ({ signal }) => {
      // Beside a record that could be applied, a wrong one is answered with 207: a browser logs each 422 as an error.
      const records = [
        { ID, Users: [userOf(delayed)] },
        { ID, Denomination: '-' },
      ];
      const { tuples } = await anagrafe.update(records, { dryRun: true, signal });
      return tuples[0]?.Item5 ?? {};
    },
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
  return { errors: data ?? {}, isCurrent: data !== undefined && !isPlaceholderData && delayed === input };
}

function numberOf(input: UserInput | NewPassword): number {
  const number = inputNumbers.get(input) ?? ++lastInputNumber;
  inputNumbers.set(input, number);
  return number;
}

function userOf(input: UserInput | NewPassword): Registration | InvitedRegistration | Reset {
  const user = 'ID' in input ? input : newUserOf(input);
  return 'Password' in user ? { ...user, ConfirmPassword: user.Password } : user;
}

/** Returns the user to register. Empty texts become null, because the API rejects them. */
function newUserOf({ access, Username, Password, MustChangePassword, ...input }: UserInput) {
  const texts = userTextFields.map((field) => [field, input[field] || null]);
  const user = { Username, ...(Object.fromEntries(texts) as { [Field in keyof UserTexts]: string | null }) };
  return access === 'password' ? { ...user, Password, MustChangePassword } : { ...user, Invite: access };
}

const sessionsKey = (userId: number) => [...principalsKey, 'sessions', userId];

/** Reads the first 100 sessions of a user that have not ended, the most recently used first. */
export function useSessions(userId: number, { enabled }: { readonly enabled: boolean }) {
  const { admin } = useAnagrafe();
  return useQuery({
    queryKey: sessionsKey(userId),
    enabled,
    queryFn: ({ signal }) => admin.sessions.list(userId, { pageSize: 100, signal }).page(),
    // Sign-ins do not pass through the console, so that each visit of the page reads the sessions again.
    gcTime: 0,
  });
}

/** The mutation ends one session, or all sessions of the user if its input is null. */
export function useEndSessions(userId: number) {
  const { admin } = useAnagrafe();
  return useChange(async (session: string | null) => {
    if (session === null) await admin.sessions.endAll(userId);
    else await admin.sessions.end(userId, session);
  }, sessionsKey(userId));
}
