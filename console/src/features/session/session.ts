import type {
  Anagrafe,
  ConsoleKeys,
  ConsoleSession,
  NewOperatorPassword,
  OperatorPassword,
  OperatorSignIn,
  Permission,
} from '@anagrafe/client';
import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useAnagrafe } from './api-client.ts';

/** Messages between the tabs of a browser, which share the session. */
type TabMessage = 'signed-in' | 'signed-out';

const channel = new BroadcastChannel('anagrafe-console');

/** Listens to the messages of other tabs. Returns the function that stops listening. */
export function onTabMessage(listen: (message: TabMessage) => void): () => void {
  const onMessage = ({ data }: MessageEvent<TabMessage>) => listen(data);
  channel.addEventListener('message', onMessage);
  return () => channel.removeEventListener('message', onMessage);
}

type Account = Pick<ConsoleSession, 'Client' | 'Operator'>;

let lastKey = 0;

/**
 * The use of the console by one client or operator, which owns the input and the running work on the pages. It survives the expiry
 * of a session, and continues when the same client or operator signs in again.
 */
export class ClientSession {
  /** Unique for each client session in this tab. */
  readonly key = ++lastKey;
  /** Both values are null in protected mode, which has no sign-in. */
  account: Account;
  /** Kept when the session expires, so that the hidden page is the same afterwards. */
  permissions: ConsoleSession['Permissions'];
  /** The time at which the session expired, in Unix milliseconds of the browser clock; null while it is valid. */
  expiredAt: number | null = null;
  /** Aborted at the end: work in progress must stop, because it would continue in the name of another client. */
  readonly end = new AbortController();

  constructor({ Client, Operator, Permissions }: ConsoleSession) {
    this.account = { Client, Operator };
    this.permissions = Permissions;
  }

  /** True for the same account. Protected mode matches any, since its user continues as the first client or operator. */
  isOf({ Client, Operator }: Account): boolean {
    const { account } = this;
    if (account.Client === null && account.Operator === null) return true;
    return account.Client?.PublicKey === Client?.PublicKey && account.Operator?.ID === Operator?.ID;
  }
}

/** The session of the service, and the client session whose pages are mounted. The pages are hidden if signed out. */
export type Session = ConsoleSession & {
  readonly clientSession: ClientSession | null;
  /** The error of a failed sign-out, after which the session may still be valid. */
  readonly notSignedOut?: Error | null;
};

/** The query key that a change to the signed-in client or operator invalidates. */
export const sessionKey = ['session'];

/** Keeps the permissions: hidden pages must not change. */
function signedOut(session: ConsoleSession): ConsoleSession {
  const { Permissions, IdleMinutes, KeysAllowed, SendsMail, BrandName, BrandColor } = session;
  return {
    State: 'signed-out',
    Client: null,
    Operator: null,
    Permissions,
    ExpiresAt: null,
    IdleMinutes,
    KeysAllowed,
    SendsMail,
    BrandName,
    BrandColor,
  };
}

export function currentSession(queries: QueryClient): Session | undefined {
  return queries.getQueryData<Session>(sessionKey);
}

/** Returns a function that tells whether the signed-in client or operator has a permission; the service decides anew. */
export function useMay(): (permission: Permission) => boolean {
  const permissions = useSession().data?.clientSession?.permissions;
  return (permission) => permissions?.includes(permission) ?? false;
}

/** Returns a function that returns the items if the signed-in client or operator has the permission, else none. */
export function usePermitted(): <Item>(permission: Permission, items: readonly Item[]) => readonly Item[] {
  const may = useMay();
  return (permission, items) => (may(permission) ? items : []);
}

export function useSession() {
  return useQuery(sessionQuery(useQueryClient(), useAnagrafe()));
}

export function sessionQuery(queries: QueryClient, anagrafe: Anagrafe) {
  return queryOptions<Session>({
    queryKey: sessionKey,
    queryFn: async ({ signal }) => applySession(queries, await anagrafe.console.session({ signal })),
    // Sign-in, sign-out and 401 responses update the data; `useWatchedSession` refetches it in the other cases.
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useSignIn() {
  const anagrafe = useAnagrafe();
  const queries = useQueryClient();
  return useMutation({
    mutationKey: ['sign-in'],
    mutationFn: (keys: ConsoleKeys) => anagrafe.console.signIn(keys),
    onSuccess: (session) => completeSignIn(queries, session),
  });
}

/** Fails with `SECOND_FACTOR_REQUIRED` if only the code of the operator is missing. */
export function useSignInOperator() {
  const anagrafe = useAnagrafe();
  const queries = useQueryClient();
  return useMutation({
    mutationKey: ['sign-in'],
    mutationFn: async (operator: OperatorSignIn) => {
      await anagrafe.console.signInOperator(operator);
      return anagrafe.console.session();
    },
    onSuccess: (session) => completeSignIn(queries, session),
  });
}

/** Sets the password of the operator that has the code, and returns its email address. */
export function useSetPassword() {
  const anagrafe = useAnagrafe();
  return useMutation({
    mutationFn: (password: OperatorPassword) => anagrafe.console.setPassword(password),
  });
}

export function useForgotPassword() {
  const anagrafe = useAnagrafe();
  return useMutation({ mutationFn: (email: string) => anagrafe.console.forgotPassword(email) });
}

/** Changes the password of the signed-in operator, and ends its other sessions. */
export function useChangePassword() {
  const anagrafe = useAnagrafe();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (password: NewOperatorPassword) => anagrafe.console.changePassword(password),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['own-sessions'] }),
  });
}

/** Unmounts the pages in every tab, even if the request fails. */
export function useSignOut() {
  const anagrafe = useAnagrafe();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => anagrafe.console.signOut(),
    onSettled: async (_answer, error) => {
      await clearSession(queries, error);
      channel.postMessage('signed-out' satisfies TabMessage);
    },
  });
}

export async function completeSignIn(queries: QueryClient, session: ConsoleSession): Promise<void> {
  // A pending session request was sent before the sign-in and would report that the client is signed out.
  await queries.cancelQueries({ queryKey: sessionKey });
  queries.setQueryData<Session>(sessionKey, applySession(queries, session));
  channel.postMessage('signed-in' satisfies TabMessage);
}

/** Marks the session as expired after a 401 response. The pages stay mounted but hidden. */
export function expireSession(queries: QueryClient): void {
  queries.setQueryData<Session>(sessionKey, (session) => session && expired(queries, session));
}

/** Ends the client session, and removes its pages and its data. */
export async function clearSession(queries: QueryClient, notSignedOut: Error | null = null): Promise<void> {
  await queries.cancelQueries({ queryKey: sessionKey });
  discardClientSession(queries);
  queries.setQueryData<Session>(
    sessionKey,
    (session) => session && { ...signedOut(session), clientSession: null, notSignedOut },
  );
}

/** Continues the client session if the service reports the same account; otherwise starts a new one. */
function applySession(queries: QueryClient, session: ConsoleSession): Session {
  const before = currentSession(queries);
  if (session.State === 'signed-out')
    return before ? expired(queries, before) : { ...session, clientSession: null };
  const { clientSession } = before ?? {};
  if (!clientSession?.isOf(session)) {
    discardClientSession(queries);
    return { ...session, clientSession: new ClientSession(session) };
  }
  const { Client, Operator, Permissions: permissions } = session;
  Object.assign(clientSession, { account: { Client, Operator }, permissions, expiredAt: null });
  if (before?.State !== session.State) void queries.invalidateQueries({ predicate: isClientData });
  return { ...session, clientSession };
}

function expired(queries: QueryClient, session: Session): Session {
  if (session.State === 'signed-out') return session;
  // The hidden pages need their data when they are shown again, so that it must stay in the cache. Queries without a
  // cache time are excluded, because they contain secrets.
  for (const query of queries.getQueryCache().findAll({ type: 'active' }))
    if (query.options.gcTime !== 0) query.setOptions({ ...query.options, gcTime: Number.POSITIVE_INFINITY });
  const { clientSession } = session;
  if (clientSession) clientSession.expiredAt = Date.now();
  return { ...signedOut(session), clientSession };
}

/** Removes the data and the mutations of a client, which the next client must not see. */
function discardClientSession(queries: QueryClient): void {
  currentSession(queries)?.clientSession?.end.abort();
  queries.removeQueries({ predicate: isClientData });
  queries.getMutationCache().clear();
}

function isClientData({ queryKey }: { readonly queryKey: readonly unknown[] }): boolean {
  return queryKey[0] !== sessionKey[0];
}
