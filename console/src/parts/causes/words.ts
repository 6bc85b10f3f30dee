import { wordsOf } from '../../language/language.tsx';
import { english } from './english.ts';
import { italian } from './italian.ts';

export const useCauseWords = wordsOf({ en: english, it: italian });
