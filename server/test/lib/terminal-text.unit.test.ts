import { describe, expect, it } from 'vitest';
import { terminalLines, terminalText } from '../../src/lib/terminal-text.ts';

describe('a text for the terminal', () => {
  it.each([
    ['a control sequence', 'a\u001b[2Jb', 'a\\u001b[2Jb'],
    ['a control sequence of C1', 'a\u009b2Jb', 'a\\u009b2Jb'],
    ['a bell and a deleted character', '\u0007\u007f', '\\u0007\\u007f'],
    ['line ends and tabs', 'a\r\n\tb', 'a\\r\\n\\tb'],
    ['line and paragraph separators', 'a\u2028b\u2029', 'a\\u2028b\\u2029'],
    ['changes of direction', 'a\u202egnp\u2066.exe\u200f', 'a\\u202egnp\\u2066.exe\\u200f'],
    ['invisible tags', 'a\u{e0041}', 'a\\udb40\\udc41'],
    ['half of a surrogate pair', 'a\ud800', 'a\\ud800'],
  ])('has %s escaped', (_, text, expected) => {
    expect(terminalText(text)).toBe(expected);
    expect(JSON.parse(`"${terminalText(text)}"`)).toBe(text);
  });

  it('keeps letters of all scripts, accents, emoji and their joiners', () => {
    const text = 'Città è 株式会社 مي\u200cخواهم e\u0301 👩\u200d💻 C:\\n "x"';
    expect(terminalText(text)).toBe(text);
    expect(terminalLines(text)).toBe(text);
  });
});

describe('lines for the terminal', () => {
  it('keep line ends, tabs and the colours of the command line, and nothing else', () => {
    const text = '\u001b[31ma\u001b[0m\tb\r\nc\n';
    expect(terminalLines(text)).toBe(text);
    expect(terminalLines('\u001b[8mhidden\u001b]0;title\u0007\rover')).toBe(
      '\\u001b[8mhidden\\u001b]0;title\\u0007\\rover',
    );
  });
});
