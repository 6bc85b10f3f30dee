import type { CompletedCall, Job } from '@anagrafe/client';
import { actorEn } from '../../i18n/en.ts';
import { actorIt } from '../../i18n/it.ts';
import { messagesOf } from '../../i18n/language.tsx';
import { useClients } from './queries.ts';

const useActorMessages = messagesOf({ en: actorEn, it: actorIt });

type ActorFields = Pick<CompletedCall, 'Actor' | 'ClientID' | 'UserID'>;

/** Returns a function that names an actor. `usernames` has user IDs as keys; a user without an entry is named by ID. */
export function useActorName(usernames?: ReadonlyMap<number, string>): (actor: ActorFields) => string {
  const messages = useActorMessages();
  const clients = useClients().data;
  return ({ Actor, ClientID, UserID }) => {
    if (Actor === 'user') return usernames?.get(UserID ?? 0) ?? messages.user(UserID);
    if (Actor !== 'client' && Actor !== 'console') return messages[Actor];
    const name = clients?.find(({ ID }) => ID === ClientID)?.Name ?? messages.unknownClient(ClientID);
    return messages[Actor](name);
  };
}

/** Returns a function that names the client of a job. A job without a client ID was submitted in protected mode. */
export function useSenderName(): (job: Pick<Job, 'ClientID'>) => string {
  const actorName = useActorName();
  return ({ ClientID }) =>
    actorName({ Actor: ClientID === null ? 'protected' : 'client', ClientID, UserID: null });
}
