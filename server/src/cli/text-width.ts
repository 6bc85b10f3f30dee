const nothing = /^[\p{Mark}\p{Format}]$/u;
const double =
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uff01-\uff60]$/u;

/** How many columns of a terminal a character takes. */
function columnsOf(character: string): number {
  return nothing.test(character) ? 0 : double.test(character) ? 2 : 1;
}

export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

/** Exactly so wide: filled up with spaces, or cut with a sign that it was. */
export function fitText(text: string, width: number, side: 'left' | 'right' = 'left'): string {
  const own = textWidth(text);
  const blank = ' '.repeat(Math.max(0, width - own));
  if (own <= width) return side === 'left' ? text + blank : blank + text;
  let kept = '';
  let taken = 0;
  for (const character of text) {
    if (taken + columnsOf(character) > width - 1) break;
    kept += character;
    taken += columnsOf(character);
  }
  return `${kept}…${' '.repeat(width - 1 - taken)}`;
}
