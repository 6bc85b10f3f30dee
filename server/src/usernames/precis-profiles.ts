import {
  applyUntilStable,
  composeHangul,
  contextAllows,
  inFreeformClass,
  inIdentifierClass,
  LONE_SURROGATE,
  type Mapping,
  mapWidth,
  obeysBidiRule,
} from './precis.ts';

/**
 * `empty`: an empty text; `space`: a leading, trailing or double space; `character`: a code point that is disallowed or
 * unassigned; `bidi`: a mix of writing directions that violates the bidi rule; `surrogate`: half of a surrogate pair.
 */
export type UsernameError = 'empty' | 'space' | 'character' | 'bidi' | 'surrogate';

const PLAIN_USERNAME = /^[!-~]+(?: [!-~]+)*$/;
const STRAY_SPACE = /^ | {2}| $/;

/**
 * Applies the profile `UsernameCaseMapped` of RFC 8265 to one or more userparts with single spaces between them.
 * Usernames with the same mapped form are equal. The mapping is idempotent. The caller checks the length.
 */
export function mapUsername(text: string): Mapping<UsernameError> {
  if (PLAIN_USERNAME.test(text)) return { mapped: text.toLowerCase() };
  if (text === '') return { error: 'empty' };
  if (LONE_SURROGATE.test(text)) return { error: 'surrogate' };

  const result = applyUntilStable<UsernameError>(text, applyUsernameRules);
  if ('error' in result) return result;
  const userparts = result.mapped.split(' ');
  if (!userparts.every(contextAllows)) return { error: 'character' };
  if (!obeysBidiRule(userparts)) return { error: 'bidi' };
  return result;
}

/**
 * The string class is checked before lower case and NFC (RFC 8265 section 3.3.1), so that a Kelvin sign is rejected and
 * not mapped to "k". `applyUntilStable` checks it again on the result: "=" with U+0338 composes to "≠", which is not
 * allowed.
 *
 * The lower case of one letter depends on its neighbours: a capital sigma becomes "ς" at the end of a word and "σ"
 * elsewhere. A space ends a word and composes with nothing, so mapping the whole text equals mapping each userpart.
 * "ΟΔΟΣ" and "οδος" are the same username; "οδοσ" is a different one, in accordance with the RFC. Lower-case letters
 * do not change again, so the result is stable. Unlike `toLocaleLowerCase`, `toLowerCase` does not depend on the
 * locale.
 */
function applyUsernameRules(text: string): Mapping<UsernameError> {
  const prepared = composeHangul(mapWidth(text));
  if (STRAY_SPACE.test(prepared)) return { error: 'space' };
  if (!prepared.split(' ').every(inIdentifierClass)) return { error: 'character' };
  return { mapped: prepared.toLowerCase().normalize('NFC') };
}

/**
 * `empty`: an empty text; `character`: a code point that is disallowed or unassigned; `surrogate`: half of a surrogate
 * pair.
 */
export type OpaqueStringError = 'empty' | 'character' | 'surrogate';

const PLAIN_PASSWORD = /^[ -~]+$/;
/** General_Category Zs without U+0020. The list is fixed: a space in a later Unicode must not change a password. */
const OTHER_SPACE = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;

/**
 * Applies the profile `OpaqueString` of RFC 8265; the mapped form of a password is hashed and verified. Case and width
 * do not change. The mapping is idempotent. The caller checks the length.
 */
export function mapOpaqueString(text: string): Mapping<OpaqueStringError> {
  if (PLAIN_PASSWORD.test(text)) return { mapped: text };
  if (text === '') return { error: 'empty' };
  if (LONE_SURROGATE.test(text)) return { error: 'surrogate' };

  const result = applyUntilStable<OpaqueStringError>(text, applyPasswordRules);
  if ('mapped' in result && !contextAllows(result.mapped)) return { error: 'character' };
  return result;
}

function applyPasswordRules(text: string): Mapping<OpaqueStringError> {
  const prepared = composeHangul(text);
  if (!inFreeformClass(prepared)) return { error: 'character' };
  return { mapped: prepared.replace(OTHER_SPACE, ' ').normalize('NFC') };
}
