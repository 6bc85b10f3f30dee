const termMax = 64;
const separators = /[^\p{L}\p{N}]+/u;

/** The words under which a principal is found: lower case, without accents. */
export function searchTerms(texts: readonly (string | null)[]): string[] {
  const words = texts.flatMap((text) => (text === null ? [] : fold(text).split(separators)));
  return [...new Set(words.filter((word) => word !== '').map((word) => word.slice(0, termMax)))];
}

function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .normalize('NFC');
}
