import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react';

/** All texts of the console. The compiler checks that `it.ts` has the same keys. */
export type Messages = typeof import('./en.ts');

export const languages = ['en', 'it'] as const;
export type Language = (typeof languages)[number];

interface Choice {
  readonly language: Language;
  readonly choose: (language: Language) => void;
}

const loaded = new Map<Language, Messages>();

/** Loads the messages of one language; the browser fetches the other one only when it is chosen. */
export async function loadMessages(language: Language): Promise<void> {
  if (!loaded.has(language)) loaded.set(language, await loaders[language]());
}

const loaders: Readonly<Record<Language, () => Promise<Messages>>> = {
  en: () => import('./en.ts'),
  it: () => import('./it.ts'),
};

const place = 'anagrafe-language';
const Chosen = createContext<Choice | null>(null);

export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(rememberedLanguage);

  const queries = useQueryClient();
  const spoken = useRef(language);

  useEffect(() => {
    document.documentElement.lang = language;
    if (spoken.current === language) return;
    spoken.current = language;
    // Cached responses contain messages of the service in the previous language.
    void queries.invalidateQueries();
  }, [language, queries]);

  const choice = useMemo<Choice>(
    () => ({
      language,
      choose: (chosen) => {
        localStorage.setItem(place, chosen);
        void loadMessages(chosen).then(() => setLanguage(chosen));
      },
    }),
    [language],
  );
  return <Chosen value={choice}>{children}</Chosen>;
}

export function useLanguage(): Choice {
  const choice = useContext(Chosen);
  if (!choice) throw new Error('there is no LanguageProvider around this');
  return choice;
}

function useMessages(): Messages {
  const messages = loaded.get(useLanguage().language);
  if (!messages) throw new Error('the messages of the language are not loaded');
  return messages;
}

/** Returns the language chosen last, else the first supported language of the browser, else English. */
export function rememberedLanguage(): Language {
  const wanted = [localStorage.getItem(place) ?? '', ...navigator.languages];
  for (const tag of wanted) {
    const found = languages.find((language) => tag === language || tag.startsWith(`${language}-`));
    if (found) return found;
  }
  return 'en';
}

/** Creates a hook that returns one section of the messages in the chosen language. */
function section<Name extends keyof Messages>(name: Name): () => Messages[Name] {
  return () => useMessages()[name];
}

export const useCommonMessages = section('common');
export const useActorMessages = section('actor');
export const useFailureCauseMessages = section('failureCause');
export const useEventTypeMessages = section('eventType');
export const useAuditRowMessages = section('auditRow');
export const useResultMessages = section('result');
export const useAuditMessages = section('audit');
export const useCallsMessages = section('calls');
export const useClientsMessages = section('clients');
export const useEventsMessages = section('events');
export const useHealthMessages = section('health');
export const useImportMessages = section('imports');
export const useInvitationsMessages = section('invitations');
export const useJobsMessages = section('jobs');
export const useMailsMessages = section('mails');
export const useOperatorsMessages = section('operators');
export const useOverviewMessages = section('overview');
export const usePeopleMessages = section('people');
export const usePrincipalsMessages = section('principals');
export const useRunsMessages = section('runs');
export const useSetupMessages = section('setup');
export const useSyncMessages = section('sync');
export const useTagsMessages = section('tags');
export const useUsersMessages = section('users');
export const useWebhooksMessages = section('webhooks');
