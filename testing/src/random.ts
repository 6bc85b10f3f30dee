import fc from 'fast-check';
import { inject } from 'vitest';
import './rounds.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The factor for the number of runs of a fast-check property: 1 in `npm test`, `--rounds` in `npm run faults`. */
    timesRuns: number;
  }
}

/** The number of runs of a property: the given one in `npm test`, a multiple of it in `npm run faults`. */
export function runs(count: number): { numRuns: number; seed: number } {
  return { numRuns: Math.ceil(count * inject('timesRuns')), seed: inject('seed') };
}

/** Any code point but a surrogate. The unit `'binary'` of fast-check does the same, but takes a second to build. */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((codePoint) => String.fromCodePoint(codePoint));
