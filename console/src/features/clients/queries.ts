import type { ClientChange, CreateClient } from '@anagrafe/client';
import { type QueryKey, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useAnagrafe } from '../session/api-client.ts';
import { arrive, sessionKey } from '../session/session.ts';

const key = ['clients'];

/** Reads all clients, newest first, with the revoked clients at the end. */
export function useClients() {
  const anagrafe = useAnagrafe();
  return useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const newest = (await anagrafe.admin.clients.list({ signal })).toReversed();
      const live = newest.filter(({ RevokedAt }) => RevokedAt === null);
      return [...live, ...newest.filter(({ RevokedAt }) => RevokedAt !== null)];
    },
    // A refetch after the session has expired opens the sign-in page. It would hide a new secret while the user is
    // copying it to another window, and that secret may be the only way to sign in.
    refetchOnWindowFocus: false,
  });
}

export function useCreateClient() {
  const anagrafe = useAnagrafe();
  return useClientMutation((input: CreateClient) => anagrafe.admin.clients.create(input));
}

export function useChangeClient(publicKey: string) {
  const anagrafe = useAnagrafe();
  return useClientMutation(
    (change: ClientChange) => anagrafe.admin.clients.change(publicKey, change),
    () => [key, sessionKey],
  );
}

/**
 * Rotates the secret of a client. `own` is true for the client of the current console session: the rotation ends that
 * session, and the hook signs in again with the new secret. `signedIn` in the result is false if that failed.
 */
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
    // Without a session, a refetch would open the sign-in page and hide the new secret, which the sign-in requires.
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

/** Runs `change` and then invalidates the query keys that `stale` returns; by default that of the client list. */
function useClientMutation<Input, Result>(
  change: (input: Input) => Promise<Result>,
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
