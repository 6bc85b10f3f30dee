import type { CompletedCall, Job } from '@anagrafe/client';
import { useClients } from '../../api/clients.ts';
import { wordsOf } from '../../language/language.tsx';
import { english } from './english.ts';
import { italian } from './italian.ts';

const useWords = wordsOf({ en: english, it: italian });

type By = Pick<CompletedCall, 'Actor' | 'ClientID' | 'UserID'>;

/** Who did something, by name where there is one; `usernames` are those of users that are known. */
export function useAuthor(usernames?: ReadonlyMap<number, string>): (by: By) => string {
  const words = useWords();
  const clients = useClients().data;
  return ({ Actor, ClientID, UserID }) => {
    if (Actor === 'user') return usernames?.get(UserID ?? 0) ?? words.user(UserID);
    if (Actor !== 'client' && Actor !== 'console') return words[Actor];
    const name = clients?.find(({ ID }) => ID === ClientID)?.Name ?? words.unknownClient(ClientID);
    return words[Actor](name);
  };
}

/** Who sent a job. */
export function useSender(): (job: Pick<Job, 'ClientID'>) => string {
  const author = useAuthor();
  return ({ ClientID }) =>
    author({ Actor: ClientID === null ? 'protected' : 'client', ClientID, UserID: null });
}
