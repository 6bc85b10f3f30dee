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

/** Runs rounds one after the other and prints their progress. `round` receives the number of the round, from 1. */
export async function inRounds(
  name: string,
  usual: number,
  round: (n: number) => Promise<void>,
): Promise<void> {
  const count = roundsOf(usual);
  const report = progressOf(name, count);
  for (let n = 1; n <= count; n++) {
    await round(n);
    report(n);
  }
}

/** Returns a function that receives the number of finished rounds, and prints it every 10 s and at the end. */
export function progressOf(name: string, count: number): (done: number) => void {
  const started = performance.now();
  let printed = started;
  return (done) => {
    const now = performance.now();
    if (done < count && now - printed < progressIntervalMs) return;
    printed = now;
    process.stdout.write(`${name}: ${done} of ${count} rounds in ${Math.round((now - started) / 1000)} s\n`);
  };
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
