import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react';

export const languages = ['en', 'it'] as const;
export type Language = (typeof languages)[number];

interface Choice {
  readonly language: Language;
  readonly choose: (language: Language) => void;
}

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
        setLanguage(chosen);
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

/** Creates a hook that returns messages in the chosen language: `const useJobsMessages = messagesOf({ en, it })`. */
export function messagesOf<Words>(words: Readonly<Record<Language, Words>>): () => Words {
  return () => words[useLanguage().language];
}

/** Returns the language chosen last, else the first supported language of the browser, else English. */
function rememberedLanguage(): Language {
  const wanted = [localStorage.getItem(place) ?? '', ...navigator.languages];
  for (const tag of wanted) {
    const found = languages.find((language) => tag === language || tag.startsWith(`${language}-`));
    if (found) return found;
  }
  return 'en';
}
