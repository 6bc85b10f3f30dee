import { type Language, useLanguage } from './language.tsx';

/** Formats numbers and times for the locale of the reader. */
export interface Formats {
  number(value: number): string;
  /** Compact notation: "20K". */
  short(value: number): string;
  /** At most one decimal digit. */
  rate(value: number): string;
  /** Whole per cent of a share from 0 to 1. */
  percent(share: number): string;
  /** Local date and time, to the second. */
  moment(at: Date): string;
  /** Local time of day, to the minute. */
  hour(at: Date): string;
  /** Day and month in UTC. */
  day(at: Date): string;
  /** Relative time: "3 minutes ago", "in 5 seconds". */
  ago(at: Date, now: Date): string;
}

const units: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** The formats of each language, shared by all components: a formatter takes milliseconds to create. */
const created = new Map<Language, Formats>();

export function useFormats(): Formats {
  const { language } = useLanguage();
  const formats = created.get(language) ?? formatsOf(localeOf(language));
  created.set(language, formats);
  return formats;
}

function formatsOf(locale: string): Formats {
  const number = new Intl.NumberFormat(locale);
  const short = new Intl.NumberFormat(locale, { notation: 'compact' });
  const rate = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
  const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
  const hour = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  return {
    number: (value) => number.format(value),
    short: (value) => short.format(value),
    rate: (value) => rate.format(value),
    percent: (share) => percent.format(share),
    moment: (at) => moment.format(at),
    hour: (at) => hour.format(at),
    day: (at) => day.format(at),
    ago(at, now) {
      const seconds = (at.getTime() - now.getTime()) / 1000;
      const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
      return relative.format(Math.round(seconds / size), unit);
    },
  };
}

/** Returns the regional variant of the language that the browser prefers, such as `en-GB`, or the language itself. */
function localeOf(language: Language): string {
  return navigator.languages.find((tag) => tag.startsWith(`${language}-`)) ?? language;
}
