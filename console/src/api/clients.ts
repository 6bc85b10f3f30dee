import type { ClientChange, ClientWish } from '@anagrafe/client';
import { type QueryKey, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useAnagrafe } from './anagrafe.ts';
import { arrive, sessionKey } from './session.ts';

const key = ['clients'];

/** All clients, the newest first; those that were revoked last. */
export function useClients() {
  const anagrafe = useAnagrafe();
  return useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const newest = (await anagrafe.admin.clients.list({ signal })).toReversed();
      const live = newest.filter(({ RevokedAt }) => RevokedAt === null);
      return [...live, ...newest.filter(({ RevokedAt }) => RevokedAt !== null)];
    },
    // It would hide a secret that is being carried elsewhere, and without which nobody can sign in any more, if the session has ended.
    refetchOnWindowFocus: false,
  });
}

export function useCreateClient() {
  const anagrafe = useAnagrafe();
  return useClientMutation((wish: ClientWish) => anagrafe.admin.clients.create(wish));
}

export function useChangeClient(publicKey: string) {
  const anagrafe = useAnagrafe();
  return useClientMutation(
    (change: ClientChange) => anagrafe.admin.clients.change(publicKey, change),
    () => [key, sessionKey],
  );
}

/** `own`: it is the client that is signed in, whose session ends with the rotation; a new one begins at once. */
export function useRotateClient(publicKey: string, own: boolean) {
  const anagrafe = useAnagrafe();
  const queries = useQueryClient();
  return useClientMutation(
    async (Hours: number) => {
      const rotated = await anagrafe.admin.clients.rotate(publicKey, { Hours });
      const { PublicKey, SecretKey } = rotated;
      const signIn = async () => arrive(queries, await anagrafe.console.signIn({ PublicKey, SecretKey }));
      const signedIn =
        !own ||
        (await signIn().then(
          () => true,
          () => false,
        ));
      return { ...rotated, signedIn };
    },
    // The next call would lead to the sign-in, and the secret, which it takes by then, would be out of sight.
    ({ signedIn }) => (signedIn ? [key] : []),
  );
}

export function useRevokeClient(publicKey: string) {
  const anagrafe = useAnagrafe();
  return useClientMutation(
    () => anagrafe.admin.clients.revoke(publicKey),
    () => [key, sessionKey],
  );
}

/** `stale`: what is to be read anew; the list, unless something else is said. */
function useClientMutation<Wish, Result>(
  change: (wish: Wish) => Promise<Result>,
  stale: (result: Result) => readonly QueryKey[] = () => [key],
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: (result) => {
      for (const queryKey of stale(result)) void queries.invalidateQueries({ queryKey });
    },
  });
}
