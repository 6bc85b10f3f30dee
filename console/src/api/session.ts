import type { ConsoleKeys, ConsoleSession } from '@anagrafe/client';
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useAnagrafe } from './anagrafe.ts';
import { Visit } from './visit.ts';

/** Who is signed in, and whose page there is: where nobody is signed in, that of the client whose session has ended. */
export type Session = ConsoleSession & { readonly visit: Visit | null };

/** What a change to the client that is signed in makes stale. */
export const sessionKey = ['session'];
const nobody = { State: 'signed-out', Client: null, ExpiresAt: null } as const;

export function useSession() {
  const anagrafe = useAnagrafe();
  const queries = useQueryClient();
  return useQuery<Session>({
    queryKey: sessionKey,
    queryFn: async ({ signal }) => meet(queries, await anagrafe.console.session({ signal })),
    // It changes by what is done here, and by an answer that says so.
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useSignIn() {
  const anagrafe = useAnagrafe();
  const queries = useQueryClient();
  return useMutation({
    mutationKey: ['sign-in'],
    mutationFn: (keys: ConsoleKeys) => anagrafe.console.signIn(keys),
    onSuccess: (session) => {
      queries.setQueryData<Session>(sessionKey, meet(queries, session));
      void queries.invalidateQueries({ predicate: isOfVisit });
    },
  });
}

export function useSignOut() {
  const anagrafe = useAnagrafe();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => anagrafe.console.signOut(),
    onSuccess: () => {
      leave(queries);
      queries.setQueryData<Session>(sessionKey, { ...nobody, visit: null });
    },
  });
}

/** For an answer that says that nobody is signed in any more. */
export function endSession(queries: QueryClient): void {
  const session = queries.getQueryData<Session>(sessionKey);
  if (!session || session.State === 'signed-out') return;
  // The page is put away, however long. What it was drawn from is not forgotten, since parts of it would be gone with that.
  for (const query of queries.getQueryCache().findAll({ type: 'active' }))
    query.setOptions({ ...query.options, gcTime: Number.POSITIVE_INFINITY });
  queries.setQueryData<Session>(sessionKey, { ...nobody, visit: session.visit });
}

/** Who is there now. The visit goes on, or another one begins. */
function meet(queries: QueryClient, told: ConsoleSession): Session {
  const visit = queries.getQueryData<Session>(sessionKey)?.visit ?? null;
  if (told.State === 'signed-out') return { ...told, visit };
  if (visit?.isOf(told.Client)) {
    visit.client = told.Client;
    return { ...told, visit };
  }
  leave(queries);
  return { ...told, visit: new Visit(told.Client) };
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
