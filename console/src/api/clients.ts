import type { ClientChange, ClientWish } from '@anagrafe/client';
import { type QueryKey, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useAnagrafe } from './anagrafe.ts';
import { sessionKey } from './session.ts';

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
    [sessionKey],
  );
}

/** `own`: it is the client that is signed in, whose session ends with the rotation; a new one begins at once. */
export function useRotateClient(publicKey: string, own: boolean) {
  const anagrafe = useAnagrafe();
  return useClientMutation(async (Hours: number) => {
    const rotated = await anagrafe.admin.clients.rotate(publicKey, { Hours });
    const { PublicKey, SecretKey } = rotated;
    // Where this fails the secret is still shown, and the next call leads to the sign-in.
    if (own) await anagrafe.console.signIn({ PublicKey, SecretKey }).catch(() => {});
    return rotated;
  });
}

export function useRevokeClient(publicKey: string) {
  const anagrafe = useAnagrafe();
  return useClientMutation(() => anagrafe.admin.clients.revoke(publicKey), [sessionKey]);
}

/** `stale`: what else is to be read anew, beside the list. */
function useClientMutation<Wish, Result>(
  change: (wish: Wish) => Promise<Result>,
  stale: readonly QueryKey[] = [],
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => {
      for (const queryKey of [key, ...stale]) void queries.invalidateQueries({ queryKey });
    },
  });
}
