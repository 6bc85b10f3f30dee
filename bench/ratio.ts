import { bareRate } from './bare.ts';

/** Returns the median, or the upper one of the two middle figures. */
export function median(figures: readonly number[]): number {
  return figures.toSorted((one, other) => one - other)[Math.floor(figures.length / 2)] ?? 0;
}

export interface Round {
  /** Users per second of the service. */
  readonly rate: number;
  /** Hashes per second of bare hashing, the mean of a measurement before and one after. */
  readonly bare: number;
}

/** Measures `work`, which returns its duration in seconds, between two measurements of bare hashing. */
export async function besideBare(users: number, work: () => Promise<number>): Promise<Round> {
  const hashes = Math.min(users / 2, 600);
  const before = await bareRate(hashes);
  const rate = users / (await work());
  return { rate, bare: (before + (await bareRate(hashes))) / 2 };
}

/** Runs `work` and returns its duration in seconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

export function ratioOf(rounds: readonly Round[]): number {
  return median(rounds.map(({ rate, bare }) => rate / bare));
}

export function roundsText(rounds: readonly Round[]): string {
  return rounds.map(({ rate, bare }) => `${rate.toFixed(0)}/${bare.toFixed(0)}`).join(', ');
}
