import { useRefreshAll } from '../api/queries.ts';
import { type Language, useLanguage } from '../language/language.tsx';
import { useWords } from '../language/words.ts';
import { Choice } from './choice.tsx';

/** Each by the name that its speakers give it. */
const options = [
  { value: 'en', label: 'English' },
  { value: 'it', label: 'Italiano' },
] as const;

export function LanguageSwitch() {
  const words = useWords();
  const { language, choose } = useLanguage();
  const refreshAll = useRefreshAll();

  function change(chosen: Language) {
    choose(chosen);
    // The service has sentences of its own, in the language that it was asked in.
    refreshAll();
  }

  return <Choice label={words.language} icon="globe" options={options} value={language} onChoose={change} />;
}
