import {
  BIDI_CLASS,
  DERIVED_PROPERTY,
  JOINING_TYPE,
  SCRIPT,
  VIRAMA,
  WIDTH_PAIRS,
} from './unicode-tables.gen.ts';

/** A property of every code point, run-length encoded as in `unicode-tables.gen.ts` and decoded on first use. */
export class RunTable<Letter extends string> {
  readonly #encoded: string;
  #runs: { starts: Uint32Array; letters: Letter[] } | undefined;

  constructor(encoded: string) {
    this.#encoded = encoded;
  }

  /** Returns the letter of a code point; undefined if the index of the caller is before or after the text. */
  at(codePoint: number | undefined): Letter | undefined {
    if (codePoint === undefined) return undefined;
    this.#runs ??= unpack<Letter>(this.#encoded);
    const { starts, letters } = this.#runs;
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((starts[middle] ?? 0) <= codePoint) low = middle;
      else high = middle - 1;
    }
    return letters[low];
  }
}

function unpack<Letter extends string>(encoded: string): { starts: Uint32Array; letters: Letter[] } {
  const runs = encoded.match(/[A-Z][0-9a-z]+/g) ?? [];
  const starts = new Uint32Array(runs.length);
  let start = 0;
  for (const [index, run] of runs.entries()) {
    starts[index] = start;
    start += Number.parseInt(run.slice(1), 36);
  }
  return { starts, letters: runs.map((run) => run.charAt(0) as Letter) };
}

/** RFC 8264 section 8: `P` PVALID, `F` FREE_PVAL, `C` CONTEXTJ or CONTEXTO, `D` DISALLOWED or UNASSIGNED. */
type DerivedProperty = 'P' | 'F' | 'C' | 'D';

const derivedProperties = new RunTable<DerivedProperty>(DERIVED_PROPERTY);

/**
 * The tables are always those of Unicode 17, but Node.js implements lower case and NFC with its own Unicode version. An
 * older version does not map letters that it does not know, so the key would differ from that of a newer version.
 * Texts with such letters are therefore rejected.
 */
const UNKNOWN_TO_ENGINE = /\p{Unassigned}/u;

/** Returns true if every code point is allowed in an IdentifierClass string, subject to `contextAllows`. */
export function inIdentifierClass(text: string): boolean {
  return consistsOf(text, 'PC');
}

/** Returns true if every code point is allowed in a FreeformClass string, subject to `contextAllows`. */
export function inFreeformClass(text: string): boolean {
  return consistsOf(text, 'PCF');
}

function consistsOf(text: string, allowed: string): boolean {
  for (const character of text) {
    const property = derivedProperties.at(character.codePointAt(0));
    if (property === undefined || !allowed.includes(property)) return false;
  }
  return !UNKNOWN_TO_ENGINE.test(text);
}

const bidiClasses = new RunTable<'L' | 'R' | 'A' | 'N' | 'E' | 'S' | 'C' | 'T' | 'O' | 'B' | 'M'>(BIDI_CLASS);

// The conditions of RFC 5893 section 2, in the letters of the bidi classes in `unicode-tables.gen.ts`.
const RIGHT_TO_LEFT = /[RAN]/;
const CONDITIONS_1_2_3 = /^[RA](?:[RANESCTOBM]*[RANE])?M*$/;
const CONDITIONS_1_5_6 = /^L(?:[LESCTOBM]*[LE])?M*$/;

/**
 * Returns true if the parts of one name obey the bidi rule. If one part contains right-to-left characters, the rule
 * applies to every part, as for the labels of a domain name. Otherwise a Hebrew word with a part "3" before it, and
 * the same word with "3" after it, would be two names that look the same on a screen.
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
 * Returns true if every CONTEXTJ and CONTEXTO code point occurs in its required context (RFC 5892 appendix A).
 *
 * Call it with mapped text, so that strings that differ only in case or in the order of combining marks give the same
 * result: "COL·LEGI" is valid because "col·legi" is.
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

/** Returns true if the letters around the index, without transparent marks, would join if they were adjacent. */
function breaksCursiveJoin(codePoints: readonly number[], index: number): boolean {
  let left = index - 1;
  while (joiningTypes.at(codePoints[left]) === 'T') left -= 1;
  let right = index + 1;
  while (joiningTypes.at(codePoints[right]) === 'T') right += 1;
  const leftType = joiningTypes.at(codePoints[left]);
  const rightType = joiningTypes.at(codePoints[right]);
  return (leftType === 'L' || leftType === 'D') && (rightType === 'R' || rightType === 'D');
}

/** The result of a profile: the mapped text to compare and to store, or the reason for its rejection. */
export type Mapping<Reason extends string> = { mapped: string } | { error: Reason };

const APPLICATIONS = 4;

/**
 * Applies the rules of a profile until the text does not change any more, at most four times, and rejects a text that
 * still changes then (RFC 8264 section 7). This makes every mapping idempotent.
 */
export function applyUntilStable<Reason extends string>(
  text: string,
  applyRules: (text: string) => Mapping<Reason>,
): Mapping<Reason | 'character'> {
  let current = text;
  for (let application = 0; application < APPLICATIONS; application += 1) {
    const result = applyRules(current);
    if ('error' in result || result.mapped === current) return result;
    current = result.mapped;
  }
  return { error: 'character' };
}

export const LONE_SURROGATE = /\p{Surrogate}/u;

const WIDTH_VARIANT = /[\u3000\uff01-\uffee]/g;

const DECOMPOSED_HANGUL = /[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?/g;

let widthMap: Map<string, string> | undefined;

/** Replaces fullwidth and halfwidth characters with their decomposition mappings (RFC 8264 section 5.2.1). */
export function mapWidth(text: string): string {
  return text.replace(WIDTH_VARIANT, (character) => {
    widthMap ??= new Map(WIDTH_PAIRS.match(/../g)?.map((pair) => [pair.charAt(0), pair.charAt(1)]));
    return widthMap.get(character) ?? character;
  });
}

/** Composes Korean syllables: macOS may send them decomposed, and the classes allow only composed syllables. */
export function composeHangul(text: string): string {
  return text.replace(DECOMPOSED_HANGUL, (syllable) => syllable.normalize('NFC'));
}
