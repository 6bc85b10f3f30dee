import type { Span } from '@anagrafe/client';

/** A field of the statistics that a chart draws, with its label and its CSS colour. */
export interface Series {
  readonly name: Exclude<keyof Span, 'Start'>;
  readonly label: string;
  readonly color: string;
}

const maxSteps = 4;

/** Returns the labels of the axis: round integers from zero to the first one that is not below `highest`. */
export function roundSteps(highest: number): readonly number[] {
  const step = roundUp(Math.max(highest, 1) / maxSteps);
  const steps = Math.max(1, Math.ceil(highest / step));
  return Array.from({ length: steps + 1 }, (_, n) => n * step);
}

/** Rounds up to 1, 2 or 5 times a power of ten; the result is at least 1. */
function roundUp(least: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(least)));
  const digit = [1, 2, 5].find((one) => one * power >= least) ?? 10;
  return digit * power;
}

/** Returns the highest figure of a span; 0 if nothing happened in it. */
export function highestOf(span: Span, series: readonly Series[]): number {
  return Math.max(...series.map(({ name }) => span[name]));
}

/**
 * Sums a field over the hours of today in the time zone of the reader. The last day of the statistics would not do: it
 * begins at midnight UTC. `hours` are the last 24, each as long as an hour of UTC.
 */
export function addedToday(hours: readonly Span[], name: Series['name'], now: Date): number {
  return hours
    .filter(({ Start }) => new Date(Start).toDateString() === now.toDateString())
    .reduce((sum, span) => sum + span[name], 0);
}
