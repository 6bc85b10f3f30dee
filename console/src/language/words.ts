import { english } from './english.ts';
import { italian } from './italian.ts';
import { wordsOf } from './language.tsx';

/** What every page needs. */
export const useWords = wordsOf({ en: english, it: italian });
