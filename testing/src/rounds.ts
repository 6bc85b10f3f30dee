import { inject } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The value of `--rounds`; null if each file runs its usual number of rounds. */
    rounds: number | null;
    /** The value of `--seed`, or a random number. scripts/test.cjs prints it. */
    seed: number;
    /** The names in `--only`; empty if all are selected. */
    only: string[];
  }
}

const progressIntervalMs = 10_000;

/** Returns the number of rounds that `--rounds` sets, or the usual number. */
export function roundsOf(usual: number): number {
  return inject('rounds') ?? usual;
}

/**
 * Runs rounds one after the other and prints their progress. `round` receives the number of the round, from 1, and may
 * return the milliseconds until calls succeeded again.
 */
export async function inRounds(
  name: string,
  usual: number,
  round: (n: number) => Promise<unknown>,
): Promise<void> {
  const count = roundsOf(usual);
  const report = progressOf(name, count);
  for (let n = 1; n <= count; n++) {
    const recoveryMs = await round(n);
    report(n, typeof recoveryMs === 'number' ? recoveryMs : undefined);
  }
}

/**
 * Returns a function that receives the number of finished rounds, and the milliseconds until calls succeeded again. It
 * prints both every 10 s and at the end.
 */
export function progressOf(name: string, count: number): (done: number, recoveryMs?: number) => void {
  const started = performance.now();
  let printed = started;
  const recoveries: number[] = [];
  return (done, recoveryMs) => {
    if (recoveryMs !== undefined) recoveries.push(recoveryMs);
    const now = performance.now();
    if (done < count && now - printed < progressIntervalMs) return;
    printed = now;
    const seconds = Math.round((now - started) / 1000);
    process.stdout.write(`${name}: ${done} of ${count} rounds in ${seconds} s${summaryOf(recoveries)}\n`);
  };
}

function summaryOf(recoveries: readonly number[]): string {
  if (recoveries.length === 0) return '';
  const sorted = recoveries.toSorted((a, b) => a - b);
  const secondsAt = (share: number) =>
    ((sorted[Math.ceil(sorted.length * share) - 1] ?? 0) / 1000).toFixed(2);
  return `; calls succeed again after ${secondsAt(0.5)} s (median), ${secondsAt(1)} s (longest)`;
}

/** Returns a generator of numbers from 0 to below 1, which are the same for the same seed (mulberry32). */
export function randomNumbers(seed: number = inject('seed')): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
