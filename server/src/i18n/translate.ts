import type { ErrorDetail, Sentences } from '../lib/error-codes.ts';
import { english } from './en.ts';
import { italian } from './it.ts';

export const languages = { en: english, it: italian } satisfies Record<string, Sentences>;
export type Language = keyof typeof languages;

/** Returns the sentence of a code in a language, with its figures inserted; a missing figure becomes an empty text. */
export function translate(fault: ErrorDetail, language: Language): string {
  const sentence = languages[language][fault.code];
  const text = typeof sentence === 'string' ? sentence : (sentence[fault.variant ?? ''] ?? '');
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(fault.figures?.[name] ?? ''));
}
