/** What a profile makes of a text: the form to compare and to keep, or why there is none. */
export type Mapping<Fault extends string> = { mapped: string } | { fault: Fault };

const APPLICATIONS = 4;

/**
 * Applies the rules of a profile until they change nothing more, at most three times after the first, and refuses
 * the text when even then it has not settled (RFC 8264 section 7). So what comes out maps to itself.
 */
export function applyUntilStable<Fault extends string>(
  text: string,
  applyRules: (text: string) => Mapping<Fault>,
): Mapping<Fault | 'character'> {
  let current = text;
  for (let application = 0; application < APPLICATIONS; application += 1) {
    const result = applyRules(current);
    if ('fault' in result || result.mapped === current) return result;
    current = result.mapped;
  }
  return { fault: 'character' };
}
