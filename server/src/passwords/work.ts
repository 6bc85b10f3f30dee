import { workOf } from '../core/fields/password-hash/cost.ts';
import { parsePasswordHash } from '../core/fields/password-hash/parse.ts';

export interface HashCost {
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

/** What a thread can be asked for: the hash of a password, or whether a hash is that of a password. */
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
  if (!parsed) throw new Error('The stored password hash has no form that is known.');
  return parsed;
}

/** How many hashes of our own could be made in the time that verifying a hash takes. */
export function weightOf(hash: string, { memoryCost, timeCost }: HashCost): number {
  return workOf(parse(hash)) / (memoryCost * timeCost);
}

/** How to find out whether a hash, ours or an imported one, is that of the password; null where it cannot be. */
export function verificationOf(password: string, hash: string): Verification | null {
  const parsed = parse(hash);
  const bytes = Buffer.from(password);
  // No password may have a zero, and two algorithms would confuse it: to bcrypt "a\0a" is "a", to HMAC "a\0" is.
  if (bytes.includes(0)) return null;
  switch (parsed.kind) {
    case 'argon2':
      return { kind: 'verify argon2', password: bytes, hash };
    case 'bcrypt':
      // The systems that made these hashes left out what comes after 72 bytes, some in the middle of a character.
      // Whoever has a longer password can only log in if it is cut in the same place.
      return { kind: 'verify bcrypt', password: bytes.subarray(0, bcryptBytes), hash };
    case 'pbkdf2': {
      const { salt, iterations, key, digest } = parsed;
      return { kind: 'verify pbkdf2', password: bytes, salt, iterations, key, digest };
    }
  }
}
