export const strengths = ['weak', 'fair', 'good', 'strong'] as const;
export type Strength = (typeof strengths)[number];

const wordBits = 16;
const atLeast = { fair: 35, good: 50, strong: 64 };

/**
 * How long a password would hold, roughly: a hint for the eye beside what the service says. Letters in a row count as a word at most, and
 * what goes on as it began (aaaa, 1234) counts for nothing.
 */
export function strengthOf(password: string): Strength {
  const bits = [...password.matchAll(/\p{L}+|\p{N}+|[^\p{L}\p{N}]+/gu)]
    .map(([run]) => bitsOf(run))
    .reduce((sum, some) => sum + some, 0);
  if (bits >= atLeast.strong) return 'strong';
  if (bits >= atLeast.good) return 'good';
  return bits >= atLeast.fair ? 'fair' : 'weak';
}

function bitsOf(run: string): number {
  const count = surprises(run);
  if (/\p{L}/u.test(run)) return Math.min(wordBits, count * Math.log2(26));
  return count * Math.log2(/\p{N}/u.test(run) ? 10 : 16);
}

/** How many characters do not just go on in the step of those before. */
function surprises(run: string): number {
  const points = Array.from(run, (character) => character.codePointAt(0) ?? 0);
  return points.filter((point, at) => {
    const [before, first] = [points[at - 1], points[at - 2]];
    if (before === undefined) return true;
    const step = point - before;
    return step !== 0 && (first === undefined || step !== before - first);
  }).length;
}
