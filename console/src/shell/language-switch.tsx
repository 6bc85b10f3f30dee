import { useLanguage } from '../language/language.tsx';
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
  return <Choice label={words.language} icon="globe" options={options} value={language} onChoose={choose} />;
}
