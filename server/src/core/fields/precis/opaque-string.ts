import { inFreeformClass } from './classes.ts';
import { contextAllows } from './context.ts';
import { applyUntilStable, type Mapping } from './stable.ts';
import { composeHangul } from './width.ts';

/**
 * `empty`: no character at all; `character`: a code point that is not allowed, or not there; `surrogate`: half of a
 * surrogate pair.
 */
export type OpaqueStringFault = 'empty' | 'character' | 'surrogate';

const PLAIN = /^[ -~]+$/;
const LONE_SURROGATE = /\p{Surrogate}/u;
/** General_Category Zs but U+0020, written out: a space that a later Unicode adds must not change an old password. */
const OTHER_SPACE = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;

/**
 * The form in which a password is hashed and compared (RFC 8265 `OpaqueString`), or why it is refused. Case and
 * width stay as they are. A mapped form maps to itself. The length is left to the caller.
 */
export function mapOpaqueString(text: string): Mapping<OpaqueStringFault> {
  if (PLAIN.test(text)) return { mapped: text };
  if (text === '') return { fault: 'empty' };
  if (LONE_SURROGATE.test(text)) return { fault: 'surrogate' };

  const result = applyUntilStable<OpaqueStringFault>(text, applyRules);
  if ('mapped' in result && !contextAllows(result.mapped)) return { fault: 'character' };
  return result;
}

function applyRules(text: string): Mapping<OpaqueStringFault> {
  const prepared = composeHangul(text);
  if (!inFreeformClass(prepared)) return { fault: 'character' };
  return { mapped: prepared.replace(OTHER_SPACE, ' ').normalize('NFC') };
}
