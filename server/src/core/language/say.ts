import type { Fault, Sentences } from '../codes.ts';
import { english } from './english.ts';
import { italian } from './italian.ts';

export const languages = { en: english, it: italian } satisfies Record<string, Sentences>;
export type Language = keyof typeof languages;

/** The sentence for a person. */
export function say(fault: Fault, language: Language): string {
  const sentence = languages[language][fault.code];
  const text = typeof sentence === 'string' ? sentence : (sentence[fault.variant ?? ''] ?? '');
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(fault.figures?.[name] ?? ''));
}
