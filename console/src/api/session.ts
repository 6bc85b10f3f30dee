import type { ConsoleKeys, ConsoleSession } from '@anagrafe/client';
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useAnagrafe } from './anagrafe.ts';

/** Who is signed in; `ended` where someone was, and no longer is. */
export type Session = ConsoleSession & { readonly ended?: true };

/** What a change to the client that is signed in makes stale. */
export const sessionKey = ['session'];
const nobody = { State: 'signed-out', Client: null, ExpiresAt: null } as const;

export function useSession() {
  const anagrafe = useAnagrafe();
  return useQuery<Session>({
    queryKey: sessionKey,
    queryFn: ({ signal }) => anagrafe.console.session({ signal }),
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
    onSuccess: (session) => become(queries, session),
  });
}

export function useSignOut() {
  const anagrafe = useAnagrafe();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => anagrafe.console.signOut(),
    onSuccess: () => become(queries, nobody),
  });
}

/** For an answer that says that nobody is signed in any more. */
export function endSession(queries: QueryClient): void {
  if (queries.getQueryData<Session>(sessionKey)?.State !== 'signed-out')
    queries.setQueryData<Session>(sessionKey, { ...nobody, ended: true });
}

/** What one client has read is not for the next one. */
function become(queries: QueryClient, session: Session): void {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
  queries.setQueryData<Session>(sessionKey, session);
}
