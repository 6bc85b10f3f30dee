import { parsePasswordHash } from './imported-hash.ts';
import { workOf } from './imported-hash-cost.ts';

export interface HashCost {
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

export type Work =
  | { readonly kind: 'hash'; readonly password: string; readonly cost: HashCost }
  | Verification;

export type Verification =
  | { readonly kind: 'verify argon2' | 'verify bcrypt'; readonly password: Uint8Array; readonly hash: string }
  | {
      readonly kind: 'verify pbkdf2';
      readonly password: Uint8Array;
      readonly salt: Uint8Array;
      readonly iterations: number;
      readonly key: Uint8Array;
      readonly digest: string;
    };

const bcryptBytes = 72;

function parse(hash: string) {
  const parsed = parsePasswordHash(hash);
  if (!parsed) throw new Error('The format of the stored password hash is unknown.');
  return parsed;
}

/**
 * Returns the cost of verifying a hash, in hashes that the service creates with the given cost. It is a multiple of
 * 1/64, so that sums of weights are exact.
 */
export function weightOf(hash: string, { memoryCost, timeCost }: HashCost): number {
  return Math.ceil((workOf(parse(hash)) / (memoryCost * timeCost)) * 64) / 64;
}

/** Builds the task that verifies a password against a hash of any format; null if the password cannot match. */
export function verificationOf(password: string, hash: string): Verification | null {
  const parsed = parse(hash);
  const bytes = Buffer.from(password);
  // No password contains NUL. Two algorithms would match a wrong one: bcrypt reads "a\0a" as "a", HMAC "a\0" as "a".
  if (bytes.includes(0)) return null;
  switch (parsed.kind) {
    case 'argon2':
      return { kind: 'verify argon2', password: bytes, hash };
    case 'bcrypt':
      // bcrypt implementations truncate a password after 72 bytes, possibly within a character. A longer password
      // matches an imported hash only if it is truncated at the same byte.
      return { kind: 'verify bcrypt', password: bytes.subarray(0, bcryptBytes), hash };
    case 'pbkdf2': {
      const { salt, iterations, key, digest } = parsed;
      return { kind: 'verify pbkdf2', password: bytes, salt, iterations, key, digest };
    }
  }
}

/** Returns true if the next successful login should replace the hash: it is not argon2id with the configured cost. */
export function needsRehash(hash: string, cost: { memoryKib: number; passes: number }): boolean {
  const parsed = parsePasswordHash(hash);
  const isCurrent =
    parsed?.kind === 'argon2' &&
    parsed.algorithm === 'argon2id' &&
    parsed.version === 19 &&
    parsed.parallelism === 1 &&
    parsed.memoryKib === cost.memoryKib &&
    parsed.passes === cost.passes;
  return !isCurrent;
}
