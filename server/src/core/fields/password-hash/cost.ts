import type { Argon2Hash } from './argon2.ts';
import type { BcryptHash } from './bcrypt.ts';
import type { PasswordHash } from './parse.ts';
import { digestBytes, type Pbkdf2Hash } from './pbkdf2.ts';

interface Range {
  readonly min: number;
  readonly max: number;
}

export interface Cost extends Range {
  readonly parameter: 'memory' | 'passes' | 'parallelism' | 'cost' | 'iterations';
  readonly algorithm: string;
  readonly found: number;
}

// The floors are the lowest that the well-known libraries wrote by default: whoever moves in may have hashes of many
// years, and each is made anew at the next good login. The ceilings keep that login to about a second of one slow core.

/** 8 by phpass; 14 takes a second. */
const bcryptCost: Range = { min: 8, max: 14 };

/** 4 MiB by the argon2 package of Node. Memory is held by every login at once, so that its ceiling is a low one. */
const argon2MemoryKib: Range = { min: 4096, max: 262_144 };
/** Below three passes there are shortcuts to argon2i. */
const argon2PassesMin = { argon2id: 1, argon2i: 3 };
/** Memory times passes: as much as one pass over 1 GiB. */
const argon2WorkMax = 1_048_576;
const argon2Parallelism: Range = { min: 1, max: 16 };

/** 10,000 by ASP.NET Core up to 6 and by Django 1.4. */
const pbkdf2IterationsMin = 10_000;
/** Iterations times blocks: a key that is longer than the digest takes them anew for each block. */
const pbkdf2WorkMax = { sha1: 2_000_000, sha256: 2_000_000, sha512: 1_000_000 };

// The cost of verifying, in units of argon2's work on 1 KiB of memory in one pass: about a microsecond on a slow core.
const bcryptRound = 68;
const pbkdf2Iteration = { sha1: 0.6, sha256: 0.6, sha512: 1 };

/** Returns the cost of verifying a password against a hash, about in microseconds of a slow core. */
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

/** The first figure of a hash that is too low or too high, with the range where it may be. */
export function findCostOutOfBounds(hash: PasswordHash): Cost | undefined {
  return costs(hash).find(({ found, min, max }) => found < min || found > max);
}

function costs(hash: PasswordHash): Cost[] {
  switch (hash.kind) {
    case 'argon2':
      return argon2Costs(hash);
    case 'bcrypt':
      return bcryptCosts(hash);
    case 'pbkdf2':
      return pbkdf2Costs(hash);
  }
}

function argon2Costs({ algorithm, memoryKib, passes, parallelism }: Argon2Hash): Cost[] {
  const passesRange = { min: argon2PassesMin[algorithm], max: Math.floor(argon2WorkMax / memoryKib) };
  return [
    { parameter: 'memory', algorithm, found: memoryKib, ...argon2MemoryKib },
    { parameter: 'passes', algorithm, found: passes, ...passesRange },
    { parameter: 'parallelism', algorithm, found: parallelism, ...argon2Parallelism },
  ];
}

function bcryptCosts({ cost }: BcryptHash): Cost[] {
  return [{ parameter: 'cost', algorithm: 'bcrypt', found: cost, ...bcryptCost }];
}

function blocksOf({ key, digest }: Pbkdf2Hash): number {
  return Math.ceil(key.length / digestBytes[digest]);
}

function pbkdf2Costs(hash: Pbkdf2Hash): Cost[] {
  const { digest, iterations, fixed } = hash;
  // ASP.NET Identity v2 always has 1,000 iterations. It is taken all the same: those users could not move in
  // otherwise, and the weak hash is gone after their next good login.
  if (fixed) return [];
  const range = { min: pbkdf2IterationsMin, max: Math.floor(pbkdf2WorkMax[digest] / blocksOf(hash)) };
  return [
    { parameter: 'iterations', algorithm: `PBKDF2-${digest.toUpperCase()}`, found: iterations, ...range },
  ];
}
