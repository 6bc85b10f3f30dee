import { availableParallelism } from 'node:os';
import { hash } from '@node-rs/argon2';

/** The default hash cost of the service. */
export const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Measures the hashes per second of `@node-rs/argon2` alone, with one concurrent hash per core. */
export async function bareRate(count: number): Promise<number> {
  let left = count;
  const start = performance.now();
  async function worker(): Promise<void> {
    while (left-- > 0) await hash(`a bare password ${left}`, cost);
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return count / ((performance.now() - start) / 1000);
}
