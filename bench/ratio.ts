import { bareRate } from './bare.ts';

/** The middle one. */
export function median(figures: readonly number[]): number {
  return figures.toSorted((one, other) => one - other)[Math.floor(figures.length / 2)] ?? 0;
}

export interface Round {
  /** Users per second of the service. */
  readonly rate: number;
  /** Hashes per second of nothing but hashing, before and after it. */
  readonly bare: number;
}

/** What the service reaches with work that tells how many seconds it took, between two measurements of what the machine gives at that moment. */
export async function besideBare(users: number, work: () => Promise<number>): Promise<Round> {
  const hashes = Math.min(users / 2, 600);
  const before = await bareRate(hashes);
  const rate = users / (await work());
  return { rate, bare: (before + (await bareRate(hashes))) / 2 };
}

/** How many seconds something takes. */
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
