/**
 * Control characters, line separators and invisible format characters, such as those that change the direction of a
 * text. The joiners U+200C and U+200D are not among them, because words and emoji need them.
 */
const unsafe = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** The group is what formatted output may contain: line ends, tabs, and the colours of the command line. */
const unsafeOrLayout = new RegExp(`(\\r?\\n|\\t|\\u001b\\[(?:0|1|31|32|33|90)m)|${unsafe.source}`, 'gu');

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Escapes as JSON does, so that JSON stays valid. */
function escaped(character: string): string {
  const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
  return short[character] ?? units.map((unit) => `\\u${unit}`).join('');
}

/**
 * Makes a text safe to print as a part of one line. Names of files and columns, and answers of other services, could
 * otherwise move the cursor, change the title of the window, or look like another line or text.
 */
export function terminalText(text: string): string {
  return text.replace(unsafe, escaped);
}

/** Makes formatted output safe to print: keeps line ends, tabs and colours. */
export function terminalLines(text: string): string {
  return text.replace(unsafeOrLayout, (found, layout?: string) => layout ?? escaped(found));
}
