import type { Anagrafe, ConsoleKeys, ConsoleSession } from '@anagrafe/client';
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

type Client = ConsoleSession['Client'];

let lastKey = 0;

/**
 * The use of the console by one client, which owns the input and the running work on the pages. It survives the expiry
 * of a session, and continues when the same client signs in again.
 */
export class ClientSession {
  /** Unique for each client session in this tab. */
  readonly key = ++lastKey;
  /** Null in protected mode, which has no sign-in. */
  client: Client;
  /** The time at which the session expired, in Unix milliseconds of the browser clock; null while it is valid. */
  expiredAt: number | null = null;
  /** Aborted at the end: work in progress must stop, because it would continue in the name of another client. */
  readonly end = new AbortController();

  constructor(client: Client) {
    this.client = client;
  }

  /** True for the same client. Protected mode matches any client, since its user continues as the first client. */
  isOf(client: Client): boolean {
    return this.client === null || this.client.PublicKey === client?.PublicKey;
  }
}

/** The session of the service, and the client session whose pages are mounted. The pages are hidden if signed out. */
export type Session = ConsoleSession & {
  readonly clientSession: ClientSession | null;
  /** The error of a failed sign-out, after which the session may still be valid. */
  readonly notSignedOut?: Error | null;
};

/** The query key that a change to the signed-in client invalidates. */
export const sessionKey = ['session'];
const signedOut = { State: 'signed-out', Client: null, Operator: null, ExpiresAt: null } as const;

export function currentSession(queries: QueryClient): Session | undefined {
  return queries.getQueryData<Session>(sessionKey);
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
  queries.setQueryData<Session>(sessionKey, { ...signedOut, clientSession: null, notSignedOut });
}

/** Continues the client session if the service reports the same client; otherwise starts a new one. */
function applySession(queries: QueryClient, session: ConsoleSession): Session {
  const before = currentSession(queries);
  if (session.State === 'signed-out')
    return before ? expired(queries, before) : { ...session, clientSession: null };
  const { clientSession } = before ?? {};
  if (!clientSession?.isOf(session.Client)) {
    discardClientSession(queries);
    return { ...session, clientSession: new ClientSession(session.Client) };
  }
  Object.assign(clientSession, { client: session.Client, expiredAt: null });
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
  return { ...signedOut, clientSession };
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
