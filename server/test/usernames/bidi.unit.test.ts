import { describe, expect, it } from 'vitest';
import { mapUsername } from '../../src/usernames/precis-profiles.ts';

const MOSHE = '\u05de\u05e9\u05d4';
const MUHAMMAD = '\u0645\u062d\u0645\u062f';

describe('the bidi rule', () => {
  it.each([
    ['Hebrew', MOSHE],
    ['Hebrew with a point at the end', `${MOSHE}\u05b0`],
    ['Arabic', MUHAMMAD],
    ['Arabic and European digits', `${MUHAMMAD}123`],
    ['Arabic and Arabic-Indic digits', `${MUHAMMAD}\u0661\u0662`],
    ['Arabic with a full stop inside', `${MUHAMMAD}.${MUHAMMAD}`],
    ['Thaana ending in a vowel sign', '\u0784\u07a8'],
    ['two Hebrew userparts', `${MOSHE} ${MOSHE}`],
    ['a Hebrew userpart and a Latin one', `${MOSHE} cohen`],
    ['a Latin userpart with a digit and a Hebrew one', `cohen2 ${MOSHE}`],
  ])('allows %s', (_, text) => {
    expect(mapUsername(text)).toEqual({ mapped: text });
  });

  it.each([
    ['Latin inside Hebrew (conditions 2 and 3)', `${MOSHE}a${MOSHE}`],
    ['Hebrew after Latin (condition 5)', `a${MOSHE}`],
    ['a digit first (condition 1)', `1${MOSHE}`],
    ['a combining mark first (condition 1)', `\u05b0${MOSHE}`],
    ['an Arabic-Indic digit first (condition 1)', `\u0661${MUHAMMAD}`],
    ['a hyphen last (condition 3)', `${MOSHE}-`],
    ['a hyphen and a mark last (condition 3)', `${MOSHE}-\u05b0`],
    ['European and Arabic-Indic digits together (condition 4)', `${MUHAMMAD}1\u0661`],
    ['a userpart of digits beside a Hebrew one', `${MOSHE} 3`],
    ['a userpart of digits before a Hebrew one', `3 ${MOSHE}`],
    ['a Latin userpart that ends in a full stop beside a Hebrew one (condition 6)', `cohen. ${MOSHE}`],
    ['an address in Hebrew and Latin', `${MOSHE}@example.com`],
  ])('refuses %s', (_, text) => {
    expect(mapUsername(text)).toEqual({ error: 'bidi' });
  });

  it('does not apply to names without right-to-left characters', () => {
    expect(mapUsername('1\u00e8.')).toEqual({ mapped: '1\u00e8.' });
    expect(mapUsername('3 \u00e8 -')).toEqual({ mapped: '3 \u00e8 -' });
  });
});
