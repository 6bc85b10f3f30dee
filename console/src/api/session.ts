import type { ConsoleKeys, ConsoleSession } from '@anagrafe/client';
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useAnagrafe } from './anagrafe.ts';
import { tellTabs } from './tabs.ts';
import { Visit } from './visit.ts';

/** Who is signed in, and whose page there is: where nobody is signed in, that of the client whose session has ended. */
export type Session = ConsoleSession & {
  readonly visit: Visit | null;
  /** Why the way out failed, where it did: the session may go on. */
  readonly notSignedOut?: Error | null;
};

/** What a change to the client that is signed in makes stale. */
export const sessionKey = ['session'];
const nobody = { State: 'signed-out', Client: null, ExpiresAt: null } as const;

export function useSession() {
  const anagrafe = useAnagrafe();
  const queries = useQueryClient();
  return useQuery<Session>({
    queryKey: sessionKey,
    queryFn: async ({ signal }) => meet(queries, await anagrafe.console.session({ signal })),
    // It changes by what is done here and by an answer that says so; `useWatchedSession` asks for the rest.
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

/** Whatever comes of it, the page is put away for good, in every tab. */
export function useSignOut() {
  const anagrafe = useAnagrafe();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => anagrafe.console.signOut(),
    onSettled: async (_answer, error) => {
      await dismiss(queries, error);
      tellTabs('signed-out');
    },
  });
}

/** For an answer to a sign-in. */
export async function arrive(queries: QueryClient, told: ConsoleSession): Promise<void> {
  // What was asked before would say that nobody is there.
  await queries.cancelQueries({ queryKey: sessionKey });
  queries.setQueryData<Session>(sessionKey, meet(queries, told));
  tellTabs('signed-in');
}

/** For an answer that says that nobody is signed in any more. */
export function endSession(queries: QueryClient): void {
  queries.setQueryData<Session>(sessionKey, (session) => session && putAway(queries, session));
}

/** Leaves nothing of whoever was there. */
export async function dismiss(queries: QueryClient, notSignedOut: Error | null = null): Promise<void> {
  await queries.cancelQueries({ queryKey: sessionKey });
  leave(queries);
  queries.setQueryData<Session>(sessionKey, { ...nobody, visit: null, notSignedOut });
}

/** Who is there now. The visit goes on, or another one begins. */
function meet(queries: QueryClient, told: ConsoleSession): Session {
  const before = queries.getQueryData<Session>(sessionKey);
  if (told.State === 'signed-out') return before ? putAway(queries, before) : { ...told, visit: null };
  const { visit } = before ?? {};
  if (!visit?.isOf(told.Client)) {
    leave(queries);
    return { ...told, visit: new Visit(told.Client) };
  }
  visit.goOn(told.Client);
  if (before?.State !== told.State) void queries.invalidateQueries({ predicate: isOfVisit });
  return { ...told, visit };
}

function putAway(queries: QueryClient, session: Session): Session {
  if (session.State === 'signed-out') return session;
  // What the page was drawn from is not forgotten, since parts of it would be gone with that; but for what is never to be kept.
  for (const query of queries.getQueryCache().findAll({ type: 'active' }))
    if (query.options.gcTime !== 0) query.setOptions({ ...query.options, gcTime: Number.POSITIVE_INFINITY });
  session.visit?.pause();
  return { ...nobody, visit: session.visit };
}

/** What one client has read and done is not for the next one. */
function leave(queries: QueryClient): void {
  queries.getQueryData<Session>(sessionKey)?.visit?.end();
  queries.removeQueries({ predicate: isOfVisit });
  queries.getMutationCache().clear();
}

function isOfVisit({ queryKey }: { readonly queryKey: readonly unknown[] }): boolean {
  return queryKey[0] !== sessionKey[0];
}
