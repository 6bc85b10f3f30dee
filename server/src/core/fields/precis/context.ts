import { RunTable } from './run-table.ts';
import { JOINING_TYPE, SCRIPT, VIRAMA } from './tables.gen.ts';

const joiningTypes = new RunTable<'T' | 'D' | 'L' | 'R' | 'N'>(JOINING_TYPE);
const scripts = new RunTable<'G' | 'H' | 'J' | 'N'>(SCRIPT);
const viramas = new RunTable<'V' | 'N'>(VIRAMA);

const SMALL_L = 0x6c;
const MIDDLE_DOT = 0xb7;
const KERAIA = 0x375;
const GERESH = 0x5f3;
const GERSHAYIM = 0x5f4;
const ZERO_WIDTH_NON_JOINER = 0x200c;
const ZERO_WIDTH_JOINER = 0x200d;

const CONTEXTUAL = /[\u00b7\u0375\u05f3\u05f4\u0660-\u0669\u06f0-\u06f9\u200c-\u200d\u30fb]/;
const ARABIC_INDIC_DIGIT = /[\u0660-\u0669]/;
const EXTENDED_ARABIC_INDIC_DIGIT = /[\u06f0-\u06f9]/;
const KATAKANA_MIDDLE_DOT = '\u30fb';

/**
 * Whether each code point that is allowed by context alone stands in the context it needs (RFC 5892 appendix A).
 *
 * To be asked of mapped text: then strings that differ in case, or in the order of their combining marks, get one
 * answer. "COL·LEGI" is fine because "col·legi" is.
 */
export function contextAllows(text: string): boolean {
  if (!CONTEXTUAL.test(text)) return true;
  if (ARABIC_INDIC_DIGIT.test(text) && EXTENDED_ARABIC_INDIC_DIGIT.test(text)) return false;
  const codePoints = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const isJapanese = codePoints.some((each) => scripts.at(each) === 'J');
  if (text.includes(KATAKANA_MIDDLE_DOT) && !isJapanese) return false;
  return codePoints.every((_, index) => neighboursAllow(codePoints, index));
}

function neighboursAllow(codePoints: readonly number[], index: number): boolean {
  const before = codePoints[index - 1];
  const after = codePoints[index + 1];
  switch (codePoints[index]) {
    case ZERO_WIDTH_NON_JOINER:
      return viramas.at(before) === 'V' || breaksCursiveJoin(codePoints, index);
    case ZERO_WIDTH_JOINER:
      return viramas.at(before) === 'V';
    case MIDDLE_DOT:
      return before === SMALL_L && after === SMALL_L;
    case KERAIA:
      return scripts.at(after) === 'G';
    case GERESH:
    case GERSHAYIM:
      return scripts.at(before) === 'H';
    default:
      return true;
  }
}

/** Whether the letters around the place, marks left aside, would join if nothing stood between them. */
function breaksCursiveJoin(codePoints: readonly number[], index: number): boolean {
  let left = index - 1;
  while (joiningTypes.at(codePoints[left]) === 'T') left -= 1;
  let right = index + 1;
  while (joiningTypes.at(codePoints[right]) === 'T') right += 1;
  const leftType = joiningTypes.at(codePoints[left]);
  const rightType = joiningTypes.at(codePoints[right]);
  return (leftType === 'L' || leftType === 'D') && (rightType === 'R' || rightType === 'D');
}
