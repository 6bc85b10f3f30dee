import type { CompletedCall } from '@anagrafe/client';
import { useClients } from '../../api/clients.ts';
import { wordsOf } from '../../language/language.tsx';
import { english } from './english.ts';
import { italian } from './italian.ts';

const useWords = wordsOf({ en: english, it: italian });

/** Who did something, by name where there is one. */
export function useAuthor(): (by: Pick<CompletedCall, 'Actor' | 'ClientID' | 'UserID'>) => string {
  const words = useWords();
  const clients = useClients().data;
  return ({ Actor, ClientID, UserID }) => {
    if (Actor === 'user') return words.user(UserID);
    if (Actor !== 'client' && Actor !== 'console') return words[Actor];
    const name = clients?.find(({ ID }) => ID === ClientID)?.Name ?? words.unknownClient(ClientID);
    return words[Actor](name);
  };
}
