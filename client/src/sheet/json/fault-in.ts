const space = /[ \t\n\r]*/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const escaped = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/**
 * Returns the offset of the first syntax error in a text that should be one JSON value, or the offset after the value
 * if that is valid.
 */
export function faultIn(text: string): number {
  const closers: string[] = [];
  let at = after(space, text, 0);
  let expected: 'value' | 'first' | 'name' | 'next' = 'value';
  while (closers.length > 0 || expected !== 'next') {
    const character = text[at];
    if (expected === 'next' || (expected === 'first' && character === closers.at(-1))) {
      if (character === closers.at(-1)) {
        closers.pop();
        expected = 'next';
      } else if (character === ',') expected = closers.at(-1) === '}' ? 'name' : 'value';
      else return at;
      at++;
    } else if (closers.at(-1) === '}' && expected !== 'value') {
      const end = character === '"' ? endOfString(text, at) : { at, whole: false };
      if (!end.whole) return end.at;
      at = after(space, text, end.at);
      if (text[at] !== ':') return at;
      at++;
      expected = 'value';
    } else if (character === '{' || character === '[') {
      closers.push(character === '{' ? '}' : ']');
      expected = 'first';
      at++;
    } else if (character === '"') {
      const end = endOfString(text, at);
      if (!end.whole) return end.at;
      at = end.at;
      expected = 'next';
    } else {
      const end = after(scalar, text, at);
      if (end === at) return at;
      at = end;
      expected = 'next';
    }
    at = after(space, text, at);
  }
  return at;
}

/** Returns the offset after the match of a sticky pattern at `at`, or `at` if it does not match. */
function after(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** Returns the offset after a string, or with `whole` false the offset of its first invalid character. */
function endOfString(text: string, start: number): { readonly at: number; readonly whole: boolean } {
  let at = start + 1;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) return { at: at + 1, whole: true };
    if (unit < 0x20) return { at, whole: false };
    const next = unit === 0x5c ? after(escaped, text, at) : at + 1;
    if (next === at) return { at, whole: false };
    at = next;
  }
  return { at, whole: false };
}
