import type { ClientChange, CompletedCall, CreateClient, Job } from '@anagrafe/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useActorMessages } from '../../i18n/language.tsx';
import { useOperators } from '../operators/queries.ts';
import { useAnagrafe, useChange } from '../session/api-client.ts';
import { completeSignIn, sessionKey, useMay } from '../session/session.ts';

const key = ['clients'];

/** Reads all clients, newest first, with the revoked clients at the end. */
export function useClients() {
  const anagrafe = useAnagrafe();
  const may = useMay();
  return useQuery({
    queryKey: key,
    // A limited operator sees no clients, which are then named by their IDs.
    enabled: may('service.read'),
    queryFn: async ({ signal }) => {
      const newest = (await anagrafe.admin.clients.list({ signal })).toReversed();
      const active = newest.filter(({ RevokedAt }) => RevokedAt === null);
      return [...active, ...newest.filter(({ RevokedAt }) => RevokedAt !== null)];
    },
    // A refetch after the session has expired opens the sign-in page. It would hide a new secret while the user is
    // copying it to another window, and that secret may be the only way to sign in.
    refetchOnWindowFocus: false,
  });
}

export function useCreateClient() {
  const { admin } = useAnagrafe();
  return useChange((input: CreateClient) => admin.clients.create(input), key);
}

export function useChangeClient(publicKey: string) {
  const { admin } = useAnagrafe();
  return useChange(
    (change: ClientChange) => admin.clients.change(publicKey, change),
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
  return useChange(
    async (Hours: number) => {
      const rotated = await anagrafe.admin.clients.rotate(publicKey, { Hours });
      const { PublicKey, SecretKey } = rotated;
      const signIn = async () =>
        completeSignIn(queries, await anagrafe.console.signIn({ PublicKey, SecretKey }));
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
  const { admin } = useAnagrafe();
  return useChange(
    () => admin.clients.revoke(publicKey),
    () => [key, sessionKey],
  );
}

type ActorFields = Pick<CompletedCall, 'Actor' | 'ClientID' | 'UserID'>;

/** Returns a function that names an actor. `usernames` has user IDs as keys; a user without an entry is named by ID. */
export function useActorName(usernames?: ReadonlyMap<number, string>): (actor: ActorFields) => string {
  const messages = useActorMessages();
  const clients = useClients().data;
  const operators = useOperators().data;
  return ({ Actor, ClientID, UserID }) => {
    if (Actor === 'user') return usernames?.get(UserID ?? 0) ?? messages.user(UserID);
    if (Actor !== 'client' && Actor !== 'console') return messages[Actor];
    const isOf = ({ ID }: { readonly ID: number }) => ID === ClientID;
    const operator = operators?.find(isOf);
    if (operator) return operator.Name;
    return messages[Actor](clients?.find(isOf)?.Name ?? messages.unknownClient(ClientID));
  };
}

/** Returns a function that names the client of a job. A job without a client ID was submitted in protected mode. */
export function useSenderName(): (job: Pick<Job, 'ClientID'>) => string {
  const actorName = useActorName();
  return ({ ClientID }) =>
    actorName({ Actor: ClientID === null ? 'protected' : 'client', ClientID, UserID: null });
}
