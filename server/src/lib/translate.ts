import { english } from '../i18n/en.ts';
import { italian } from '../i18n/it.ts';
import type { ErrorDetail } from './error-codes.ts';

export const languages = { en: english, it: italian };
export type Language = keyof typeof languages;

/** Returns the text of an error in a language, with its figures inserted; a missing figure becomes an empty text. */
export function translate({ code, variant, figures }: ErrorDetail, language: Language): string {
  const texts: string | Readonly<Record<string, string>> = languages[language][code];
  // A stored error of an older version may have a variant that no longer exists.
  const text = typeof texts === 'string' ? texts : (texts[variant ?? ''] ?? code);
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(figures?.[name] ?? ''));
}
