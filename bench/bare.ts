import { availableParallelism } from 'node:os';
import { hash } from '@node-rs/argon2';

/** The service's own cost of a hash. */
export const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashes per second that `@node-rs/argon2` reaches with nothing around it, one in flight per core. */
export async function bareRate(count: number): Promise<number> {
  let left = count;
  const start = performance.now();
  async function worker(): Promise<void> {
    while (left-- > 0) await hash(`a bare password ${left}`, cost);
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return count / ((performance.now() - start) / 1000);
}
