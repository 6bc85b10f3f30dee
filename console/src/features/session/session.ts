import type { Anagrafe, ConsoleKeys, ConsoleSession } from '@anagrafe/client';
import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useAnagrafe } from './api-client.ts';

/** Messages between the tabs of a browser, which share the session. */
type TabMessage = 'signed-in' | 'signed-out';

const channel = new BroadcastChannel('anagrafe-console');

/** Sends a message to all other tabs. */
export function notifyTabs(message: TabMessage): void {
  channel.postMessage(message);
}

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
  /** The time at which the session ended, in Unix milliseconds of the browser clock; null while it is valid. */
  endedAt: number | null = null;
  readonly #end = new AbortController();

  constructor(client: Client) {
    this.client = client;
  }

  /** True for the same client. Protected mode matches any client, since its user continues as the first client. */
  isOf(client: Client): boolean {
    return this.client === null || this.client.PublicKey === client?.PublicKey;
  }

  /** Records that the session has ended. */
  pause(): void {
    this.endedAt = Date.now();
  }

  goOn(client: Client): void {
    this.client = client;
    this.endedAt = null;
  }

  /** Aborts on `end`: work in progress must stop, because it would continue in the name of another client. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  end(): void {
    this.#end.abort();
  }
}

/** The session of the service, and the client session whose pages are mounted. The pages are hidden if signed out. */
export type Session = ConsoleSession & {
  readonly visit: ClientSession | null;
  /** The error of a failed sign-out, after which the session may still be valid. */
  readonly notSignedOut?: Error | null;
};

/** The query key that a change to the signed-in client invalidates. */
export const sessionKey = ['session'];
const signedOut = { State: 'signed-out', Client: null, ExpiresAt: null } as const;

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
    onSuccess: (session) => arrive(queries, session),
  });
}

/** Unmounts the pages in every tab, even if the request fails. */
export function useSignOut() {
  const anagrafe = useAnagrafe();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => anagrafe.console.signOut(),
    onSettled: async (_answer, error) => {
      await dismiss(queries, error);
      notifyTabs('signed-out');
    },
  });
}

/** Stores the response to a sign-in. */
export async function arrive(queries: QueryClient, session: ConsoleSession): Promise<void> {
  // A pending session request was sent before the sign-in and would report that the client is signed out.
  await queries.cancelQueries({ queryKey: sessionKey });
  queries.setQueryData<Session>(sessionKey, applySession(queries, session));
  notifyTabs('signed-in');
}

/** Marks the session as ended after a 401 response. The pages stay mounted but hidden. */
export function endSession(queries: QueryClient): void {
  queries.setQueryData<Session>(sessionKey, (session) => session && suspend(queries, session));
}

/** Ends the client session, and removes its pages and its data. */
export async function dismiss(queries: QueryClient, notSignedOut: Error | null = null): Promise<void> {
  await queries.cancelQueries({ queryKey: sessionKey });
  discardClientSession(queries);
  queries.setQueryData<Session>(sessionKey, { ...signedOut, visit: null, notSignedOut });
}

/** Continues the client session if the service reports the same client; otherwise starts a new one. */
function applySession(queries: QueryClient, session: ConsoleSession): Session {
  const before = queries.getQueryData<Session>(sessionKey);
  if (session.State === 'signed-out') return before ? suspend(queries, before) : { ...session, visit: null };
  const { visit } = before ?? {};
  if (!visit?.isOf(session.Client)) {
    discardClientSession(queries);
    return { ...session, visit: new ClientSession(session.Client) };
  }
  visit.goOn(session.Client);
  if (before?.State !== session.State) void queries.invalidateQueries({ predicate: isClientData });
  return { ...session, visit };
}

function suspend(queries: QueryClient, session: Session): Session {
  if (session.State === 'signed-out') return session;
  // The hidden pages need their data when they are shown again, so that it must stay in the cache. Queries without a
  // cache time are excluded, because they contain secrets.
  for (const query of queries.getQueryCache().findAll({ type: 'active' }))
    if (query.options.gcTime !== 0) query.setOptions({ ...query.options, gcTime: Number.POSITIVE_INFINITY });
  session.visit?.pause();
  return { ...signedOut, visit: session.visit };
}

/** Removes the data and the mutations of a client, which the next client must not see. */
function discardClientSession(queries: QueryClient): void {
  queries.getQueryData<Session>(sessionKey)?.visit?.end();
  queries.removeQueries({ predicate: isClientData });
  queries.getMutationCache().clear();
}

function isClientData({ queryKey }: { readonly queryKey: readonly unknown[] }): boolean {
  return queryKey[0] !== sessionKey[0];
}
