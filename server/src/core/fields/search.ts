const termMax = 64;
/** With fewer it could be anything. */
const digitsMin = 5;
const countryBefore = /^[a-z]{2}\d/;
const separators = /[^\p{L}\p{N}]+/u;

/** The words under which a principal is found: lower case, without accents. */
export function searchTerms(texts: readonly (string | null)[]): string[] {
  const words = texts.flatMap((text) => (text === null ? [] : fold(text).split(separators)));
  return [...new Set(words.filter((word) => word !== '').map((word) => word.slice(0, termMax)))];
}

/** A number of tax or VAT as one word, without the signs that people put in between; and without the country before it. */
export function numberTerms(text: string | null): string[] {
  const whole = text === null ? '' : fold(text).split(separators).join('').slice(0, termMax);
  if ((whole.match(/\d/g) ?? []).length < digitsMin) return [];
  return countryBefore.test(whole) ? [whole, whole.slice(2)] : [whole];
}

function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .normalize('NFC');
}
