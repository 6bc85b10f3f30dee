import { parsePasswordHash } from '../core/fields/password-hash/parse.ts';

/** Whether a hash should be made anew at the next good login: it is not of the cost that is set now. */
export function needsRehash(hash: string, cost: { memoryKib: number; passes: number }): boolean {
  const parsed = parsePasswordHash(hash);
  const asWeHash =
    parsed?.kind === 'argon2' &&
    parsed.algorithm === 'argon2id' &&
    parsed.version === 19 &&
    parsed.parallelism === 1 &&
    parsed.memoryKib === cost.memoryKib &&
    parsed.passes === cost.passes;
  return !asWeHash;
}
