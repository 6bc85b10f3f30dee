import { type Language, useLanguage } from './language.tsx';

export type Formats = ReturnType<typeof formatsOf>;

const units: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** The formats of each language, shared by all components. */
const created = new Map<Language, Formats>();

export function useFormats(): Formats {
  const { language } = useLanguage();
  const formats = created.get(language) ?? formatsOf(localeOf(language));
  created.set(language, formats);
  return formats;
}

function formatsOf(locale: string) {
  const number = (options?: Intl.NumberFormatOptions) =>
    onFirstUse<[number]>(() => new Intl.NumberFormat(locale, options));
  const date = (options: Intl.DateTimeFormatOptions) =>
    onFirstUse<[Date]>(() => new Intl.DateTimeFormat(locale, options));
  const relative = onFirstUse<[number, Intl.RelativeTimeFormatUnit]>(
    () => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }),
  );
  const inUnit = (unit: string) => number({ style: 'unit', unit, unitDisplay: 'long' });
  const durations: Partial<Record<Intl.RelativeTimeFormatUnit, (value: number) => string>> = {
    day: inUnit('day'),
    hour: inUnit('hour'),
    minute: inUnit('minute'),
    second: inUnit('second'),
  };
  return {
    number: number(),
    /** Compact notation: "20K". */
    short: number({ notation: 'compact' }),
    /** At most one decimal digit. */
    rate: number({ maximumFractionDigits: 1 }),
    /** Whole per cent of a share from 0 to 1. */
    percent: number({ style: 'percent', maximumFractionDigits: 0 }),
    /** Local date and time, to the second. */
    moment: date({ dateStyle: 'medium', timeStyle: 'medium' }),
    /** Local time of day, to the minute. */
    hour: date({ timeStyle: 'short' }),
    /** Day and month in UTC. */
    day: date({ day: 'numeric', month: 'short', timeZone: 'UTC' }),
    /** A duration in its largest unit: "45 seconds", "3 minutes". */
    duration(seconds: number): string {
      const [unit, size] = units.find(([, length]) => seconds >= 2 * length) ?? ['second', 1];
      return durations[unit]?.(Math.round(seconds / size)) ?? '';
    },
    /** Relative time: "3 minutes ago", "in 5 seconds". */
    ago(at: Date, now: Date): string {
      const seconds = (at.getTime() - now.getTime()) / 1000;
      const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
      return relative(Math.round(seconds / size), unit);
    },
  };
}

/** Creates the formatter when it is first used: each takes milliseconds, and no page needs all of them. */
function onFirstUse<Values extends unknown[]>(create: () => { format(...values: Values): string }) {
  let formatter: ReturnType<typeof create> | undefined;
  return (...values: Values): string => {
    formatter ??= create();
    return formatter.format(...values);
  };
}

/** Returns the regional variant of the language that the browser prefers, such as `en-GB`, or the language itself. */
function localeOf(language: Language): string {
  return navigator.languages.find((tag) => tag.startsWith(`${language}-`)) ?? language;
}
