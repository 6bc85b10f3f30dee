import { RunTable } from './run-table.ts';
import { BIDI_CLASS } from './tables.gen.ts';

const bidiClasses = new RunTable<'L' | 'R' | 'A' | 'N' | 'E' | 'S' | 'C' | 'T' | 'O' | 'B' | 'M'>(BIDI_CLASS);

// The conditions of RFC 5893 section 2, over the letters that tables.gen.ts gives to the bidi classes.
const RIGHT_TO_LEFT = /[RAN]/;
const CONDITIONS_1_2_3 = /^[RA](?:[RANESCTOBM]*[RANE])?M*$/;
const CONDITIONS_1_5_6 = /^L(?:[LESCTOBM]*[LE])?M*$/;

/**
 * Whether the parts of one name obey the bidi rule. As with the labels of a domain name, one part that holds
 * right-to-left characters puts every part under the rule: else a Hebrew word with a part "3" before it, and the
 * same word with "3" after it, would be two names that look alike on a screen.
 */
export function obeysBidiRule(parts: readonly string[]): boolean {
  const classes = parts.map(bidiClassesOf);
  if (!classes.some((each) => RIGHT_TO_LEFT.test(each))) return true;
  return classes.every((each) => CONDITIONS_1_5_6.test(each) || isRightToLeftLabel(each));
}

function isRightToLeftLabel(classes: string): boolean {
  const mixesDigits = classes.includes('E') && classes.includes('N');
  return CONDITIONS_1_2_3.test(classes) && !mixesDigits;
}

function bidiClassesOf(text: string): string {
  let classes = '';
  for (const character of text) classes += bidiClasses.at(character.codePointAt(0));
  return classes;
}
