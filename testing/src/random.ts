import fc from 'fast-check';
import { inject } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Factor for the number of runs of a fast-check property: 1 in `npm test`. */
    timesRuns: number;
  }
}

/** The number of runs of a property: the given one in `npm test`, ten times as many in `npm run faults`. */
export function runs(count: number): { numRuns: number } {
  return { numRuns: count * inject('timesRuns') };
}

/** Any code point but a surrogate. The unit `'binary'` of fast-check does the same, but takes a second to build. */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((codePoint) => String.fromCodePoint(codePoint));
