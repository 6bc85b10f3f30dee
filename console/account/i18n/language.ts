import { english } from './en.ts';
import { italian } from './it.ts';

export type Key = keyof typeof english;

export const languages = { en: 'English', it: 'Italiano' } as const;
export type Language = keyof typeof languages;

const messages: Readonly<Record<Language, Readonly<Record<Key, string>>>> = { en: english, it: italian };
/** Shared with the console. */
const place = 'anagrafe-language';

let chosen = initialLanguage();

export const language = (): Language => chosen;

export function chooseLanguage(next: Language): void {
  chosen = next;
  document.documentElement.lang = next;
  try {
    localStorage.setItem(place, next);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}

function initialLanguage(): Language {
  const preferred = [stored(), ...navigator.languages.map((tag) => tag.slice(0, 2))];
  return preferred.find((tag): tag is Language => tag !== null && tag in languages) ?? 'en';
}

function stored(): string | null {
  try {
    return localStorage.getItem(place);
  } catch {
    return null;
  }
}

export const isKey = (text: string): text is Key => text in english;

export function t(key: Key, values: Readonly<Record<string, string | number>> = {}): string {
  return messages[chosen][key].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}

export function timeText(iso: string): string {
  // The browser may name a country, such as en-GB, which has its own format of dates.
  const locale = navigator.languages.find((tag) => tag.slice(0, 2) === chosen) ?? chosen;
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso));
}

/** Returns a wait as text, such as "30 seconds"; from two minutes in minutes. */
export function waitText(seconds: number): string {
  const [value, unit] = seconds < 120 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return new Intl.NumberFormat(chosen, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}
