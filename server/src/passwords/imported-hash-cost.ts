import type { FieldErrors } from '../lib/field-errors.ts';
import { isAbsent, readString } from '../lib/request-fields.ts';
import { digestBytes, type PasswordHash, type Pbkdf2Hash, parsePasswordHash } from './imported-hash.ts';

interface Range {
  readonly min: number;
  readonly max: number;
}

interface Cost extends Range {
  readonly parameter: 'memory' | 'passes' | 'parallelism' | 'cost' | 'iterations';
  readonly algorithm: string;
  readonly found: number;
}

// The minimums are the lowest defaults of well-known libraries: imported hashes may be many years old, and the next
// successful login replaces them. The maximums limit that login to about one second on a slow core.

/** The default of phpass is 8; a cost of 14 takes one second. */
const bcryptCost: Range = { min: 8, max: 14 };

/** The `argon2` npm package used 4 MiB by default. The maximum is low, because every concurrent login needs as much. */
const argon2MemoryKib: Range = { min: 4096, max: 262_144 };
/** There are time-memory trade-off attacks on argon2i with fewer than three passes. */
const argon2PassesMin = { argon2id: 1, argon2i: 3 };
/** Memory in KiB times passes: the work of one pass over 1 GiB. */
const argon2WorkMax = 1_048_576;
const argon2Parallelism: Range = { min: 1, max: 16 };

/** The default of ASP.NET Core up to 6 and of Django 1.4. */
const pbkdf2IterationsMin = 10_000;
/** Iterations times blocks: a key longer than the digest needs all iterations for each block. */
const pbkdf2WorkMax = { sha1: 2_000_000, sha256: 2_000_000, sha512: 1_000_000 };

// The cost of one bcrypt round and of one PBKDF2 iteration. The unit is one argon2 pass over 1 KiB of memory, which
// takes about a microsecond on a slow core.
const bcryptRound = 68;
const pbkdf2Iteration = { sha1: 0.6, sha256: 0.6, sha512: 1 };

/** Returns the cost of verifying a password against a hash, approximately in microseconds on a slow core. */
export function workOf(hash: PasswordHash): number {
  switch (hash.kind) {
    case 'argon2':
      return hash.memoryKib * hash.passes;
    case 'bcrypt':
      return 2 ** hash.cost * bcryptRound;
    case 'pbkdf2':
      return hash.iterations * blocksOf(hash) * pbkdf2Iteration[hash.digest];
  }
}

/** Returns the cost parameters of a hash with their allowed ranges. */
function costs(hash: PasswordHash): Cost[] {
  switch (hash.kind) {
    case 'argon2': {
      const { algorithm, memoryKib, passes, parallelism } = hash;
      const passesRange = { min: argon2PassesMin[algorithm], max: Math.floor(argon2WorkMax / memoryKib) };
      return [
        { parameter: 'memory', algorithm, found: memoryKib, ...argon2MemoryKib },
        { parameter: 'passes', algorithm, found: passes, ...passesRange },
        { parameter: 'parallelism', algorithm, found: parallelism, ...argon2Parallelism },
      ];
    }
    case 'bcrypt':
      return [{ parameter: 'cost', algorithm: 'bcrypt', found: hash.cost, ...bcryptCost }];
    case 'pbkdf2': {
      const { digest, iterations: found, fixed } = hash;
      // ASP.NET Identity v2 always has 1,000 iterations. It is accepted anyway: those users could not be imported
      // otherwise, and their next successful login replaces the weak hash.
      if (fixed) return [];
      const range = { min: pbkdf2IterationsMin, max: Math.floor(pbkdf2WorkMax[digest] / blocksOf(hash)) };
      return [{ parameter: 'iterations', algorithm: `PBKDF2-${digest.toUpperCase()}`, found, ...range }];
    }
  }
}

function blocksOf({ key, digest }: Pbkdf2Hash): number {
  return Math.ceil(key.length / digestBytes[digest]);
}

/**
 * Reads a hash from another system. Returns the text to store; null if it is absent or invalid. Errors contain the cost
 * parameters of the hash, but no other part of it.
 */
export function readPasswordHash(value: unknown, place: string, errors: FieldErrors): string | null {
  const text = readString(value, place, errors);
  if (isAbsent(text)) return null;
  const hash = parsePasswordHash(text);
  if (!hash) {
    errors.add(place, 'PASSWORD_HASH_INVALID');
    return null;
  }
  const outOfBounds = costs(hash).find(({ found, min, max }) => found < min || found > max);
  if (outOfBounds) {
    const { parameter, ...figures } = outOfBounds;
    errors.add(place, 'PASSWORD_HASH_COST', { variant: parameter, figures });
    return null;
  }
  return text;
}
