import { obeysBidiRule } from './bidi.ts';
import { inIdentifierClass } from './classes.ts';
import { contextAllows } from './context.ts';
import { applyUntilStable, type Mapping } from './stable.ts';
import { composeHangul, mapWidth } from './width.ts';

/**
 * `empty`: no character at all; `space`: a leading, trailing or doubled space; `character`: a code point that is not
 * allowed, or not there; `bidi`: a mix of writing directions that could be read in two ways; `surrogate`: half of a
 * surrogate pair.
 */
export type UsernameFault = 'empty' | 'space' | 'character' | 'bidi' | 'surrogate';

const PLAIN = /^[!-~]+(?: [!-~]+)*$/;
const LONE_SURROGATE = /\p{Surrogate}/u;
const STRAY_SPACE = /^ | {2}| $/;

/**
 * The form under which a username is unique (RFC 8265 `UsernameCaseMapped`, one or more userparts with single spaces
 * between them), or why it is refused. A mapped form maps to itself. The length is left to the caller.
 */
export function mapUsername(text: string): Mapping<UsernameFault> {
  if (PLAIN.test(text)) return { mapped: text.toLowerCase() };
  if (text === '') return { fault: 'empty' };
  if (LONE_SURROGATE.test(text)) return { fault: 'surrogate' };

  const result = applyUntilStable<UsernameFault>(text, applyRules);
  if ('fault' in result) return result;
  const userparts = result.mapped.split(' ');
  if (!userparts.every(contextAllows)) return { fault: 'character' };
  if (!obeysBidiRule(userparts)) return { fault: 'bidi' };
  return result;
}

/**
 * The class is asked before lower case and NFC (RFC 8265 section 3.3.1), so a Kelvin sign is refused and not taken
 * for a k. It is asked again of the result: "=" with U+0338 composes to "≠", which no username may hold.
 *
 * Lower case looks at the neighbours in one case: a capital sigma at the end of a word becomes "ς", elsewhere "σ". A
 * space ends the word, and composes with nothing, so to map the whole is to map each userpart. "ΟΔΟΣ" and "οδος" are
 * one name; "οδοσ", which no capital form comes to, is another, as the RFC has it. No lower-case letter changes
 * again, so the result is stable. `toLowerCase`, unlike `toLocaleLowerCase`, is the same in every locale.
 */
function applyRules(text: string): Mapping<UsernameFault> {
  const prepared = composeHangul(mapWidth(text));
  if (STRAY_SPACE.test(prepared)) return { fault: 'space' };
  if (!prepared.split(' ').every(inIdentifierClass)) return { fault: 'character' };
  return { mapped: prepared.toLowerCase().normalize('NFC') };
}
